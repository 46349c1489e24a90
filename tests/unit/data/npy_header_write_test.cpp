// The header as numpy writes it.
#include "src/data/npy_header_write.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

std::string header(std::string_view descr, const std::vector<std::int64_t>& shape) {
  return data::npy_header(descr, shape);
}

TEST(NpyHeader, IsNumpys) {
  // numpy.lib.format.write_array_header_1_0 of numpy 2.4 gives these bytes.
  std::string wanted("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 69);
  wanted.resize(127, ' ');
  EXPECT_EQ(header("<f4", {2, 3}), wanted + "\n");
}

TEST(NpyHeader, ShapesAndAlignment) {
  EXPECT_NE(header("<f8", {7}).find("'descr': '<f8', 'fortran_order': False, 'shape': (7,), }"), std::string::npos);
  EXPECT_NE(header("<f4", {}).find("'shape': (), }"), std::string::npos);
  std::vector<std::int64_t> shape;
  for (int axes = 0; axes <= 32; ++axes) {
    const std::string text = header("<f4", shape);
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
    const auto low = static_cast<unsigned char>(text[8]), high = static_cast<unsigned char>(text[9]);
    EXPECT_EQ(static_cast<std::size_t>(low + 256 * high), text.size() - 10);
    shape.push_back(std::int64_t{1} << 40);
  }
}

}  // namespace
}  // namespace weft
