// Making tasks: what may be dropped, what may be fused, what has to wait for what.
#include "src/generate/tasks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace weft {
namespace {

using Key = std::pair<BufferId, std::int64_t>;  // a buffer and, in a ring, the age of the slot

struct Access {
  int task = 0, level = 0;
  bool writes = false, aligned = false;
};

bool elementwise(Opcode op, Loss loss) {
  switch (op) {
    case Opcode::kDelta:
    case Opcode::kApply:
    case Opcode::kScale:
    case Opcode::kSubtract:
    case Opcode::kZero:
    case Opcode::kScaleRows:
    case Opcode::kAscend:
    case Opcode::kRms:
    case Opcode::kClip:
    case Opcode::kIsFinite:
    case Opcode::kLinkBudget: return true;
    case Opcode::kLossGap: return !takes_rows(op, loss);
    default: return false;
  }
}

class Maker {
 public:
  Maker(const Program& program, const BufferTable& buffers, const Layout& layout)
      : program_(program), buffers_(buffers), layout_(layout), code_(program.code) {}

  Tasks make() {
    result_.decisions.resize(code_.size());
    for (const Instruction& instruction : code_) views_.push_back(views(instruction));
    for (int i = 0; i < size(); ++i) place(i);
    for (int i = 0; i < size(); ++i) mark_stored(i);
    mark_slopes();
    for (const Task& task : result_.tasks) result_.levels = std::max(result_.levels, task.level + 1);
    for (const Reduction& reduction : result_.reductions)
      result_.levels = std::max(result_.levels, reduction.level + 3);
    return std::move(result_);
  }

 private:
  int size() const { return static_cast<int>(code_.size()); }
  const Instruction& at(int i) const { return code_[static_cast<std::size_t>(i)]; }
  const std::vector<OperandView>& views_of(int i) const { return views_[static_cast<std::size_t>(i)]; }
  Decision& role(int i) { return result_.decisions[static_cast<std::size_t>(i)]; }
  Task& task(int t) { return result_.tasks[static_cast<std::size_t>(t)]; }

  Key key(Operand operand) const { return {operand.buffer, operand.lag % buffers_[operand.buffer].slots}; }

  bool writes(int i, Key wanted) const {
    return std::any_of(views_of(i).begin(), views_of(i).end(),
                       [&](const OperandView& view) { return view.writes && key(view.operand) == wanted; });
  }
  bool writes_counter(int from, int to, BufferId counter) const {  // strictly between the two
    for (int i = from + 1; i < to; ++i)
      if (writes(i, {counter, 0})) return true;
    return false;
  }
  bool stands_under(int i, const Predicate& predicate) const {
    return std::find(at(i).when.begin(), at(i).when.end(), predicate) != at(i).when.end();
  }

  /// Whether `j` is sure not to see what `i` wrote to the place, since `k` overwrote it whenever j runs.
  bool covers(int i, int k, int j, Key place) const {
    if (reads_outputs(at(k))) return false;
    const auto wrote = [&](int which) -> std::int64_t {
      for (const OperandView& view : views_of(which))
        if (view.writes && key(view.operand) == place) return view.rows * view.cols;
      return 0;
    };
    if (wrote(k) < std::max<std::int64_t>(wrote(i), 1)) return false;
    return std::all_of(at(k).when.begin(), at(k).when.end(), [&](const Predicate& predicate) {
      return !predicate.present() || (stands_under(j, predicate) && !writes_counter(k - 1, j, predicate.counter));
    });
  }
  bool sees(int i, int j, Key place) const {
    for (int k = i + 1; k < j; ++k)
      if (covers(i, k, j, place)) return false;
    return true;
  }

  /// visit(j) for the later instructions that may read what `i` wrote to the place, as an operand or (by_guard) as a
  /// counter in memory.
  template <typename Visit>
  void for_each_reader(int i, Key place, Visit visit) const {
    for (int j = i + 1; j < size(); ++j) {
      bool reads = std::any_of(views_of(j).begin(), views_of(j).end(), [&](const OperandView& view) {
        return key(view.operand) == place && (!view.writes || reads_outputs(at(j)));
      });
      const bool by_guard = std::any_of(at(j).when.begin(), at(j).when.end(), [&](const Predicate& predicate) {
        return predicate.present() && Key{predicate.counter, 0} == place;
      });
      if ((reads || by_guard) && sees(i, j, place)) visit(j, reads);
    }
  }

