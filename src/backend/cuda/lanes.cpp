// Dealing tasks out to streams.
#include "src/backend/cuda/lanes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace weft::cuda {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Who touched a place last.
struct Touched {
  std::size_t written = kNone;
  std::vector<std::size_t> read;  // since then
};

/// The turns that each surely comes after, in their order.
std::vector<std::vector<std::size_t>> befores_of(std::span<const Turn> turns, const StepMemory& memory) {
  std::vector<std::vector<std::size_t>> befores(turns.size());
  std::map<const std::byte*, Touched> places;
  for (std::size_t at = 0; at < turns.size(); ++at) {
    const Task* const task = turns[at].task;
    const std::uint64_t clock = turns[at].call.clock;
    std::vector<std::size_t>& mine = befores[at];
    for (const Place& place : task->reads) {
      if (!place.present()) continue;
      Touched& touched = places[memory.at(place, clock)];
      if (touched.written != kNone) mine.push_back(touched.written);
    }
    for (const Place& place : task->writes) {
      if (!place.present()) continue;
      Touched& touched = places[memory.at(place, clock)];
      if (touched.written != kNone) mine.push_back(touched.written);
      mine.insert(mine.end(), touched.read.begin(), touched.read.end());
    }
    for (const Place& place : task->reads)
      if (place.present()) places[memory.at(place, clock)].read.push_back(at);
    for (const Place& place : task->writes)
      if (place.present()) places[memory.at(place, clock)] = {at, {}};
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
  return befores;
}

/// Of the turns that come after each, the one with the most turns behind it, one after the other; the first of equals.
std::vector<std::size_t> heirs_of(const std::vector<std::vector<std::size_t>>& befores) {
  std::vector<std::size_t> heirs(befores.size(), kNone), heights(befores.size(), 0);
  for (std::size_t at = befores.size(); at-- > 0;) {
    for (const std::size_t before : befores[at]) {
      if (heights[at] + 1 < heights[before]) continue;
      heights[before] = heights[at] + 1;
      heirs[before] = at;
    }
  }
  return heirs;
}

}  // namespace

std::vector<Seat> seat(std::span<const Turn> turns, const StepMemory& memory, std::size_t lanes) {
  const std::vector<std::vector<std::size_t>> befores = befores_of(turns, memory);
  const std::vector<std::size_t> heirs = heirs_of(befores);
  std::vector<Seat> seats(turns.size());
  std::array<std::size_t, kMostLanes> tail;  // the last turn of each lane
  tail.fill(kNone);
  // seen[turn][lane]: the first turn of that lane that `turn` does not surely come after.
  std::vector<std::array<std::size_t, kMostLanes>> seen(turns.size());

  for (std::size_t at = 0; at < turns.size(); ++at) {
    const std::vector<std::size_t>& after = befores[at];
    // Behind one that it comes after, that nothing follows yet and whose heir is seated or this one, in the first lane
    // if it can be. What comes after none keeps out of that lane once it is used: its tasks are waited for.
    std::size_t lane = kNone;
    for (const std::size_t before : after)
      if (tail[seats[before].lane] == before && heirs[before] <= at) lane = std::min(lane, seats[before].lane);
    for (std::size_t each = 0; each < lanes && lane == kNone; ++each)
      if (tail[each] == kNone) lane = each;
    if (lane == kNone) {
      const auto first = tail.begin() + (lanes > 1 ? 1 : 0), last = tail.begin() + static_cast<std::ptrdiff_t>(lanes);
      lane = static_cast<std::size_t>(std::min_element(first, last) - tail.begin());
    }

    Seat& mine = seats[at];
    mine.lane = lane;
    auto& known = seen[at];
    known.fill(0);
    if (tail[lane] != kNone) known = seen[tail[lane]];
    for (auto before = after.rbegin(); before != after.rend(); ++before) {
      const std::size_t other = seats[*before].lane;
      if (other == lane || *before < known[other]) continue;
      mine.waits.push_back(*before);
      seats[*before].waited_for = true;
      for (std::size_t each = 0; each < lanes; ++each) known[each] = std::max(known[each], seen[*before][each]);
    }
    known[lane] = at + 1;
    tail[lane] = at;
  }
  return seats;
}

}  // namespace weft::cuda
