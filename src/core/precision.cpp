// Precisions by name.
#include "weft/precision.hpp"

#include <array>

#include "src/core/names.h"

namespace weft {
namespace {

constexpr std::array<NameRow<Precision>, 3> kNames{
    {{"fp32", Precision::kFloat32}, {"tf32", Precision::kTf32}, {"bf16", Precision::kBfloat16}}};

}  // namespace

std::string_view to_string(Precision precision) { return kNames[static_cast<std::size_t>(precision)].spelling; }

Result<Precision> parse_precision(std::string_view name) { return parse_name<Precision>("precision", name, kNames); }

}  // namespace weft
