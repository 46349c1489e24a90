// Header and numbers, one after the other.
#include "src/data/npy_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "src/core/try.h"
#include "src/data/npy_header_write.h"
#include "src/io/atomic_file.h"

namespace weft::data {
namespace {

constexpr std::size_t kBlock = 16384;  // numbers written at a time

}  // namespace

Status write_npy(const std::filesystem::path& file, std::span<const float> values,
                 std::span<const std::int64_t> shape) {
  std::int64_t elements = 1;
  for (const std::int64_t axis : shape) elements *= axis;
  if (elements != std::ssize(values)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("write '{}': {} numbers for shape [{}], wanted {}", file.string(), values.size(),
                              fmt::join(shape, ", "), elements));
  }
  WEFT_ASSIGN_OR_RETURN(AtomicFile out, AtomicFile::create(file));
  const std::string header = npy_header("<f4", shape);
  WEFT_RETURN_IF_ERROR(out.write(header.data(), header.size()));
  std::string block;
  for (std::size_t i = 0; i < values.size(); i += kBlock) {
    block.clear();
    for (const float value : values.subspan(i, std::min(kBlock, values.size() - i))) {
      const auto bits = std::bit_cast<std::uint32_t>(value);
      for (int shift = 0; shift < 32; shift += 8) block += static_cast<char>(bits >> shift & 255);
    }
    WEFT_RETURN_IF_ERROR(out.write(block.data(), block.size()));
  }
  return out.commit();
}

}  // namespace weft::data
