// Ordering pieces.
#include "src/generate/grid_schedule.h"

#include <algorithm>

#include "src/generate/grid_needs.h"

namespace weft {
namespace {

class Scheduler {
 public:
  Scheduler(const Program& program, const GridHomes& homes, const BufferTable& buffers)
      : program_(program), homes_(homes), buffers_(buffers), pieces_(grid_pieces(program, homes)) {}

  GridSchedule run() {
    order();
    if (schedule_.intervals.size() > 1) postpone();
    return std::move(schedule_);
  }

 private:
  /// Whether `later` has to wait for `earlier`.
  bool depends(const GridPiece& later, const GridPiece& earlier) const {
    for (const GridAccess& a : later.accesses)
      for (const GridAccess& b : earlier.accesses)
        if (touch(a, b)) return !exclusive(program_, later, earlier);
    return false;
  }
  /// Whether a barrier has to lie between them where both run.
  bool apart(const GridPiece& a, const GridPiece& b) const { return !exclusive(program_, a, b) && across(a, b); }

  /// Whether the piece may run though the predicate does not hold: what it writes is then read by nobody.
  bool may_ignore(const GridPiece& piece, const Predicate& predicate) const {
    const auto at = static_cast<std::size_t>(piece.instruction);
    const Instruction& i = program_.code[at];
    for (const GridAccess& a : piece.accesses) {
      if (!a.writes || a.object >= kGridPassed) continue;
      if (counts(piece.work) && buffers_[a.object].role == Role::kScratch && !reads_outputs(i) &&
          unread_without(a.object, at, predicate))
        continue;
      if (buffers_[a.object].role != Role::kScratch || reads_outputs(i) || homes_[a.object].home != GridHome::kRows)
        return false;
      if (i.op == Opcode::kCopyColumns || i.op == Opcode::kRowDot) return false;  // they write a part
      if (!unread_without(a.object, at, predicate)) return false;
    }
    return true;
  }
  /// Whether all that reads what instruction `from` left in the buffer is under the predicate too.
  bool unread_without(BufferId buffer, std::size_t from, const Predicate& predicate) const {
    for (std::size_t r = from + 1; r < program_.code.size(); ++r) {
      const Instruction& reader = program_.code[r];
      const bool reads =
          std::any_of(reader.in.begin(), reader.in.end(), [&](const Operand& in) { return in.buffer == buffer; }) ||
          (sets(reader, buffer) && reads_outputs(reader)) ||
          std::any_of(reader.when.begin(), reader.when.end(),
                      [&](const Predicate& p) { return p.present() && p.counter == buffer; });
      if (!reads) continue;
      // The writer nearest before it that runs whenever it does.
      bool shielded = false, still = true;
      for (std::size_t w = r; w-- > from + 1 && !shielded;) {
        const Instruction& writer = program_.code[w];
        shielded = sets(writer, buffer) && !reads_outputs(writer) && writer.op != Opcode::kCopyColumns &&
                   writer.op != Opcode::kRowDot && includes_all(r, w);
      }
      if (shielded) continue;
      for (std::size_t s = from + 1; s < r; ++s) still = still && !sets(program_.code[s], predicate.counter);
      const bool under = std::find(reader.when.begin(), reader.when.end(), predicate) != reader.when.end();
      if (!under || !still) return false;
    }
    return true;
  }
  bool includes_all(std::size_t reader, std::size_t writer) const {
    for (const Predicate& predicate : program_.code[writer].when) {
      if (!predicate.present()) continue;
      const auto& when = program_.code[reader].when;
      if (std::find(when.begin(), when.end(), predicate) == when.end()) return false;
      for (std::size_t s = writer; s < reader; ++s)
        if (sets(program_.code[s], predicate.counter)) return false;
    }
    return true;
  }

