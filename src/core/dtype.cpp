// Names of dtypes and formats, from dtype.def.
#include "weft/dtype.hpp"

#include <array>

#include "src/core/names.h"

namespace weft {
namespace {

constexpr std::array kDTypes{
#define WEFT_DTYPE(identifier, name) NameRow<DType>{name, DType::identifier},
#include "weft/dtype.def"
#undef WEFT_DTYPE
};
constexpr std::array kFormats{
#define WEFT_FORMAT(identifier, name) NameRow<Format>{name, Format::identifier},
#include "weft/dtype.def"
#undef WEFT_FORMAT
};
static_assert(kDTypes.size() == kDTypeCount);
static_assert(kFormats.size() == kFormatCount);

}  // namespace

std::string_view to_string(DType dtype) {
  const auto i = static_cast<std::size_t>(dtype);
  return i < kDTypes.size() ? kDTypes[i].spelling : "unknown dtype";
}

std::string_view to_string(Format format) {
  const auto i = static_cast<std::size_t>(format);
  return i < kFormats.size() ? kFormats[i].spelling : "unknown format";
}

Result<DType> parse_dtype(std::string_view name) { return parse_name<DType>("dtype", name, kDTypes); }
Result<Format> parse_format(std::string_view name) { return parse_name<Format>("format", name, kFormats); }

std::size_t element_size(DType dtype) {
  if (dtype == DType::kFloat32) return sizeof(float);
  if (dtype == DType::kFloat64) return sizeof(double);
  return 0;
}

}  // namespace weft
