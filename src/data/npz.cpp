// Which arrays of an archive are inputs and targets.
#include "src/data/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/array.h"
#include "src/data/memory.h"
#include "src/data/npy.h"
#include "src/data/zip.h"

namespace weft::data {
namespace {

constexpr std::string_view kSuffix = ".npy";

class Archive {
 public:
  Archive(std::string_view bytes, std::string place, std::uint64_t budget)
      : bytes_(bytes), place_(std::move(place)), budget_(budget), held_(bytes.size()) {}

  Status open() {
    auto entries = read_zip(bytes_);
    if (!entries.ok()) return at("", entries.status());
    for (ZipEntry& entry : *entries) {
      if (entry.name.ends_with(kSuffix)) entries_.push_back(std::move(entry));
    }
    if (entries_.empty()) return Status(StatusCode::kInvalidArgument, place_ + ": no arrays (.npy), wanted x and y");
    return Status();
  }

  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string names() const {
    std::vector<std::string_view> names;
    for (const ZipEntry& entry : entries_) names.push_back(name_of(entry));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  /// What was read stays in memory, beside the archive.
  Result<Array> read(const std::string& name) {
    const ZipEntry* entry = find(name);
    if (entry == nullptr) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: no array {}, wanted one of: {}", place_, quote(name), names()));
    }
    if (held_ > budget_ || entry->size > budget_ - held_) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("{}: {}: {} bytes unpacked beside {} that are held already, wanted at most {} in all",
                                place_, quote(entry->name), entry->size, held_, budget_text(budget_)));
    }
    auto text = unzip(bytes_, *entry, budget_);
    if (!text.ok()) return at(quote(entry->name) + ": ", text.status());
    held_ += entry->size;
    return read_npy(*std::move(text), fmt::format("{}: {}", place_, quote(entry->name)));
  }

 private:
  static std::string_view name_of(const ZipEntry& entry) {
    return std::string_view(entry.name).substr(0, entry.name.size() - kSuffix.size());
  }
  const ZipEntry* find(std::string_view name) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return name_of(e) == name; });
    return found == entries_.end() ? nullptr : &*found;
  }
  Status at(const std::string& where, const Status& status) const {
    return Status(status.code(), fmt::format("{}: {}{}", place_, where, status.message()));
  }

  std::string_view bytes_;
  std::string place_;
  std::uint64_t budget_, held_;
  std::vector<ZipEntry> entries_;
};

struct Pair {
  std::string inputs, targets;
};

// Names as options give them, or the first of the usual pairs.
Result<Pair> find_pair(const Archive& archive, const std::string& place, const ArrayOptions& options) {
  if (!options.inputs.empty()) return Pair{options.inputs, options.targets};
  if (!options.targets.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: the targets are named {}, wanted the inputs' name too; there are: {}", place,
                              quote(options.targets), archive.names()));
  }
  static constexpr std::pair<const char*, const char*> kUsual[] = {
      {"x_train", "y_train"}, {"x", "y"},           {"X", "y"},        {"X", "Y"},
      {"inputs", "targets"},  {"images", "labels"}, {"data", "target"}};
  for (const auto& [inputs, targets] : kUsual) {
    if (archive.has(inputs) && archive.has(targets)) return Pair{inputs, targets};
  }
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{}: arrays {}, wanted x and y, x_train and y_train, or names for inputs and targets",
                            place, archive.names()));
}

}  // namespace

Result<Dataset> read_npz(std::string_view bytes, const std::string& place, const ArrayOptions& options) {
  Archive archive(bytes, place, memory_budget(options.memory));
  WEFT_RETURN_IF_ERROR(archive.open());
  WEFT_ASSIGN_OR_RETURN(const Pair pair, find_pair(archive, place, options));
  WEFT_ASSIGN_OR_RETURN(const Array x, archive.read(pair.inputs));
  const auto named = [&](Dataset dataset) {
    dataset.source = place;
    if (options.inputs.empty()) {
      dataset.notes.push_back(
          fmt::format("inputs are the array {}, labels {}", quote(pair.inputs), quote(pair.targets)));
    }
    return dataset;
  };
  if (pair.targets.empty()) {
    WEFT_ASSIGN_OR_RETURN(Dataset dataset, dataset_of(x, nullptr, options, bytes.size()));
    return named(std::move(dataset));
  }
  WEFT_ASSIGN_OR_RETURN(const Array y, archive.read(pair.targets));
  if (options.inputs.empty() && pair.inputs == "x_train" && archive.has("x_test") && archive.has("y_test")) {
    WEFT_ASSIGN_OR_RETURN(const Array test_x, archive.read("x_test"));
    WEFT_ASSIGN_OR_RETURN(const Array test_y, archive.read("y_test"));
    WEFT_ASSIGN_OR_RETURN(Dataset dataset, dataset_of(x, y, test_x, test_y, options, bytes.size()));
    dataset.notes.push_back("the arrays 'x_test' and 'y_test' are the test part");
    return named(std::move(dataset));
  }
  WEFT_ASSIGN_OR_RETURN(Dataset dataset, dataset_of(x, &y, options, bytes.size()));
  return named(std::move(dataset));
}

Result<Dataset> npz(const std::filesystem::path& file, const ArrayOptions& options) {
  const std::string place = fmt::format("npz: {}", file.string());
  WEFT_ASSIGN_OR_RETURN(const std::string bytes, read_bytes(file, place, options.memory));
  return read_npz(bytes, place, options);
}

}  // namespace weft::data
