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

}  // namespace

std::vector<Seat> seat(std::span<const Turn> turns, const StepMemory& memory, std::size_t lanes) {
  std::vector<Seat> seats(turns.size());
  std::map<const std::byte*, Touched> places;
  std::array<std::size_t, kMostLanes> tail;  // the last turn of each lane
  tail.fill(kNone);
  // seen[turn][lane]: the first turn of that lane that `turn` does not surely come after.
  std::vector<std::array<std::size_t, kMostLanes>> seen(turns.size());

  for (std::size_t at = 0; at < turns.size(); ++at) {
    const auto& [task, clock] = turns[at];
    std::vector<std::size_t> after;
    for (const Place& place : task->reads) {
      if (!place.present()) continue;
      Touched& touched = places[memory.at(place, clock)];
      if (touched.written != kNone) after.push_back(touched.written);
    }
    for (const Place& place : task->writes) {
      if (!place.present()) continue;
      Touched& touched = places[memory.at(place, clock)];
      if (touched.written != kNone) after.push_back(touched.written);
      after.insert(after.end(), touched.read.begin(), touched.read.end());
    }
    for (const Place& place : task->reads)
      if (place.present()) places[memory.at(place, clock)].read.push_back(at);
    for (const Place& place : task->writes)
      if (place.present()) places[memory.at(place, clock)] = {at, {}};

    // Behind one that it comes after and that nothing follows yet, in the first lane if it can be. What comes after
    // none keeps out of that lane once it is used: its tasks are waited for.
    std::size_t lane = kNone;
    for (const std::size_t before : after)
      if (tail[seats[before].lane] == before) lane = std::min(lane, seats[before].lane);
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
    std::sort(after.begin(), after.end());
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
