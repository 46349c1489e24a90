// The text of a call's intervals: what is asked for when, where threads meet, and then piece by piece.
#include <fmt/format.h>

#include <algorithm>

#include "src/generate/grid_writer.h"

namespace weft {

/// What has to be seen to before the step: slices landed, what other threads wrote.
void GridWriter::before(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  bool wait = false, meet = false;
  for (const GridSlice& slice : slices(piece, at)) {
    const std::pair key{slice, version(slice, at)};
    if (!slices_.contains(key)) continue;
    if (!there_.contains(key)) {
      // Its source was written in this very interval, by this block.
      sync();
      if (is_told(slice))
        line("{}", write_gather_of_words(slice, slice_at(slice, at), slices_.at(key), "", at).end);
      else
        line("{}", gather_text(slice, slice_at(slice, at), slices_.at(key), false));
      there_.insert(key);
    }
    wait = wait || !landed_.contains(key);
  }
  for (const std::size_t other : unsynced_) {
    const GridPiece& before = *steps_[other].piece;
    if (counts(piece.work) && counts(before.work)) continue;  // by one warp
    for (const GridAccess& a : piece.accesses)
      for (const GridAccess& b : before.accesses) meet = meet || touch(a, b);
  }
  if (wait) {
    if (copying_) line("landed();");
    copying_ = false;
    landed_ = there_;
  }
  if (wait || meet) sync();
}

void GridWriter::write_alone(std::size_t at) {
  before(at);
  const GridPiece& piece = *steps_[at].piece;
  switch (piece.work) {
    case GridWork::kTileProduct: write_tile_product(at); break;
    case GridWork::kWeights: write_weights(at); break;
    case GridWork::kBias: write_bias(at); break;
    case GridWork::kResult: write_result(at); break;
    case GridWork::kNumber: write_number(piece); break;
    case GridWork::kWholeRows: write_whole_rows(at); break;
    case GridWork::kSum:
      if (piece.owner == GridOwner::kRows)
        write_cross_entropy(at);
      else
        write_sum_of_tile(at);
      break;
    default: write_tile_elements(at); break;
  }
  unsynced_.push_back(at);
}

/// Starts gathering what the steps from `first` to `until` need of other blocks, all at once. The interval's steps
/// start with `begin`.
std::vector<GridWriter::WordGather> GridWriter::write_gathers(std::size_t begin, std::size_t first, std::size_t until,
                                                              std::vector<std::string>& memory) {
  std::vector<WordGather> ends;
  for (std::size_t s = first; s < until; ++s) {
    for (const GridSlice& slice : slices(*steps_[s].piece, s)) {
      const std::pair key{slice, version(slice, s)};
      if (!slices_.contains(key) || there_.contains(key)) continue;
      bool written = false;
      for (std::size_t w = first; w < s; ++w)
        for (const GridAccess& a : steps_[w].piece->accesses)
          written = written || (a.writes && a.object == slice.buffer);
      if (written) continue;
      if (is_told(slice))
        ends.push_back(write_gather_of_words(slice, slice_at(slice, s), slices_.at(key), wanted(key, begin), first));
      else
        memory.push_back(gather_text(slice, slice_at(slice, s), slices_.at(key), false, wanted(key, begin)));
      there_.insert(key);
    }
  }
  return ends;
}

void GridWriter::write_interval(int interval) {
  const auto first = static_cast<std::size_t>(
      std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return s.interval == interval; }) -
      steps_.begin());
  std::size_t at = first, end = first;
  while (end < steps_.size() && steps_[end].interval == interval) ++end;
  const auto write = [&](bool late) {
    while (at < end && steps_[at].late == late) {
      if (element_width(*steps_[at].piece) > 0)
        at = write_group(at);
      else
        write_alone(at++);
    }
  };
  bool met = interval == 0;
  if (interval > 0) {
    const auto& needed = schedule_.intervals[static_cast<std::size_t>(interval)].needed;
    std::string meets;
    for (const auto& one : needed) {
      if (one.empty()) {
        meets.clear();
        break;
      }
      meets += fmt::format("{}({})", meets.empty() ? "" : " || ", condition(one));
    }
    if (!meets.empty()) {
      sync();
      line("const bool meets{} = {};", interval, meets);
      meets = fmt::format("if (meets{}) ", interval);
    }
    if (!needed.empty()) {
      line("{}barrier.arrive();", meets);
      unsynced_.clear();
      ++made_.barriers;
    }
    if (schedule_.settled == static_cast<std::size_t>(interval)) {
      line("pace.wait();");
      unsynced_.clear();
    }
    write(true);
    if (!needed.empty()) {
      line("{}barrier.wait();", meets);
      if (!meets.empty()) sync();
      unsynced_.clear();
      met = true;
    }
  }
  // All that the interval and the work after it need of other blocks, at once.
  std::size_t after = at, until = end;
  if (interval > 0)
    while (after < end && counts(steps_[after].piece->work)) ++after;
  while (until < steps_.size() && steps_[until].late && steps_[until].interval == interval + 1) ++until;
  std::vector<std::string> memory;
  const std::vector<WordGather> gathers = write_gathers(first, after, until, memory);
  // Words of an earlier call are there, so it is no use to wait before asking.
  for (const WordGather& gather : gathers)
    if (gather.old) line("{}", gather.hurry);
  if (interval == 1) {
    write_prefetch("call + 1");
    write_list("listed", "call + 2");
    if (schedule_.settled == GridSchedule::kNever)
      line("pace.{}();", schedule_.remembers ? "arrive_alone" : "count_in");
  }
  if (!met) sync();  // others may still read what was gathered before
  if (gathers.size() + (after - at) > 1)
    for (const WordGather& gather : gathers)
      if (!gather.old) line("{}", gather.hurry);
  for (const std::string& text : memory) line("{}", text);
  for (std::size_t s = at; s < end; ++s)
    if (steps_[s].piece->work == GridWork::kResult) write_start_of_result(s);
  // Numbers were told before the rows that the gathers wait for.
  while (at < after) write_alone(at++);
  for (const WordGather& gather : gathers) line("{}", gather.end);
  const bool last = interval + 1 == static_cast<int>(schedule_.intervals.size());
  if (last && schedule_.settled == GridSchedule::kNever && !schedule_.remembers)
    line("const unsigned begun = pace.glance();");
  write(false);
  if (!after_sync_.empty()) sync();
}

}  // namespace weft
