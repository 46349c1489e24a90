// Copying samples to a GPU.
#include "src/backend/cuda/rows.h"

namespace weft::cuda {
namespace {

Status copy(const void* from, std::int64_t elements, std::string_view what, DeviceArray<float>& to,
            cudaStream_t stream) {
  const auto count = static_cast<std::size_t>(elements);
  WEFT_RETURN_IF_ERROR(to.reserve(count, what));
  return to_status(cudaMemcpyAsync(to.data(), from, count * sizeof(float), cudaMemcpyHostToDevice, stream),
                   fmt::format("copying {}", what));
}

}  // namespace

Result<std::unique_ptr<DeviceRows>> DeviceRows::make(const SampleRows& rows, int device, cudaStream_t stream) {
  auto held = std::make_unique<DeviceRows>(rows, device);
  WEFT_RETURN_IF_ERROR(
      copy(rows.inputs, rows.count * rows.input_elements, "the inputs of all samples", held->inputs_, stream));
  WEFT_RETURN_IF_ERROR(
      copy(rows.targets, rows.count * rows.target_elements, "the targets of all samples", held->targets_, stream));
  WEFT_RETURN_IF_ERROR(to_status(cudaStreamSynchronize(stream), "copying samples"));
  return held;
}

DeviceRows::~DeviceRows() {
  // cudaFree takes any pointer, but makes a context on the current device of the thread if it has none.
  cudaSetDevice(device_);
}

}  // namespace weft::cuda
