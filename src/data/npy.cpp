// NPY: magic, version, length of the header, a Python dictionary, the numbers.
#include "src/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"

namespace weft::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostAxes = Shape::kMaxRank;

// The dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, its keys in any order.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, Array& array) : text_(text), rest_(text), array_(array) {}

  Status read() {
    bool type = false, order = false, shape = false;
    if (!take("{")) return wrong("'{'");
    while (!take("}")) {
      WEFT_ASSIGN_OR_RETURN(const std::string_view key, quoted());
      if (!take(":")) return wrong("':'");
      bool* const seen = key == "descr" ? &type : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (seen == nullptr || *seen) {
        return lost(fmt::format("header: key {}{}, wanted descr, fortran_order and shape once each", quote(key),
                                seen != nullptr ? " twice" : ""));
      }
      *seen = true;
      WEFT_RETURN_IF_ERROR(key == "descr" ? read_type() : key == "fortran_order" ? read_order() : read_shape());
      if (!take(",") && !rest_.starts_with('}')) return wrong("',' or '}'");
    }
    skip();
    if (!rest_.empty()) return wrong("nothing behind '}'");
    if (type && order && shape) return Status();
    return lost(fmt::format("header: the key '{}' is missing", !type ? "descr" : !order ? "fortran_order" : "shape"));
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    skip();
    return true;
  }

  Status lost(std::string_view what) const {
    return Status(StatusCode::kDataLoss, fmt::format("{}: {}", array_.place, what));
  }
  Status wrong(std::string_view wanted) const {
    return lost(fmt::format("header: {} at byte {}, wanted {}", rest_.empty() ? "its end" : quote(rest_.substr(0, 20)),
                            text_.size() - rest_.size(), wanted));
  }

  Result<std::string_view> quoted() {
    skip();
    const char mark = rest_.empty() ? '\0' : rest_.front();
    const std::size_t close = mark == '\'' || mark == '"' ? rest_.find(mark, 1) : std::string_view::npos;
    if (close == std::string_view::npos) return wrong("a text in quotes");
    const std::string_view text = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    skip();
    return text;
  }

  Status read_type() {
    if (rest_.starts_with('[')) {
      return Status(StatusCode::kUnsupported,
                    fmt::format("{}: descr: records of several fields, wanted one type of number", array_.place));
    }
    WEFT_ASSIGN_OR_RETURN(const std::string_view descr, quoted());
    if (descr.find('O') != std::string_view::npos) {
      return Status(StatusCode::kUnsupported,
                    fmt::format("{}: descr: {}, pickled Python objects, which are not read because they can run code; "
                                "wanted numbers",
                                array_.place, quote(descr)));
    }
    static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
        {"b1", ElementType::kBool}, {"u1", ElementType::kU8},  {"u2", ElementType::kU16}, {"u4", ElementType::kU32},
        {"u8", ElementType::kU64},  {"i1", ElementType::kI8},  {"i2", ElementType::kI16}, {"i4", ElementType::kI32},
        {"i8", ElementType::kI64},  {"f2", ElementType::kF16}, {"f4", ElementType::kF32}, {"f8", ElementType::kF64}};
    if (descr.size() == 3 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
      for (const auto& [name, type] : kTypes) {
        if (descr.substr(1) != name) continue;
        array_.type = type;
        array_.big_endian = descr[0] == '>';
        return Status();
      }
    }
    return Status(StatusCode::kUnsupported,
                  fmt::format("{}: descr: {}, wanted b1, u1 to u8, i1 to i8, f2, f4 or f8 behind <, >, | or =",
                              array_.place, quote(descr)));
  }

  Status read_order() {
    if (take("True")) {
      array_.fortran = true;
      return Status();
    }
    return take("False") ? Status() : wrong("True or False");
  }

  Status read_shape() {
    if (!take("(")) return wrong("'('");
    while (!take(")")) {
      std::int64_t axis = 0;
      const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), axis);
      if (code != std::errc() || axis < 0) return wrong("an axis, a whole number from 0 on");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // of Python 2
      array_.shape.push_back(axis);
      if (array_.shape.size() > kMostAxes) return wrong("at most 8 axes");
      if (!take(",") && !rest_.starts_with(')')) return wrong("',' or ')'");
    }
    return Status();
  }

  std::string_view text_, rest_;
  Array& array_;
};

}  // namespace

Result<Array> read_npy(std::string bytes, std::string place) {
  Array array;
  array.place = std::move(place);
  const auto lost = [&](const std::string& what) {
    return Status(StatusCode::kDataLoss, fmt::format("{}: {}", array.place, what));
  };
  if (bytes.empty()) return lost("empty, wanted an NPY file");
  if (!bytes.starts_with(kMagic)) {
    return lost(fmt::format("starts with {}, wanted \\x93NUMPY", quote(std::string_view(bytes).substr(0, 6))));
  }
  if (bytes.size() < 10) return lost(fmt::format("truncated: {} bytes, wanted a header", bytes.size()));
  const unsigned major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) return lost(fmt::format("version {}.{}, wanted 1.0 to 3.0", major, minor));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) return lost(fmt::format("truncated: {} bytes, wanted a header", bytes.size()));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
  }
  array.begin = 8 + length_bytes + length;
  if (array.begin > bytes.size()) {
    return lost(fmt::format("truncated: {} bytes of header, wanted {}", bytes.size() - 8 - length_bytes, length));
  }
  WEFT_RETURN_IF_ERROR(HeaderReader(std::string_view(bytes).substr(8 + length_bytes, length), array).read());
  array.bytes = std::move(bytes);
  WEFT_RETURN_IF_ERROR(check_bytes(array));
  return array;
}

Result<Dataset> npy(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                    const ArrayOptions& options) {
  const auto read = [&](const std::filesystem::path& file) -> Result<Array> {
    const std::string place = fmt::format("npy: {}", file.string());
    WEFT_ASSIGN_OR_RETURN(std::string bytes, read_bytes(file, place, options.memory));
    return read_npy(std::move(bytes), place);
  };
  WEFT_ASSIGN_OR_RETURN(const Array x, read(inputs));
  if (targets.empty()) return dataset_of(x, nullptr, options);
  WEFT_ASSIGN_OR_RETURN(const Array y, read(targets));
  return dataset_of(x, &y, options);
}

}  // namespace weft::data
