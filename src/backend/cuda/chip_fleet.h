// ChipFleet: networks of one kernel that train in common launches, a block for each. Orders and rates that are the same
// place in the caller's memory go to the GPU once, and losses come back while the next calls run.
#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "src/backend/cuda/chip.h"
#include "src/backend/cuda/event.h"

namespace weft::cuda {

class ChipFleet {
 public:
  struct Part {
    Chip* chip;
    const CallRun* calls;
  };

  ChipFleet() = default;
  ~ChipFleet();
  ChipFleet(const ChipFleet&) = delete;
  ChipFleet& operator=(const ChipFleet&) = delete;

  /// Runs all calls of all parts, one at least, and tells their losses. The chips have one kernel() and lie on one GPU,
  /// which is the thread's. Errors: as Backend::run_calls.
  Status run(std::span<const Part> parts);

 private:
  /// Where the GPU has an array of the caller's, in elements.
  using Places = std::map<std::pair<const void*, std::size_t>, std::size_t>;

  /// Calls [first, first + each) of every part that has so many, in one launch.
  struct Piece {
    std::vector<Chip::Part> parts;
    std::vector<std::span<CallLoss>> losses;  // of each part
    std::size_t members = 0;                  // bytes from the start of members_
    std::size_t outcomes = 0, count = 0;      // elements of outcomes_
  };

  Status send(std::span<const Part> parts, cudaStream_t stream);
  std::vector<Piece> cut(std::span<const Part> parts) const;
  Status launch(std::vector<Piece>& pieces, cudaStream_t stream);
  Status start_reading(const Piece& piece, std::size_t at);
  Status open(std::size_t pieces);

  Places orders_, rates_;
  std::vector<std::int32_t> order_sent_;
  std::vector<float> rates_sent_;
  std::vector<std::byte> members_sent_;
  DeviceArray<std::int32_t> order_;
  DeviceArray<float> rate_;
  DeviceArray<std::byte> members_;
  DeviceArray<kernels::CallOutcome> outcomes_;

  cudaStream_t reading_ = nullptr;
  std::vector<Event> trained_, read_;  // by piece
  Event joined_;
  std::array<kernels::CallOutcome*, 2> pinned_{};  // the host's memory of a piece's outcomes, in turn
  std::size_t pinned_size_ = 0;
};

}  // namespace weft::cuda
