// Copying samples to where a GPU reads them.
#include "src/backend/metal/rows.h"

#include <cstring>

#include "src/backend/metal/pool.h"

namespace weft::metal {
namespace {

Status copy(const void* from, std::int64_t elements, std::string_view what, const Device& device, Array<float>& to) {
  const auto count = static_cast<std::size_t>(elements);
  WEFT_RETURN_IF_ERROR(to.reserve(device, count, what));
  if (count != 0) std::memcpy(to.data(), from, count * sizeof(float));
  return {};
}

}  // namespace

Result<std::unique_ptr<MetalRows>> MetalRows::make(const SampleRows& rows, const Device& device) {
  auto held = std::make_unique<MetalRows>(rows);
  WEFT_RETURN_IF_ERROR(
      copy(rows.inputs, rows.count * rows.input_elements, "the inputs of all samples", device, held->inputs_));
  WEFT_RETURN_IF_ERROR(
      copy(rows.targets, rows.count * rows.target_elements, "the targets of all samples", device, held->targets_));
  return held;
}

MetalRows::~MetalRows() {
  const Pool pool;
  inputs_ = {}, targets_ = {};
}

}  // namespace weft::metal
