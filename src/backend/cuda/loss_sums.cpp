// A stream beside that of the calls, and the sums' way there and back.
#include "src/backend/cuda/loss_sums.h"

namespace weft::cuda {

Status LossSums::begin(std::vector<SummedRun> runs) {
  WEFT_RETURN_IF_ERROR(stream_.open());
  WEFT_RETURN_IF_ERROR(ran_.open());
  runs_ = std::move(runs);
  added_ = 0;
  return copy_in(runs_, sent_, "sums of losses", stream_.get());
}

Status LossSums::add(std::int64_t calls, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(ran_.order(stream, stream_.get()));
  const std::int64_t first = std::exchange(added_, added_ + calls);
  return to_status(sum_losses(sent_.data(), runs_.size(), first, calls, stream_.get()), "adding up losses");
}

Result<std::span<const SummedRun>> LossSums::finish(std::string_view what) {
  WEFT_RETURN_IF_ERROR(to_status(cudaMemcpyAsync(runs_.data(), sent_.data(), runs_.size() * sizeof(SummedRun),
                                                 cudaMemcpyDeviceToHost, stream_.get()),
                                 what));
  WEFT_RETURN_IF_ERROR(to_status(cudaStreamSynchronize(stream_.get()), what));
  return std::span<const SummedRun>(runs_);
}

}  // namespace weft::cuda
