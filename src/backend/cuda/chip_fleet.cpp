// A fleet's orders and rates sent, its calls launched, their losses added up.
#include "src/backend/cuda/chip_fleet.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/backend/cuda/call_arrays.h"
#include "src/backend/cuda/pieces.h"

namespace weft::cuda {

Status ChipFleet::run(std::span<const Part> parts) {
  const Chip& first = *parts.front().chip;
  WEFT_ASSIGN_OR_RETURN(const std::vector<Chip::Part> all, reserve(parts));
  std::vector<SummedRun> runs;
  for (std::size_t i = 0; i < all.size(); ++i)
    runs.push_back({all[i].calls.outcomes, all[i].calls.count, *parts[i].calls->losses});
  WEFT_RETURN_IF_ERROR(sums_.begin(std::move(runs)));
  WEFT_RETURN_IF_ERROR(train(all, first.stream()));
  WEFT_ASSIGN_OR_RETURN(const auto done, sums_.finish(fmt::format("'{}'", first.title())));
  for (std::size_t i = 0; i < parts.size(); ++i) *parts[i].calls->losses = done[i].losses;
  return {};
}

Result<std::vector<Chip::Part>> ChipFleet::reserve(std::span<const Part> parts) {
  orders_.clear(), rates_.clear();
  std::size_t count = 0;
  for (const Part& part : parts) {
    WEFT_RETURN_IF_ERROR(CallArrays::check(*part.calls));
    orders_.add(part.calls->order), rates_.add(part.calls->rates);
    count += part.calls->rates.size();
  }
  WEFT_RETURN_IF_ERROR(orders_.reserve("the orders of a fleet's samples"));
  WEFT_RETURN_IF_ERROR(rates_.reserve("the learning rates of a fleet"));
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(count, "the losses of a fleet"));
  kernels::CallOutcome* outcomes = outcomes_.data();
  std::vector<Chip::Part> all;
  for (const auto& [chip, run] : parts) {
    DeviceCalls calls = CallArrays::sizes(*run);
    calls.order = orders_.at(run->order);
    calls.rates = rates_.at(run->rates);
    calls.outcomes = outcomes;
    outcomes += calls.count;
    all.push_back({chip, calls});
  }
  return all;
}

std::vector<Chip::Part> ChipFleet::cut(std::span<const Chip::Part> all, std::int32_t first, std::int32_t count) {
  std::vector<Chip::Part> piece;
  for (const auto& [chip, run] : all) {
    if (run.count <= first) continue;
    DeviceCalls calls = run.after(first);
    calls.count = std::min(count, run.count - first);
    piece.push_back({chip, calls});
  }
  return piece;
}

Status ChipFleet::train(std::span<const Chip::Part> all, cudaStream_t stream) {
  WEFT_RETURN_IF_ERROR(aside_.open());
  WEFT_RETURN_IF_ERROR(sent_.open());
  std::int32_t longest = 0;
  for (const Chip::Part& part : all) longest = std::max(longest, part.calls.count);
  const std::vector<std::int32_t> pieces = pieces_of(longest);
  const std::size_t room = all.size() * all.front().chip->member_bytes();
  WEFT_RETURN_IF_ERROR(members_.reserve(pieces.size() * room, "what blocks need"));
  std::byte* members = members_.data();
  std::int32_t first = 0;
  for (const std::int32_t count : pieces) {
    const std::vector<Chip::Part> piece = cut(all, first, count);
    WEFT_RETURN_IF_ERROR(send(piece, first, count, members));
    WEFT_RETURN_IF_ERROR(sent_.order(aside_.get(), stream));
    WEFT_RETURN_IF_ERROR(Chip::launch(piece, members, stream));
    WEFT_RETURN_IF_ERROR(sums_.add(count, stream));
    first += count, members += room;
  }
  return {};
}

Status ChipFleet::send(std::span<const Chip::Part> piece, std::int32_t first, std::int32_t count, std::byte* members) {
  const cudaStream_t stream = aside_.get();
  members_sent_.clear();
  Chip::describe_members(piece, members_sent_);
  WEFT_RETURN_IF_ERROR(upload_.send(std::span<const std::byte>(members_sent_), members, "what blocks need", stream));
  const auto batch = static_cast<std::size_t>(piece.front().calls.batch);  // that of all: the kernel has it
  const auto from = static_cast<std::size_t>(first), calls = static_cast<std::size_t>(count);
  WEFT_RETURN_IF_ERROR(orders_.send(from * batch, calls * batch, upload_, "the orders of a fleet's samples", stream));
  return rates_.send(from, calls, upload_, "the learning rates of a fleet", stream);
}

}  // namespace weft::cuda