  bool is_scratch(Key place) const {
    return buffers_[place.first].role == Role::kScratch && place.first != program_.loss_value &&
           place.first != program_.loss_finite;
  }

  bool may_drop(int i, const Predicate& predicate) const {
    if (at(i).op == Opcode::kWeightGrad || at(i).op == Opcode::kBiasGrad) return false;  // they wait for it anyway
    for (const OperandView& view : views_of(i)) {
      if (!view.writes) continue;
      const Key place = key(view.operand);
      if (!is_scratch(place)) return false;
      bool all = true;
      for_each_reader(i, place, [&](int j, bool) {
        all = all && stands_under(j, predicate) && !writes_counter(i, j, predicate.counter);
      });
      if (!all) return false;
    }
    return true;
  }

  /// The reduction that last made the counter, in every call; -1 where there is none.
  int maker_of(int i, BufferId counter) {
    for (int k = i - 1; k >= 0; --k) {
      if (!writes(k, {counter, 0})) continue;
      return sums_of(at(k).op) > 0 && role(k).guards.empty() ? role(k).reduction : -1;
    }
    return -1;
  }

  std::vector<Guard> guards_of(int i) {
    std::vector<Guard> guards;
    for (const Predicate& predicate : at(i).when) {
      if (!predicate.present()) continue;
      const int reduction = maker_of(i, predicate.counter);
      if (reduction >= 0 && may_drop(i, predicate)) continue;
      guards.push_back({predicate, reduction});
    }
    return guards;
  }

  /// The smallest level of instruction i after what other tasks than `own` do.
  int base_level(int i, int own) {
    int level = 0;
    const bool reduces = sums_of(at(i).op) > 0;
    const auto after = [&](Key place, bool writes, int later) {
      for (const Access& access : accesses_[place]) {
        if (access.task == own && access.level < kNumberLevel) continue;
        const int done = access.level % kNumberLevel;
        if (access.writes || writes) level = std::max(level, done + 1 - later);
      }
    };
    for (const OperandView& view : views_of(i)) {
      const bool number = view.form == OperandView::Form::kNumber;
      after(key(view.operand), view.writes, view.writes && number && reduces ? 2 : 0);
    }
    for (const Guard& guard : role(i).guards) {
      if (guard.reduction >= 0)
        level = std::max(level, result_.reductions[static_cast<std::size_t>(guard.reduction)].level + 2);
      else
        after({guard.predicate.counter, 0}, false, 0);
    }
    return level;
  }

  Extent extent_of(int i) const {
    const Instruction& instruction = at(i);
    if (takes_rows(instruction.op, program_.loss)) return {instruction.m, 1};
    Extent extent = result_of(instruction);
    if (instruction.op == Opcode::kProject) {  // flat: takes the shape of its result
      const OnChip& to = layout_[instruction.out[0].buffer];
      if (std::int64_t{to.rows} * to.cols == extent.cols) extent = {to.rows, to.cols};
    }
    return extent;
  }

  /// Whether instruction i may follow what is in task t, element by element.
  bool may_join(int i, int t) {
    if (!elementwise(at(i).op, program_.loss)) return false;
    const Extent mine = extent_of(i), theirs = task(t).extent;
    if (mine.rows != theirs.rows || mine.cols != theirs.cols) return false;
    for (const OperandView& view : views_of(i)) {
      for (const int k : task(t).code) {
        for (const OperandView& other : views_of(k)) {
          if (key(view.operand) != key(other.operand) || !(view.writes || other.writes)) continue;
          if (!view.aligned || !other.aligned || takes_rows(at(k).op, program_.loss)) return false;
          // Where k did not run, i must not run either, or it would find what k did not write.
          if (!view.writes && !std::all_of(role(k).guards.begin(), role(k).guards.end(), [&](const Guard& guard) {
                return std::find(role(i).guards.begin(), role(i).guards.end(), guard) != role(i).guards.end();
              }))
            return false;
        }
      }
    }
    return base_level(i, t) <= task(t).level;
  }

