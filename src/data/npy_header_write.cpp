// Writing the header as numpy.lib.format does.
#include "src/data/npy_header_write.h"

#include <fmt/format.h>

#include <cstddef>

namespace weft::data {

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kBefore = 10;  // magic, version, length of the dictionary
  // A tuple of one needs its comma.
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t whole = (kBefore + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(whole - kBefore - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\0", 8);
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace weft::data
