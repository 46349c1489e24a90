// Fashion-MNIST (H. Xiao, K. Rasul, R. Vollgraf, 2017, arXiv:1708.07747): four IDX files.
#include "src/data/fashion_mnist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/core/try.h"
#include "src/data/idx.h"

namespace weft::data {
namespace {

constexpr const char* kFiles[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                  "t10k-labels-idx1-ubyte"};
constexpr const char* kClasses[] = {"t-shirt/top", "trouser", "pullover", "dress", "coat",
                                    "sandal",      "shirt",   "sneaker",  "bag",   "ankle boot"};

std::vector<std::filesystem::path> places(const std::filesystem::path& folder) {
  if (!folder.empty()) return {folder};
  std::vector<std::filesystem::path> found;
  if (const char* named = std::getenv("WEFT_DATA_DIR"); named != nullptr && *named != '\0') {
    found.emplace_back(std::filesystem::path(named) / "fashion-mnist");
    found.emplace_back(named);
  }
  found.emplace_back("/usr/share/datasets/fashion-mnist");  // Debian's package dataset-fashion-mnist
  found.emplace_back("/usr/local/share/datasets/fashion-mnist");
  return found;
}

// A file of the folder, compressed or not; empty where there is neither.
std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const std::string& spelling : {name + ".gz", name}) {
    if (std::filesystem::exists(folder / spelling, ignored)) return folder / spelling;
  }
  return {};
}

}  // namespace

Result<Dataset> fashion_mnist_dataset(const std::filesystem::path& folder, std::uint64_t memory) {
  std::string looked;
  for (const auto& place : places(folder)) {
    std::vector<std::filesystem::path> files;
    std::string absent;
    for (const char* name : kFiles) {
      files.push_back(file_in(place, name));
      if (files.back().empty()) absent = name;
    }
    const bool all_absent = std::all_of(files.begin(), files.end(), [](const auto& file) { return file.empty(); });
    looked += fmt::format("{}'{}'", looked.empty() ? "" : ", ", place.string());
    if (all_absent) continue;
    if (!absent.empty()) {
      return Status(StatusCode::kNotFound,
                    fmt::format("fashion-mnist: '{}' has no {}.gz, wanted all four files", place.string(), absent));
    }
    std::vector<Array> arrays;
    for (const auto& file : files) {
      WEFT_ASSIGN_OR_RETURN(Array array, read_idx_file(file, memory));
      arrays.push_back(std::move(array));
    }
    WEFT_ASSIGN_OR_RETURN(Dataset dataset, dataset_of(arrays[0], arrays[1], arrays[2], arrays[3],
                                                      {.classes = std::size(kClasses), .memory = memory}));
    dataset.source = "fashion-mnist: " + place.string();
    dataset.classes.assign(std::begin(kClasses), std::end(kClasses));
    return dataset;
  }
  return Status(
      StatusCode::kNotFound,
      fmt::format("fashion-mnist: {}.gz is not in {}; install Debian's package dataset-fashion-mnist, or name "
                  "the folder of its four files",
                  kFiles[0], looked));
}

Result<Split> fashion_mnist(const std::filesystem::path& folder) {
  WEFT_ASSIGN_OR_RETURN(const Dataset dataset, fashion_mnist_dataset(folder));
  return split(dataset, {.scaling = ScalingKind::kUnit});
}

}  // namespace weft::data
