// Cutting instructions into pieces, and ordering them.
#include "src/generate/grid_schedule.h"

#include <algorithm>
#include <array>

namespace weft {
namespace {

bool opposite(const Predicate& a, const Predicate& b) {
  const auto one_is = [&](Predicate::Test test) { return a.test == test || b.test == test; };
  return a.counter == b.counter && one_is(Predicate::Test::kNonZero) && one_is(Predicate::Test::kZero);
}

bool sets(const Instruction& i, BufferId buffer) {
  return std::any_of(i.out.begin(), i.out.end(), [&](const Operand& out) { return out.buffer == buffer; });
}

class Scheduler {
 public:
  Scheduler(const Program& program, const GridHomes& homes, const BufferTable& buffers)
      : program_(program), homes_(homes), buffers_(buffers) {}

  GridSchedule run() {
    for (std::size_t i = 0; i < program_.code.size(); ++i) expand(static_cast<std::int32_t>(i));
    order();
    if (schedule_.intervals.size() > 1) postpone();
    find_needs();
    schedule_.barrier_at_end = schedule_.intervals.size() == 1 || wraps();
    return std::move(schedule_);
  }

 private:
  GridHome home(const Operand& operand) const {
    return operand.present() ? homes_[operand.buffer].home : GridHome::kUnused;
  }

  // ---- cutting ----

  GridPiece piece(GridWork work, GridOwner owner, std::int32_t at) const {
    GridPiece made{work, owner, at, {}, {}};
    for (const Predicate& predicate : program_.code[static_cast<std::size_t>(at)].when) {
      if (!predicate.present()) continue;
      made.when.push_back(predicate);
      made.accesses.push_back({predicate.counter, false, false});
    }
    return made;
  }
  void access(GridPiece& piece, const Operand& operand, bool writes) const {
    if (!operand.present() || home(operand) == GridHome::kArgument) return;
    const GridOwner owner = home(operand) == GridHome::kRows     ? GridOwner::kRows
                            : home(operand) == GridHome::kTiles  ? GridOwner::kTiles
                            : home(operand) == GridHome::kVector ? GridOwner::kVector
                                                                 : GridOwner::kEvery;
    const bool remote = owner != GridOwner::kEvery && owner != piece.owner;
    piece.accesses.push_back({operand.buffer, writes, remote});
  }

  void expand(std::int32_t at) {
    const Instruction& i = program_.code[static_cast<std::size_t>(at)];
    const auto read = [&](GridPiece& p, std::initializer_list<int> operands) {
      for (const int o : operands) access(p, i.in[static_cast<std::size_t>(o)], false);
    };
    const auto write = [&](GridPiece& p, std::initializer_list<int> operands) {
      for (const int o : operands) access(p, i.out[static_cast<std::size_t>(o)], true);
    };
    const auto add = [&](GridPiece p) { pieces_.push_back(std::move(p)); };
    switch (i.op) {
      case Opcode::kForward:
      case Opcode::kGradInput:
      case Opcode::kTargetBelow: {
        if (homes_.tiling_of(i.in[1].buffer).thin) {
          GridPiece p = piece(GridWork::kThinProduct, GridOwner::kRows, at);
          read(p, {0, 1, 2}), write(p, {0, 1, 2});
          return add(p);
        }
        GridPiece tile = piece(GridWork::kTileProduct, GridOwner::kTiles, at);
        read(tile, {0, 1});
        tile.accesses.push_back({kGridPassed + at, true, false});
        add(tile);
        GridPiece rest = piece(GridWork::kReduce, GridOwner::kRows, at);
        rest.accesses.push_back({kGridPassed + at, false, true});
        read(rest, {2}), write(rest, {0, 1, 2});
        return add(rest);
      }
      case Opcode::kWeightGrad:
      case Opcode::kUpdate: {
        GridPiece p = piece(GridWork::kWeights, GridOwner::kTiles, at);
        read(p, {0, 1}), write(p, {0});
        return add(p);
      }
      case Opcode::kBiasGrad:
      case Opcode::kBiasUpdate: {
        GridPiece p = piece(GridWork::kBias, GridOwner::kVector, at);
        read(p, {0}), write(p, {0});
        return add(p);
      }
      case Opcode::kLossGap:
      case Opcode::kRms:
      case Opcode::kClip:
      case Opcode::kIsFinite:
      case Opcode::kLinkBudget: {
        GridPiece sum = piece(GridWork::kSum, owner_of(i.in[0]), at);
        read(sum, {0, 1});
        if (i.op == Opcode::kLossGap) write(sum, {0});
        sum.accesses.push_back({kGridPassed + at, true, false});
        add(sum);
        GridPiece result = piece(GridWork::kResult, GridOwner::kEvery, at);
        result.accesses.push_back({kGridPassed + at, false, true});
        if (i.op == Opcode::kLossGap)
          write(result, {1, 2});
        else
          write(result, {0, 1});
        return add(result);
      }
      case Opcode::kRatio:
      case Opcode::kCount:
      case Opcode::kSet:
      case Opcode::kEquals:
      case Opcode::kRefresh: {
        GridPiece p = piece(GridWork::kNumber, GridOwner::kEvery, at);
        read(p, {0, 1, 2}), write(p, {0});
        return add(p);
      }
      default: {
        const bool whole = i.op == Opcode::kSoftmax || i.op == Opcode::kSoftmaxGrad || i.op == Opcode::kRowDot;
        GridPiece p = piece(whole ? GridWork::kWholeRows : GridWork::kElements, owner_of(i.out[0]), at);
        read(p, {0, 1, 2}), write(p, {0, 1, 2});
        return add(p);
      }
    }
  }
  GridOwner owner_of(const Operand& operand) const {
    const GridHome where = home(operand);
    return where == GridHome::kTiles    ? GridOwner::kTiles
           : where == GridHome::kVector ? GridOwner::kVector
                                        : GridOwner::kRows;
  }