  /// The task that i joins, or -1.
  int host_of(int i) {
    int best = -1;
    for (const OperandView& view : views_of(i)) {
      if (!view.aligned) continue;
      for (const Access& access : accesses_[key(view.operand)])
        if (access.writes && access.task > best && may_join(i, access.task)) best = access.task;
    }
    return best;
  }

  void place(int i) {
    role(i).guards = guards_of(i);
    int t = host_of(i);
    if (t < 0) {
      t = static_cast<int>(result_.tasks.size());
      result_.tasks.push_back({{}, extent_of(i), base_level(i, -1)});
    }
    role(i).task = t;
    task(t).code.push_back(i);
    const int level = task(t).level;
    const bool reduces = sums_of(at(i).op) > 0;
    if (reduces) {
      role(i).reduction = static_cast<int>(result_.reductions.size());
      result_.reductions.push_back({i, level});
    }
    for (const OperandView& view : views_of(i)) {
      const bool late = reduces && view.writes && view.form == OperandView::Form::kNumber;
      const bool both = view.writes && reads_outputs(at(i));
      accesses_[key(view.operand)].push_back(
          {t, late ? level + 2 + kNumberLevel : level, view.writes || both, view.aligned});
    }
    for (const Guard& guard : role(i).guards) {
      if (guard.reduction < 0)
        accesses_[{guard.predicate.counter, 0}].push_back(
            {t, (reduces ? level + 2 : level) + kNumberLevel, false, false});
    }
  }

  void mark_stored(int i) {
    for (const OperandView& view : views_of(i)) {
      if (!view.writes) continue;
      const Key place = key(view.operand);
      bool wanted = !is_scratch(place);
      for_each_reader(i, place, [&](int j, bool as_operand) {
        if (as_operand) wanted = wanted || role(j).task != role(i).task;
        for (const Guard& guard : role(j).guards)
          wanted = wanted || (guard.reduction < 0 && Key{guard.predicate.counter, 0} == place);
      });
      role(i).stored[static_cast<std::size_t>(view.place)] = wanted;
    }
  }

  /// Where all that reads the z of some forwards are deltas of their activation, the forwards can take the slope: each
  /// thread then has one element, and it is ready before it is wanted.
  void mark_slopes() {
    for (BufferId id = 0; id < buffers_.size(); ++id) {
      if (!layout_.has(id) || !is_scratch({id, 0})) continue;
      std::vector<int> users;
      bool fits = true;
      std::optional<Activation> activation;
      for (int i = 0; i < size(); ++i) {
        for (const OperandView& view : views_of(i)) {
          if (view.operand.buffer != id) continue;
          const bool as_z = at(i).op == Opcode::kForward
                                ? view.writes && view.place == 0
                                : at(i).op == Opcode::kDelta && !view.writes && view.place == 1;
          fits = fits && as_z && activation.value_or(at(i).activation) == at(i).activation;
          activation = at(i).activation;
          users.push_back(i);
        }
      }
      if (!fits || activation.value_or(Activation::kLinear) == Activation::kLinear) continue;
      for (const int i : users) role(i).slope = true;
    }
  }

  // Marks levels of accesses that an own task is not exempt from: they come later than its level.
  static constexpr int kNumberLevel = 1 << 20;

  const Program& program_;
  const BufferTable& buffers_;
  const Layout& layout_;
  const std::vector<Instruction>& code_;
  std::vector<std::vector<OperandView>> views_;
  std::map<Key, std::vector<Access>> accesses_;
  Tasks result_;
};

}  // namespace

int sums_of(Opcode op) {
  switch (op) {
    case Opcode::kLossGap:
    case Opcode::kRms:
    case Opcode::kClip:
    case Opcode::kIsFinite: return 1;
    case Opcode::kLinkBudget: return 3;
    default: return 0;
  }
}

bool is_product(Opcode op) {
  return op == Opcode::kForward || op == Opcode::kGradInput || op == Opcode::kWeightGrad || op == Opcode::kUpdate;
}

bool takes_rows(Opcode op, Loss loss) {
  return op == Opcode::kSoftmax || op == Opcode::kSoftmaxGrad || op == Opcode::kRowDot ||
         (op == Opcode::kLossGap && loss == Loss::kCrossEntropy);
}

Tasks make_tasks(const Program& program, const BufferTable& buffers, const Layout& layout) {
  return Maker(program, buffers, layout).make();
}

}  // namespace weft
