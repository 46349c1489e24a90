// Planning: a share for every task, and what lies idle meanwhile.
#include "src/generate/chip_plan.h"

#include <algorithm>

#include "src/generate/views.h"

namespace weft {
namespace {

constexpr std::int64_t kFewTerms = 16;  // of a sum that every thread can make for itself

class Planner {
 public:
  Planner(const Program& program, const Layout& layout, const Tasks& tasks, BlockShape block)
      : program_(program), layout_(layout), tasks_(tasks), block_(block) {}

  ChipPlan plan() {
    plan_.block = block_, plan_.floats = layout_.floats;
    for (const Task& task : tasks_.tasks) plan_.shares.push_back(share_of(task));
    int fewest = 0;
    for (int level = 0; level < tasks_.levels; ++level) {
      const int busy = begin_level(level);
      if (plan_.fetch_level < 0 || busy < fewest) plan_.fetch_level = level, fewest = busy;
    }
    plan_.fetch_first = fewest % block_.warps();
    const int items = pieces_of(layout_, BufferTable::kInput) + pieces_of(layout_, BufferTable::kTarget) + 1;
    plan_.fetch_warps = std::min(block_.warps(), (items + block_.lanes - 1) / block_.lanes);
    for (const Reduction& reduction : tasks_.reductions) place_sums(at(reduction.instruction));
    return std::move(plan_);
  }

 private:
  const Instruction& at(int i) const { return program_.code[static_cast<std::size_t>(i)]; }

  /// Whether four neighbours of a row may be read at a time; what lies behind the row's end is zero then.
  bool quads(Operand operand, std::int64_t cols) const { return layout_[operand.buffer].padded || cols % 4 == 0; }

  bool quad_elements(const Task& task) const {
    for (const int i : task.code) {
      if (at(i).op == Opcode::kProject || at(i).op == Opcode::kCopyColumns || at(i).op == Opcode::kTargetBelow ||
          at(i).op == Opcode::kBiasGrad || at(i).op == Opcode::kBiasUpdate)
        return false;
      for (const OperandView& view : views(at(i)))
        if (view.aligned && !quads(view.operand, task.extent.cols)) return false;
    }
    return true;
  }

  Product product_of(const Task& task) const {
    const Instruction& i = at(task.code.front());
    Product p{.op = i.op, .rows = static_cast<int>(task.extent.rows), .cols = static_cast<int>(task.extent.cols)};
    if (i.op == Opcode::kForward) {
      p.inner = static_cast<int>(i.k);
      p.quad_inner = quads(i.in[0], i.k) && quads(i.in[1], i.k);
      p.quad_cols = false;
    } else if (i.op == Opcode::kGradInput) {
      p.inner = static_cast<int>(i.n);
      const OnChip& w = layout_[i.in[1].buffer];
      p.quad_inner = quads(i.in[0], i.n) && (i.n % 4 == 0 || (w.padded && w.rows > 1));
      p.quad_cols = quads(i.in[1], i.k) && quad_elements(task);
    } else {
      p.inner = static_cast<int>(i.m);
      p.quad_rows = quads(i.in[0], i.n);
      p.quad_cols = quads(i.in[1], i.k) && quad_elements(task);
    }
    return p;
  }

  Share share_of(const Task& task) const {
    const Instruction& i = at(task.code.front());
    Share share;
    if (is_single(i.op)) {
      share.tile.cycles = 60.0;
      return share;
    }
    if (is_product(i.op)) {
      const Product product = product_of(task);
      share.tile = choose_tile(product, block_);
      share.wide = i.op == Opcode::kForward ? 1 : share.tile.cols;
      share.quad_inner = product.quad_inner ? 4 : 1;
      return share;
    }
    const int rows = static_cast<int>(task.extent.rows), cols = static_cast<int>(task.extent.cols);
    share.wide = !takes_rows(i.op, program_.loss) && quad_elements(task) && rows * cols > block_.threads ? 4 : 1;
    const int items = rows * ((cols + share.wide - 1) / share.wide);
    share.tile.tiles = (items + block_.lanes - 1) / block_.lanes;
    const int rounds = (share.tile.tiles + block_.warps() - 1) / block_.warps();
    share.tile.cycles = rounds * 70.0;
    if (takes_rows(i.op, program_.loss)) share.tile.cycles *= static_cast<double>(1 + i.n);
    return share;
  }

  /// Lets the level's tasks begin with one warp after the other; how many are busy.
  int begin_level(int level) {
    int next = 0;
    double longest = 0.0, all = 0.0;
    for (std::size_t t = 0; t < tasks_.tasks.size(); ++t) {
      if (tasks_.tasks[t].level != level) continue;
      Share& share = plan_.shares[t];
      share.first = next % block_.warps();
      next += share.tile.tiles;
      longest = std::max(longest, share.tile.cycles), all += share.tile.cycles;
    }
    plan_.cycles += (next > block_.warps() ? all : longest) + 15.0 + 0.06 * block_.threads;
    return next;
  }

  void place_sums(const Instruction& i) {
    const bool few = !takes_rows(i.op, program_.loss) && i.m * i.n <= kFewTerms;
    plan_.terms.push_back(few ? plan_.floats : -1);
    plan_.partials.push_back(plan_.floats);
    plan_.floats += whole_quads(few ? static_cast<int>(i.m * i.n) : block_.warps()) * sums_of(i.op);
  }

  const Program& program_;
  const Layout& layout_;
  const Tasks& tasks_;
  BlockShape block_;
  ChipPlan plan_;
};

}  // namespace

ChipPlan plan_chip(const Program& program, const Layout& layout, const Tasks& tasks, BlockShape block) {
  return Planner(program, layout, tasks, block).plan();
}

bool is_single(Opcode op) {
  return op == Opcode::kRatio || op == Opcode::kCount || op == Opcode::kSet || op == Opcode::kEquals ||
         op == Opcode::kRefresh;
}

int pieces_of(const Layout& layout, BufferId argument) {
  if (!layout.has(argument)) return 0;
  const OnChip& place = layout[argument];
  return place.rows * (place.cols % 4 == 0 ? place.cols / 4 : place.cols);
}

int whole_quads(int n) { return (n + 3) / 4 * 4; }

}  // namespace weft