  // ---- ordering ----

  static bool touch(const GridAccess& a, const GridAccess& b) { return a.object == b.object && (a.writes || b.writes); }
  /// Whether `later` has to wait for `earlier`.
  bool depends(const GridPiece& later, const GridPiece& earlier) const {
    for (const GridAccess& a : later.accesses)
      for (const GridAccess& b : earlier.accesses)
        if (touch(a, b)) return !exclusive(program_, later, earlier);
    return false;
  }
  /// Whether a barrier has to lie between them where both run.
  bool apart(const GridPiece& a, const GridPiece& b) const { return !exclusive(program_, a, b) && across(a, b); }
  static bool across(const GridPiece& a, const GridPiece& b) {
    for (const GridAccess& x : a.accesses)
      for (const GridAccess& y : b.accesses)
        if (touch(x, y) && (x.remote || y.remote)) return true;
    return false;
  }

  /// Whether the piece may run though the predicate does not hold: what it writes is then read by nobody.
  bool may_ignore(const GridPiece& piece, const Predicate& predicate) const {
    const auto at = static_cast<std::size_t>(piece.instruction);
    const Instruction& i = program_.code[at];
    for (const GridAccess& a : piece.accesses) {
      if (!a.writes || a.object >= kGridPassed) continue;
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
          (sets(reader, buffer) && reads_outputs(reader));
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
    std::vector<bool> done(pieces_.size(), false);
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
    const auto next = [&](bool ignoring) {
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        if (done[p]) continue;
        GridPiece as = pieces_[p];
        if (ignoring && !drop(as, done, p)) continue;
        if (!ready(p, as)) continue;
        take(p, std::move(as));
        return true;
      }
      return false;
    };
    while (left > 0) {
      if (next(false) || next(true)) continue;
      schedule_.intervals.emplace_back();
    }
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
      // Pieces of opposite conditions may come in any order, so none of them may run without its own.
      if (!waits || has_opposite(program_, predicate) || !may_ignore(piece, predicate)) continue;
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
        const bool stays = p->work == GridWork::kResult || std::any_of(kept.begin(), kept.end(), needed) ||
                           std::any_of(next.pieces.begin(), next.pieces.end(), clash);
        (stays ? kept : late).push_back(*p);
      }
      // An interval that only waits has nothing to send: its work stays where it is.
      if (kept.empty()) continue;
      now.pieces.assign(kept.rbegin(), kept.rend());
      next.late.assign(late.rbegin(), late.rend());
    }
  }

  // ---- barriers that only some calls need ----

  struct Step {
    const GridPiece* piece;
    std::size_t interval;
    bool late;
    std::size_t after() const { return interval + 1; }                     // the first barrier behind it
    std::size_t before() const { return late ? interval - 1 : interval; }  // the last one before it
  };

