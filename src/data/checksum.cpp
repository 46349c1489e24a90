// Numbers folded into 64 bits, in the manner of FNV-1a, by words instead of bytes.
#include "src/data/checksum.h"

#include <bit>
#include <cmath>

namespace weft::data {
namespace {

class Checksum {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15;  // odd, so that no two states become one
    state_ ^= state_ >> 32;
  }
  void add(const Tensor& numbers) {
    for (const std::int64_t axis : numbers.shape().axes()) add(static_cast<std::uint64_t>(axis));
    constexpr std::uint64_t kMissing = 0x7fc00000;  // a NaN, whatever its bits
    for (const float x : numbers.values<float>()) add(std::isnan(x) ? kMissing : std::bit_cast<std::uint32_t>(x));
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

std::uint64_t checksum_of(const Dataset& dataset, std::span<const std::int32_t> labels) {
  Checksum checksum;
  checksum.add(dataset.inputs);
  checksum.add(labels.size());
  for (const std::int32_t label : labels) checksum.add(static_cast<std::uint32_t>(label));
  if (dataset.targets.shape().rank() == 2) checksum.add(dataset.targets);
  return checksum.value();
}

}  // namespace weft::data
