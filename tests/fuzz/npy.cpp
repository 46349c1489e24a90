// Any bytes as an NPY file, its numbers as inputs and as labels.
#include <cstdint>
#include <string>

#include "src/data/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto array = weft::data::read_npy(std::string(reinterpret_cast<const char*>(bytes), size), "npy");
  if (!array.ok()) return 0;
  (void)weft::data::dataset_of(*array, nullptr, {});
  (void)weft::data::dataset_of(*array, &*array, {});
  (void)weft::data::dataset_of(*array, &*array, {.task = weft::data::Task::kRegression});
  return 0;
}
