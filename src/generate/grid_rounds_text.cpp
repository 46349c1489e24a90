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
    if (const auto end = to_end_.find(key); end != to_end_.end()) {
      line("{}", end->second);
      to_end_.erase(end);
    }
    if (!there_.contains(key)) {
      // Its source was written in this very interval, by this block.
      sync();
      if (is_told(slice)) {
        const WordGather gather = gather_of_words(key, at, "", at, kGridThreads);
        for (const std::string& text : {gather.declared, gather.wanted, gather.start, gather.end}) line("{}", text);
      } else {
        line("{}", gather_text(slice, slice_at(slice, at), slices_.at(key), false));
      }
      there_.insert(key);
    }
    wait = wait || !landed_.contains(key);
  }
  for (const std::size_t other : unsynced_) {
    if (counts(piece.work) && counts(steps_[other].piece->work)) continue;  // by one warp
    meet = meet || needs(at, other);
  }
  if (wait) {
    if (copying_) line("landed();");
    copying_ = false;
    landed_ = there_;
    for (const auto& [key, text] : to_end_) landed_.erase(key);
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

/// The steps of an interval from `at` to `end`, late ones or others, as far as they go.
std::size_t GridWriter::write_steps(std::size_t at, std::size_t end, bool late) {
  while (at < end && steps_[at].late == late) {
    if (element_width(*steps_[at].piece) > 0)
      at = write_group(at);
    else if (steps_[at].piece->work == GridWork::kResult)
      at = write_results(at);
    else
      write_alone(at++);
    if (interval_ == 0) share_numbers(at, end);
  }
  return at;
}

/// Lets all threads see the numbers behind which step `at` comes, where the rest of the interval needs one: once, so
/// that its pieces go together.
void GridWriter::share_numbers(std::size_t at, std::size_t end) {
  if (at == end || !counts(steps_[at - 1].piece->work) || counts(steps_[at].piece->work)) return;
  const auto needed = [&](std::size_t other) {
    for (std::size_t s = at; s < end; ++s)
      if (counts(steps_[other].piece->work) && needs(s, other)) return true;
    return false;
  };
  if (std::any_of(unsynced_.begin(), unsynced_.end(), needed)) sync();
}

/// The barrier that an interval begins with, if any, and its late steps, from `at` on, in the midst of it. Returns
/// whether all threads have met behind those.
bool GridWriter::write_meeting(std::size_t& at, std::size_t end) {
  const auto& needed = schedule_.intervals[static_cast<std::size_t>(interval_)].needed;
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
    line("const bool meets{} = {};", interval_, meets);
    meets = fmt::format("if (meets{}) ", interval_);
  }
  if (!needed.empty()) {
    line("{}barrier.arrive();", meets);
    unsynced_.clear();
    ++made_.barriers;
  }
  if (schedule_.settled == static_cast<std::size_t>(interval_)) {
    line("pace.wait();");
    unsynced_.clear();
  }
  at = write_steps(at, end, true);
  if (needed.empty()) return false;
  line("{}barrier.wait();", meets);
  if (!meets.empty()) sync();
  unsynced_.clear();
  return true;
}

/// The conditions under which alone the steps [first, end), and those up to `until` for which they gather, do anything.
std::vector<Predicate> GridWriter::common_conditions(std::size_t first, std::size_t end, std::size_t until) const {
  const auto from = steps_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto tells_parts = [](const Step& s) { return s.piece->work == GridWork::kSum; };  // others wait for them
  if (first == end || std::any_of(from, from + static_cast<std::ptrdiff_t>(end - first), tells_parts)) return {};
  std::vector<Predicate> common = steps_[first].piece->when;
  const auto keep = [&](const auto& test) { std::erase_if(common, [&](const Predicate& p) { return !test(p); }); };
  std::set<SliceVersion> gathered;
  for (std::size_t s = first; s < until; ++s) {
    const GridPiece& piece = *steps_[s].piece;
    for (const GridSlice& slice : slices(piece, s)) gathered.insert({slice, version(slice, s)});
    keep([&](const Predicate& p) { return !writes(piece, p.counter) && (s >= end || includes(piece.when, {p})); });
  }
  for (std::size_t s = end; s < steps_.size(); ++s)
    for (const GridSlice& slice : slices(*steps_[s].piece, s))
      if (gathered.contains({slice, version(slice, s)}))
        keep([&](const Predicate& p) { return includes(steps_[s].piece->when, {p}); });
  return common;
}

