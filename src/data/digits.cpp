// The 8x8 digits of UCI: 64 pixels and a label on each line.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/core/names.h"
#include "src/core/own_folder.h"
#include "src/core/try.h"
#include "src/data/digits_file.h"
#include "src/io/read_file.h"
#include "src/io/regular_file.h"
#include "weft/data.hpp"

namespace weft::data {
namespace {

constexpr std::size_t kPixels = 64;
constexpr int kMaxPixel = 16;
constexpr int kClasses = 10;
constexpr std::size_t kTestEvery = 5;  // rows 4, 9, 14, ... are for testing

struct Row {
  std::array<float, kPixels> pixels{};
  int label = 0;
};

// The places of the shipped file, in the order they are looked at.
std::vector<std::filesystem::path> places() {
  std::vector<std::filesystem::path> found;
  if (const char* folder = std::getenv("WEFT_DATA_DIR"); folder != nullptr && *folder != '\0') {
    found.push_back(std::filesystem::path(folder) / kDigitsFile);
  }
  // An installed tree may have been moved.
  if (const std::filesystem::path own = own_folder(); !own.empty())
    found.push_back(own / WEFT_OWN_DATA_DIR / kDigitsFile);
#ifdef WEFT_INSTALL_DATA_DIR
  found.push_back(std::filesystem::path(WEFT_INSTALL_DATA_DIR) / kDigitsFile);
#endif
#ifdef WEFT_SOURCE_DATA_DIR
  found.push_back(std::filesystem::path(WEFT_SOURCE_DATA_DIR) / kDigitsFile);
#endif
  return found;
}

Result<std::filesystem::path> shipped_file() {
  std::string looked;
  for (const auto& place : places()) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return place;
    looked += fmt::format("{}'{}'", looked.empty() ? "" : ", ", place.string());
  }
  return Status(StatusCode::kNotFound,
                fmt::format("digits: {} is not at {}; name a file, or set WEFT_DATA_DIR to its folder", kDigitsFile,
                            looked.empty() ? "any known place" : looked));
}

// A whole number from 0 to `most`, or a message.
Result<int> read_number(std::string_view text, std::size_t column, int most) {
  int number = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < 0 || number > most) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("column {}: {}, wanted a whole number from 0 to {}", column, quote(text), most));
  }
  return number;
}

Result<Row> read_row(std::string_view line) {
  Row row;
  std::size_t column = 1;
  for (std::string_view rest = line;; ++column) {
    const std::size_t comma = rest.find(',');
    const std::string_view text = rest.substr(0, comma);
    if (column <= kPixels) {
      WEFT_ASSIGN_OR_RETURN(const int pixel, read_number(text, column, kMaxPixel));
      row.pixels[column - 1] = static_cast<float>(pixel) / static_cast<float>(kMaxPixel);
    } else if (column == kPixels + 1) {
      WEFT_ASSIGN_OR_RETURN(row.label, read_number(text, column, kClasses - 1));
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (column != kPixels + 1) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{} columns, wanted {}: {} pixels and the label", column, kPixels + 1, kPixels));
  }
  return row;
}

Result<std::vector<Row>> read_rows(std::string_view text, const std::string& file) {
  std::vector<Row> rows;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto row = read_row(line);
    if (!row.ok()) {
      return Status(row.status().code(), fmt::format("digits: {}:{}: {}", file, number, row.status().message()));
    }
    rows.push_back(*row);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (rows.size() < kTestEvery) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("digits: {}: {} rows, wanted at least {}", file, rows.size(), kTestEvery));
  }
  return rows;
}

Samples samples_of(const std::vector<const Row*>& rows) {
  const auto n = static_cast<std::int64_t>(rows.size());
  std::vector<float> inputs;
  std::vector<float> targets(rows.size() * kClasses, 0.0f);
  Samples samples;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    inputs.insert(inputs.end(), rows[i]->pixels.begin(), rows[i]->pixels.end());
    targets[i * kClasses + static_cast<std::size_t>(rows[i]->label)] = 1.0f;
    samples.labels.push_back(rows[i]->label);
  }
  samples.inputs = Tensor(Shape{n, kPixels}, std::move(inputs));
  samples.targets = Tensor(Shape{n, kClasses}, std::move(targets));
  return samples;
}

}  // namespace

Result<Split> digits(const std::filesystem::path& file) {
  std::filesystem::path place = file;
  if (place.empty()) {
    WEFT_ASSIGN_OR_RETURN(place, shipped_file());
  }
  if (const Status status = check_regular_file(place); !status.ok()) {
    return Status(status.code(), fmt::format("digits: {}: {}", place.string(), status.message()));
  }
  auto text = read_maybe_gzip(place);
  if (!text.ok()) return Status(text.status().code(), "digits: " + text.status().message());
  WEFT_ASSIGN_OR_RETURN(const std::vector<Row> rows, read_rows(*text, place.string()));
  std::vector<const Row*> train, test;
  for (std::size_t i = 0; i < rows.size(); ++i) (i % kTestEvery == kTestEvery - 1 ? test : train).push_back(&rows[i]);
  Split split{samples_of(train), samples_of(test), {}};
  for (int label = 0; label < kClasses; ++label) split.classes.push_back(std::to_string(label));
  return split;
}

}  // namespace weft::data
