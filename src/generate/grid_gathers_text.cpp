// The text of gathering what other blocks have told, for an interval or, ahead of it, for the next call.
#include <fmt/format.h>

#include <algorithm>

#include "src/generate/grid_writer.h"

namespace weft {

/// Starts gathering what the steps from `first` to `until` need of other blocks, all at once. The interval's steps
/// start with `begin`. `memory`: what is copied from buffers, yet to be started.
std::vector<GridWriter::WordGather> GridWriter::write_gathers(std::size_t begin, std::size_t first, std::size_t until,
                                                              int by, std::vector<std::string>& memory) {
  std::vector<WordGather> gathers;
  for (std::size_t s = first; s < until; ++s) {
    for (const GridSlice& slice : slices(*steps_[s].piece, s)) {
      const SliceVersion key{slice, version(slice, s)};
      if (!slices_.contains(key) || there_.contains(key)) continue;
      bool written = false;
      for (std::size_t w = first; w < s; ++w) written = written || writes(*steps_[w].piece, slice.buffer);
      if (written) continue;
      there_.insert(key);
      if (!is_told(slice)) {
        memory.push_back(gather_text(slice, slice_at(slice, s), slices_.at(key), false, wanted(key, begin)));
        continue;
      }
      WordGather gather = gather_of_words(key, s, wanted(key, begin), first, by);
      if (is_early(slice, s)) {
        write_first_of_early(gather);
        continue;
      }
      for (const std::string& text : {gather.declared, gather.wanted, gather.start}) line("{}", text);
      gathers.push_back(std::move(gather));
    }
  }
  return gathers;
}

GridWriter::WordGather GridWriter::gather_of_words(const SliceVersion& key, std::size_t reader, const std::string& when,
                                                   std::size_t at, int by) {
  const GridSlice& slice = key.first;
  const GridRoom& room = slices_.at(key);
  const int n = notice(slice.buffer, slice.lag), t = slice.tiling;
  const int width = slice.side == GridSide::kWhole ? room.columns : homes_[slice.buffer].width;
  std::string from = fmt::format("notice{}.at()", n), rows = std::to_string(batch_), columns, only;
  switch (slice.side) {
    case GridSide::kAlongN: from += fmt::format(" + tile{}.row", t), columns = fmt::format("tile{}.rows", t); break;
    case GridSide::kAlongK:
      from += fmt::format(" + tile{}.column", t), columns = fmt::format("tile{}.columns", t);
      break;
    default: rows = std::to_string(room.rows), columns = std::to_string(room.columns), only = "rows > 0";
  }
  if (only.empty()) only = fmt::format("tile{}.any()", t);
  if (!when.empty()) only += " && " + when;
  // The warp that makes numbers is left out unless the others would get much more to do.
  constexpr int kFew = 4;
  if (div_up(room.rows * round_up(room.columns, 4) / 4, kGridThreads) > kFew) by = kGridThreads;
  if (by < kGridThreads) only += fmt::format(" && threadIdx.x < {}", by);
  const std::string name = fmt::format("gather{}", values_++), if_wanted = fmt::format("if ({}_wanted) {}", name, name);
  bool old = true;
  for (std::size_t s = 0; s < at; ++s) old = old && !tells(*steps_[s].piece, n);
  return {.key = key,
          .declared = fmt::format("WordGather<{}, {}, {}, {}, {}, {}> {};", room.rows, round_up(room.columns, 4),
                                  room.lead, notice_at(n).lead, width % 4 != 0, by, name),
          .wanted = fmt::format("const bool {}_wanted = {};", name, only),
          .start = fmt::format("{}.start({}, {}, {}, notice{}.mark());", if_wanted, from, rows, columns, n),
          .hurry = if_wanted + ".hurry();",
          .end = fmt::format("{}.end({});", if_wanted, slice_at(slice, reader)),
          .old = old};
}

/// Whether a call can fetch the slice for the next one, whose first interval reads it: nothing tells a version of it
/// from the last interval on.
bool GridWriter::is_early(const GridSlice& slice, std::size_t at) const {
  const int last = static_cast<int>(schedule_.intervals.size()) - 1;
  const int n = notice(slice.buffer, slice.lag);
  if (last == 0 || steps_[at].interval != 0 || slice.side == GridSide::kRows || n < 0) return false;
  const auto too_late = [&](const Step& s) { return (s.interval == 0 || s.interval == last) && tells(*s.piece, n); };
  return std::none_of(steps_.begin(), steps_.end(), too_late) && wanted({slice, version(slice, at)}, 0).empty();
}

/// What the first call needs is fetched before it.
void GridWriter::write_first_of_early(const WordGather& gather) {
  std::string text;
  for (const std::string& one : {gather.declared, gather.wanted, gather.start, gather.end}) text += "  " + one + '\n';
  text_.insert(loop_at_, text + "  __syncthreads();\n");
  early_.push_back(gather);
  landed_.insert(gather.key);
}

void GridWriter::write_early_asks() {
  for (const WordGather& gather : early_) {
    line("{}", gather.start);
    line("{}", gather.hurry);
  }
}

void GridWriter::write_early_ends() {
  for (const WordGather& gather : early_) line("{}", gather.end);
}

}  // namespace weft
