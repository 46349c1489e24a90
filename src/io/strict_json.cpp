// A first pass over the events of the parser finds what the second, which builds the values, would accept.
#include "src/io/strict_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/core/names.h"

namespace weft {
namespace {

using Json = nlohmann::json;

class Checker final : public nlohmann::json_sax<Json> {
 public:
  explicit Checker(int max_depth) : max_depth_(static_cast<std::size_t>(max_depth)) {}

  const Status& status() const { return status_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }

  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    frames_.back().at = name;
    if (frames_.back().keys.insert(name).second) return true;
    return fail(path() + ": the key appears twice, wanted once");
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    std::string text = error.what();
    if (const auto end = text.find("] "); text.starts_with('[') && end != std::string::npos) text.erase(0, end + 2);
    return fail(text + ", wanted JSON");
  }

 private:
  struct Frame {
    bool array = false;
    std::size_t index = 0;
    std::string at;
    std::set<std::string> keys;
  };

  bool fail(std::string message) {
    status_ = Status(StatusCode::kInvalidArgument, std::move(message));
    return false;
  }

  bool value() {
    if (!frames_.empty()) ++frames_.back().index;
    return true;
  }

  bool open(bool array) {
    if (frames_.size() == max_depth_)
      return fail(fmt::format("{0}: nested deeper than {1} levels, wanted at most {1}", path(), max_depth_));
    Frame frame;
    frame.array = array;
    frames_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    frames_.pop_back();
    return value();
  }

  std::string path() const {
    std::string text;
    for (const Frame& frame : frames_) {
      if (frame.array) {
        text += fmt::format("[{}]", frame.index);
      } else {
        const std::string key = quote(frame.at);
        text += fmt::format("{}{}", text.empty() ? "" : ".", std::string_view(key).substr(1, key.size() - 2));
      }
      if (text.size() > 200) return text.substr(0, 200) + "...";
    }
    return text.empty() ? "JSON" : text;
  }

  std::size_t max_depth_;
  std::vector<Frame> frames_;
  Status status_;
};

}  // namespace

Result<Json> parse_strict_json(std::string_view text, int max_depth) {
  Checker checker(max_depth);
  if (!Json::sax_parse(text.begin(), text.end(), &checker)) return checker.status();
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace weft