/// Begins what is done under a condition alone.
void GridWriter::open_if(const std::vector<Predicate>& when) {
  const bool seen = std::all_of(unsynced_.begin(), unsynced_.end(),
                                [&](std::size_t other) { return includes(steps_[other].piece->when, when); });
  if (!seen) sync();
  within_ = condition(when);
  line("if ({}) {{", within_);
  ++indent_;
}

/// Whether threads of a block may still read memory that the interval's gathers write.
bool GridWriter::may_still_read() const {
  return !shape_.roomy || met_in_ < interval_ - 1 || !(met_if_.empty() || met_if_ == within_);
}

/// How many blocks have counted in, asked for long before the end of the call.
void GridWriter::write_glance() {
  if (schedule_.settled == GridSchedule::kNever && !schedule_.remembers) line("const unsigned begun = pace.glance();");
}

void GridWriter::write_interval(int interval) {
  interval_ = interval;
  const bool last = interval + 1 == static_cast<int>(schedule_.intervals.size());
  std::size_t first = 0;
  while (first < steps_.size() && steps_[first].interval < interval) ++first;
  std::size_t at = first, end = first;
  while (end < steps_.size() && steps_[end].interval == interval) ++end;
  const bool met = interval == 0 || write_meeting(at, end);
  // All that the interval and the late work behind it need of other blocks is asked for at once; numbers come first.
  std::size_t numbers = at, until = end;
  while (interval > 0 && numbers < end && counts(steps_[numbers].piece->work)) ++numbers;
  while (until < steps_.size() && steps_[until].late && steps_[until].interval == interval + 1) ++until;
  if (last) write_early_asks();
  const std::vector<Predicate> common =
      interval > 1 && !met ? common_conditions(at, end, until) : std::vector<Predicate>();
  if (last && !common.empty()) write_glance();
  if (!common.empty()) open_if(common);
  std::vector<std::string> memory;
  const int by = numbers > at ? kGridThreads - 32 : kGridThreads;
  const std::vector<WordGather> gathers = write_gathers(first, numbers, until, by, memory);
  // Words of an earlier call are there, so it is no use to wait before asking.
  for (const WordGather& gather : gathers)
    if (gather.old) line("{}", gather.hurry);
  if (interval == 1) {
    write_prefetch("call + 1");
    write_list("listed", "call + 2");
    if (schedule_.settled == GridSchedule::kNever)
      line("pace.{}();", schedule_.remembers ? "arrive_alone" : "count_in");
  }
  if (!met && may_still_read()) sync();
  if (gathers.size() + (numbers - at) > 1)
    for (const WordGather& gather : gathers)
      if (!gather.old) line("{}", gather.hurry);
  for (const std::string& text : memory) line("{}", text);
  write_start_of_results(at, end);
  // Numbers were told before the rows that the gathers wait for.
  write_wait_for_sums(at, numbers);
  at = write_steps(at, numbers, false);
  for (const WordGather& gather : gathers) {
    if (interval == 0)
      to_end_[gather.key] = gather.end;  // what needs no other block's words comes first
    else
      line("{}", gather.end);
  }
  if (last && common.empty()) {
    write_glance();
    write_early_ends();
  }
  write_steps(at, end, false);
  for (const auto& [key, text] : to_end_) line("{}", text);
  to_end_.clear();
  if (!after_sync_.empty()) sync();
  if (common.empty()) return;
  --indent_;
  line("}}");
  within_.clear();
  if (last) write_early_ends();  // the next call needs it in any case
}

}  // namespace weft
