// Any bytes as CSV, under options that the first byte chooses. What is read is split, and its schema read back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "src/data/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace weft::data;
  if (size == 0) return 0;
  CsvOptions options{.memory = 1 << 24};
  options.label = (bytes[0] & 1) != 0 ? "last" : (bytes[0] & 2) != 0 ? "0" : "";
  options.task = (bytes[0] & 4) != 0 ? Task::kRegression : Task::kClassification;
  options.missing = static_cast<Missing>((bytes[0] >> 3) % 3);
  options.header = static_cast<Header>((bytes[0] >> 5) % 3);
  if ((bytes[0] & 128) != 0) options.categorical = {"1"};
  auto source = ByteSource::over({reinterpret_cast<const char*>(bytes + 1), size - 1});
  if (!source.ok()) return 0;
  const auto dataset = read_csv(**source, "csv", options);
  if (!dataset.ok()) return 0;
  if (dataset->size() < 1 || dataset->inputs.validate().ok() == false) std::abort();
  if (!dataset->labels.empty() && static_cast<std::int64_t>(dataset->labels.size()) != dataset->size()) std::abort();
  (void)split(*dataset, {.validation = 0.3});
  (void)summarise(*dataset);
  // What was read can be read again by its schema.
  options.schema = dataset->schema;
  options.header = dataset->schema.header ? Header::kPresent : Header::kAbsent;
  auto again = ByteSource::over({reinterpret_cast<const char*>(bytes + 1), size - 1});
  (void)read_csv(**again, "csv", options);
  return 0;
}