  void order() {
    std::vector<bool> done(pieces_.size(), false), told = done;  // told: before this interval
    std::size_t left = pieces_.size();
    schedule_.intervals.emplace_back();
    const auto ready = [&](std::size_t p, const GridPiece& as) {
      for (std::size_t before = 0; before < p; ++before)
        if (!done[before] && depends(as, pieces_[before])) return false;
      const GridInterval& now = schedule_.intervals.back();
      return std::none_of(now.pieces.begin(), now.pieces.end(),
                          [&](const GridPiece& other) { return apart(as, other); });
    };
    const auto take = [&](std::size_t p, GridPiece as) {
      done[p] = true;
      --left;
      schedule_.intervals.back().pieces.push_back(std::move(as));
    };
    const auto next_of = [&](bool ignoring, bool number) {
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        if (done[p] || counts(pieces_[p].work) != number) continue;
        GridPiece as = pieces_[p];
        if (number) drop(as, told, p);  // side by side with what sets the condition
        if (ignoring && !drop(as, done, p)) continue;
        if (!ready(p, as)) continue;
        take(p, std::move(as));
        return true;
      }
      return false;
    };
    // Numbers first, so that threads meet once behind all of them.
    const auto next = [&](bool ignoring) { return next_of(ignoring, true) || next_of(ignoring, false); };
    while (left > 0) {
      if (next(false) || next(true)) continue;
      schedule_.intervals.emplace_back();
      told = done;
    }
  }
  static bool only_passes(const GridPiece& piece) {
    return std::none_of(piece.accesses.begin(), piece.accesses.end(),
                        [](const GridAccess& a) { return a.writes && a.object < kGridPassed; });
  }
  /// Takes away the conditions whose counters are not known yet, where the piece may do without. False: none.
  bool drop(GridPiece& piece, const std::vector<bool>& done, std::size_t at) const {
    bool dropped = false;
    for (std::size_t c = piece.when.size(); c-- > 0;) {
      const Predicate predicate = piece.when[c];
      bool waits = false;
      for (std::size_t before = 0; before < at; ++before) {
        if (done[before]) continue;
        for (const GridAccess& a : pieces_[before].accesses)
          waits = waits || (a.writes && a.object == predicate.counter);
      }
      // Pieces of opposite conditions may come in any order, so none of them may run without its own; but sums are
      // nobody else's.
      if (!waits || (has_opposite(program_, predicate) && !only_passes(piece)) || !may_ignore(piece, predicate))
        continue;
      piece.when.erase(piece.when.begin() + static_cast<std::ptrdiff_t>(c));
      const auto look = std::find_if(piece.accesses.begin(), piece.accesses.end(),
                                     [&](const GridAccess& a) { return a.object == predicate.counter && !a.writes; });
      piece.accesses.erase(look);
      dropped = true;
    }
    return dropped;
  }

  /// What the next interval does not wait for runs while the blocks wait for each other.
  void postpone() {
    for (std::size_t t = 0; t + 1 < schedule_.intervals.size(); ++t) {
      GridInterval& now = schedule_.intervals[t];
      GridInterval& next = schedule_.intervals[t + 1];
      std::vector<GridPiece> kept, late;
      for (auto p = now.pieces.rbegin(); p != now.pieces.rend(); ++p) {
        const auto needed = [&](const GridPiece& other) { return depends(other, *p) || depends(*p, other); };
        const auto clash = [&](const GridPiece& other) { return apart(other, *p); };
        const bool stays = counts(p->work) || std::any_of(kept.begin(), kept.end(), needed) ||
                           std::any_of(next.pieces.begin(), next.pieces.end(), clash);
        (stays ? kept : late).push_back(*p);
      }
      // An interval that only waits has nothing to send: its work stays where it is.
      if (kept.empty()) continue;
      now.pieces.assign(kept.rbegin(), kept.rend());
      next.late.assign(late.rbegin(), late.rend());
    }
  }

  const Program& program_;
  const GridHomes& homes_;
  const BufferTable& buffers_;
  std::vector<GridPiece> pieces_;
  GridSchedule schedule_;
};

}  // namespace

GridSchedule grid_schedule(const Program& program, const GridHomes& homes, const BufferTable& buffers, int blocks) {
  GridSchedule schedule = Scheduler(program, homes, buffers).run();
  std::vector<const GridPiece*> steps;
  for (const GridInterval& interval : schedule.intervals) {
    for (const GridPiece& piece : interval.late) steps.push_back(&piece);
    for (const GridPiece& piece : interval.pieces) steps.push_back(&piece);
  }
  schedule.board = GridBoard::make(program, homes, buffers, blocks, steps);
  find_needs(program, buffers, schedule);
  return schedule;
}

}  // namespace weft
