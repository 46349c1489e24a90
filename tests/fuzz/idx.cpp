// Any bytes as an IDX file, its numbers as inputs.
#include <cstdint>
#include <string>

#include "src/data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto array = weft::data::read_idx(std::string(reinterpret_cast<const char*>(bytes), size), "idx");
  if (!array.ok()) return 0;
  (void)weft::data::dataset_of(*array, nullptr, {});
  (void)weft::data::dataset_of(*array, &*array, {});
  return 0;
}