  /// Those of the predicates whose counters no step from `first` to `last` changes.
  std::vector<Predicate> lasting(const std::vector<Predicate>& when, std::size_t first, std::size_t last) const {
    std::vector<Predicate> kept;
    for (const Predicate& p : when) {
      bool changes = false;
      for (std::size_t s = first; s <= last; ++s)
        for (const GridAccess& a : steps_[s].piece->accesses) changes = changes || (a.writes && a.object == p.counter);
      if (!changes && std::find(kept.begin(), kept.end(), p) == kept.end()) kept.push_back(p);
    }
    return kept;
  }
  static bool impossible(const std::vector<Predicate>& when) {
    return std::any_of(when.begin(), when.end(), [&](const Predicate& a) {
      return std::any_of(when.begin(), when.end(), [&](const Predicate& b) { return opposite(a, b); });
    });
  }
  /// Whether the barrier before that interval is there whenever all of `when` hold.
  bool meets(std::size_t interval, const std::vector<Predicate>& when) const {
    const auto& needed = schedule_.intervals[interval].needed;
    return std::any_of(needed.begin(), needed.end(), [&](const auto& one) { return includes(when, one); });
  }

  bool reads_alike(std::size_t c, std::size_t b) const {
    for (const GridAccess& x : steps_[c].piece->accesses)
      for (const GridAccess& y : steps_[b].piece->accesses)
        if (x.object == y.object && x.remote && y.remote && !x.writes && !y.writes) return true;
    return false;
  }

  void find_needs() {
    for (std::size_t t = 0; t < schedule_.intervals.size(); ++t) {
      for (const GridPiece& p : schedule_.intervals[t].late) steps_.push_back({&p, t, true});
      for (const GridPiece& p : schedule_.intervals[t].pieces) steps_.push_back({&p, t, false});
    }
    for (std::size_t b = 0; b < steps_.size(); ++b) {
      for (std::size_t a = b; a-- > 0;) {
        if (!apart(*steps_[a].piece, *steps_[b].piece)) continue;
        std::vector<Predicate> when = steps_[a].piece->when;
        when.insert(when.end(), steps_[b].piece->when.begin(), steps_[b].piece->when.end());
        when = lasting(when, a, b);
        if (impossible(when)) continue;
        // What an earlier piece has fetched is not fetched again.
        std::size_t before = steps_[b].before();
        for (std::size_t c = a + 1; c < b; ++c)
          if (reads_alike(c, b) && apart(*steps_[a].piece, *steps_[c].piece))
            before = std::min(before, steps_[c].before());
        bool met = false;
        for (std::size_t t = steps_[a].after(); t <= before; ++t) met = met || meets(t, when);
        if (!met) schedule_.intervals[before].needed.push_back(when);
      }
    }
  }

  /// Whether something that a call does clashes with something of the next one, no barrier between them.
  bool wraps() const {
    for (std::size_t a = 0; a < steps_.size(); ++a) {
      for (std::size_t b = 0; b < steps_.size(); ++b) {
        if (!across(*steps_[a].piece, *steps_[b].piece)) continue;
        bool met = false;
        for (std::size_t t = steps_[a].after(); t < schedule_.intervals.size(); ++t)
          met = met || meets(t, lasting(steps_[a].piece->when, a, steps_.size() - 1));
        for (std::size_t t = 1; t <= steps_[b].before(); ++t)
          met = met || meets(t, lasting(steps_[b].piece->when, 0, b));
        if (!met) return true;
      }
    }
    return false;
  }

  const Program& program_;
  const GridHomes& homes_;
  const BufferTable& buffers_;
  std::vector<GridPiece> pieces_;
  std::vector<Step> steps_;
  GridSchedule schedule_;
};

}  // namespace

bool exclusive(const Program& program, const GridPiece& a, const GridPiece& b) {
  const auto set_once = [&](BufferId counter) {
    return std::count_if(program.code.begin(), program.code.end(),
                         [&](const Instruction& i) { return sets(i, counter); }) <= 1;
  };
  for (const Predicate& x : a.when)
    for (const Predicate& y : b.when)
      if (opposite(x, y) && set_once(x.counter)) return true;
  return false;
}

bool has_opposite(const Program& program, const Predicate& predicate) {
  return std::any_of(program.code.begin(), program.code.end(), [&](const Instruction& i) {
    return std::any_of(i.when.begin(), i.when.end(),
                       [&](const Predicate& p) { return p.present() && opposite(p, predicate); });
  });
}

bool includes(const std::vector<Predicate>& reader, const std::vector<Predicate>& writer) {
  return std::all_of(writer.begin(), writer.end(), [&](const Predicate& predicate) {
    return std::find(reader.begin(), reader.end(), predicate) != reader.end();
  });
}

GridSchedule grid_schedule(const Program& program, const GridHomes& homes, const BufferTable& buffers) {
  return Scheduler(program, homes, buffers).run();
}

}  // namespace weft
