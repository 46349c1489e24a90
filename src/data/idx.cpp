// IDX: 0, 0, type, number of axes; each axis as 4 bytes.
#include "src/data/idx.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "src/core/try.h"

namespace weft::data {
namespace {

std::optional<ElementType> idx_type(unsigned char code) {
  switch (code) {
    case 0x08: return ElementType::kU8;
    case 0x09: return ElementType::kI8;
    case 0x0b: return ElementType::kI16;
    case 0x0c: return ElementType::kI32;
    case 0x0d: return ElementType::kF32;
    case 0x0e: return ElementType::kF64;
    default: return std::nullopt;
  }
}

unsigned byte(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

}  // namespace

bool is_idx(std::string_view bytes) {
  return bytes.size() >= 4 && byte(bytes, 0) == 0 && byte(bytes, 1) == 0 &&
         idx_type(static_cast<unsigned char>(bytes[2])) && byte(bytes, 3) >= 1 && byte(bytes, 3) <= 8;
}

Result<Array> read_idx(std::string bytes, std::string place) {
  if (bytes.empty()) return Status(StatusCode::kDataLoss, place + ": empty, wanted an IDX file");
  if (!is_idx(bytes)) {
    std::string seen;
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 4); ++i)
      seen += fmt::format("{:02x}", byte(bytes, i));
    return Status(
        StatusCode::kDataLoss,
        fmt::format("{}: magic number 0x{}, wanted 0x0000TTNN: a type TT (08 for bytes) and NN axes from 1 to 8", place,
                    seen));
  }
  Array array;
  array.place = std::move(place);
  array.type = *idx_type(static_cast<unsigned char>(bytes[2]));
  array.big_endian = true;
  const std::size_t axes = byte(bytes, 3);
  array.begin = 4 + 4 * axes;
  if (bytes.size() < array.begin) {
    return Status(StatusCode::kDataLoss, fmt::format("{}: truncated: {} bytes, wanted a header of {}", array.place,
                                                     bytes.size(), array.begin));
  }
  for (std::size_t i = 0; i < axes; ++i) {
    std::int64_t axis = 0;
    for (std::size_t k = 0; k < 4; ++k) axis = axis * 256 + byte(bytes, 4 + 4 * i + k);
    array.shape.push_back(axis);
  }
  array.bytes = std::move(bytes);
  WEFT_RETURN_IF_ERROR(check_bytes(array));
  return array;
}

Result<Array> read_idx_file(const std::filesystem::path& file, std::uint64_t memory) {
  const std::string place = fmt::format("idx: {}", file.string());
  WEFT_ASSIGN_OR_RETURN(std::string bytes, read_bytes(file, place, memory));
  return read_idx(std::move(bytes), place);
}

Result<Dataset> idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                    const ArrayOptions& options) {
  WEFT_ASSIGN_OR_RETURN(const Array inputs, read_idx_file(images, options.memory));
  if (labels.empty()) return dataset_of(inputs, nullptr, options);
  WEFT_ASSIGN_OR_RETURN(const Array targets, read_idx_file(labels, options.memory));
  return dataset_of(inputs, &targets, options);
}

}  // namespace weft::data
