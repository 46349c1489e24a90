// Cutting a fleet's calls into pieces, launching them all and reading each while the next run.
#include "src/backend/cuda/chip_fleet.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/backend/cuda/call_arrays.h"

namespace weft::cuda {
namespace {

// A piece's losses are read while the next one runs, which takes longer where it is not much smaller; when the last has
// run, little is left to be read.
constexpr std::int64_t kShareOfRest = 4;
constexpr std::int64_t kLeastCalls = 1024;  // of a piece: a launch takes as long as some ten calls

/// Appends the elements if that very array is not there yet.
template <typename From, typename To>
void add(std::span<const From> array, std::map<std::pair<const void*, std::size_t>, std::size_t>& places,
         std::vector<To>& sent) {
  if (!places.emplace(std::pair(static_cast<const void*>(array.data()), array.size()), sent.size()).second) return;
  std::transform(array.begin(), array.end(), std::back_inserter(sent),
                 [](From element) { return static_cast<To>(element); });
}

template <typename T>
std::size_t place(std::span<const T> array, const std::map<std::pair<const void*, std::size_t>, std::size_t>& places) {
  return places.at({array.data(), array.size()});
}

}  // namespace

ChipFleet::~ChipFleet() {
  if (reading_ != nullptr) cudaStreamDestroy(reading_);
  for (kernels::CallOutcome* memory : pinned_) cudaFreeHost(memory);
}

Status ChipFleet::run(std::span<const Part> parts) {
  const cudaStream_t stream = parts.front().chip->stream();
  for (const Part& part : parts) WEFT_RETURN_IF_ERROR(CallArrays::check(*part.calls));
  WEFT_RETURN_IF_ERROR(send(parts, stream));
  std::vector<Piece> pieces = cut(parts);
  WEFT_RETURN_IF_ERROR(open(pieces.size()));
  // The launches come after all that the members' streams have; before what they get, the host has waited.
  for (const Part& part : parts.subspan(1)) WEFT_RETURN_IF_ERROR(joined_.order(part.chip->stream(), stream));
  WEFT_RETURN_IF_ERROR(launch(pieces, stream));
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (at == 0) WEFT_RETURN_IF_ERROR(start_reading(pieces[at], at));
    if (at + 1 < pieces.size()) WEFT_RETURN_IF_ERROR(start_reading(pieces[at + 1], at + 1));
    WEFT_RETURN_IF_ERROR(read_[at].wait(fmt::format("'{}'", parts.front().chip->title())));
    const kernels::CallOutcome* outcome = pinned_[at % 2];
    for (const std::span<CallLoss> losses : pieces[at].losses)
      for (CallLoss& loss : losses) loss = to_loss(*outcome++);
  }
  return {};
}

Status ChipFleet::send(std::span<const Part> parts, cudaStream_t stream) {
  orders_.clear(), rates_.clear();
  order_sent_.clear(), rates_sent_.clear();
  for (const Part& part : parts) {
    add(part.calls->order, orders_, order_sent_);
    add(part.calls->rates, rates_, rates_sent_);
  }
  WEFT_RETURN_IF_ERROR(copy_in(order_sent_, order_, "the orders of a fleet's samples", stream));
  return copy_in(rates_sent_, rate_, "the learning rates of a fleet", stream);
}

std::vector<ChipFleet::Piece> ChipFleet::cut(std::span<const Part> parts) const {
  std::int64_t longest = 0;
  for (const Part& part : parts) longest = std::max(longest, part.calls->count());
  std::vector<Piece> pieces;
  std::int64_t each = 0;
  for (std::int64_t first = 0; first < longest; first += each) {
    each = std::max(kLeastCalls, (longest - first) / kShareOfRest);
    Piece piece;
    if (!pieces.empty()) piece.outcomes = pieces.back().outcomes + pieces.back().count;
    for (const auto& [chip, run] : parts) {
      const std::int64_t count = std::min(each, run->count() - first);
      if (count <= 0) continue;
      DeviceCalls calls = CallArrays::sizes(*run);
      calls.order = order_.data() + place(run->order, orders_);
      calls.rates = rate_.data() + place(run->rates, rates_);
      calls = calls.after(first);
      calls.count = static_cast<std::int32_t>(count);
      piece.parts.push_back({chip, calls});
      piece.losses.push_back(run->losses.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
      piece.count += static_cast<std::size_t>(count);
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

Status ChipFleet::open(std::size_t pieces) {
  if (reading_ == nullptr)
    WEFT_RETURN_IF_ERROR(to_status(cudaStreamCreateWithFlags(&reading_, cudaStreamNonBlocking), "making a stream"));
  WEFT_RETURN_IF_ERROR(joined_.open());
  for (std::vector<Event>* events : {&trained_, &read_}) {
    if (events->size() < pieces) events->resize(pieces);
    for (Event& event : *events) WEFT_RETURN_IF_ERROR(event.open());
  }
  return {};
}

Status ChipFleet::launch(std::vector<Piece>& pieces, cudaStream_t stream) {
  const Piece& last = pieces.back();
  WEFT_RETURN_IF_ERROR(outcomes_.reserve(last.outcomes + last.count, "the losses of a fleet"));
  members_sent_.clear();
  std::size_t most = 0;
  for (Piece& piece : pieces) {
    kernels::CallOutcome* at = outcomes_.data() + piece.outcomes;
    for (Chip::Part& part : piece.parts) {
      part.calls.outcomes = at;
      at += part.calls.count;
    }
    piece.members = members_sent_.size();
    Chip::describe_members(piece.parts, members_sent_);
    most = std::max(most, piece.count);
  }
  if (most > pinned_size_) {
    pinned_size_ = 0;
    for (kernels::CallOutcome*& memory : pinned_) {
      cudaFreeHost(std::exchange(memory, nullptr));
      if (cudaHostAlloc(reinterpret_cast<void**>(&memory), most * sizeof(kernels::CallOutcome), cudaHostAllocDefault) !=
          cudaSuccess) {
        cudaGetLastError();  // not a fault: the device goes on as before
        return {StatusCode::kResourceExhausted,
                fmt::format("cuda: the losses of a fleet need {} bytes that do not move",
                            most * sizeof(kernels::CallOutcome))};
      }
    }
    pinned_size_ = most;
  }
  WEFT_RETURN_IF_ERROR(copy_in(members_sent_, members_, "what blocks need", stream));
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    WEFT_RETURN_IF_ERROR(Chip::launch(pieces[at].parts, members_.data() + pieces[at].members, stream));
    WEFT_RETURN_IF_ERROR(trained_[at].record(stream));
  }
  return {};
}

Status ChipFleet::start_reading(const Piece& piece, std::size_t at) {
  WEFT_RETURN_IF_ERROR(trained_[at].hold(reading_));
  WEFT_RETURN_IF_ERROR(
      to_status(cudaMemcpyAsync(pinned_[at % 2], outcomes_.data() + piece.outcomes,
                                piece.count * sizeof(kernels::CallOutcome), cudaMemcpyDeviceToHost, reading_),
                "reading the losses of a fleet"));
  return read_[at].record(reading_);
}

}  // namespace weft::cuda
