// Writing the kernel: state, parts, levels with barriers between them.
#include "src/generate/chip_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/core/try.h"
#include "src/generate/chip_plan.h"
#include "src/generate/kernel_text.h"
#include "src/generate/layout.h"
#include "src/generate/number_text.h"
#include "src/generate/part_text.h"
#include "src/generate/reduction_text.h"

namespace weft {
namespace {

constexpr int kSmallestBlock = 32;
constexpr std::size_t kMostCode = 400;  // instructions; beyond, the code would not stay in a multiprocessor's cache

class Writer {
 public:
  Writer(const Program& program, const BufferTable& buffers, const Layout& layout, const Tasks& tasks,
         const ChipPlan& plan)
      : source_{program, buffers, layout, tasks, plan.terms}, plan_(plan), block_(plan.block) {}

  std::string text() const {
    std::string parts, levels;
    for (std::size_t t = 0; t < tasks().size(); ++t) parts += task_part(static_cast<int>(t));
    for (int level = 0; level < source_.tasks.levels; ++level) levels += level_text(level);
    return fmt::format(R"(namespace weft {{
namespace chip {{

using namespace kernels;

struct State {{
{state}}};

{parts}
struct Chip {{
  using State = chip::State;
  WEFT_STATIC int kThreads = {threads}, kFloats = {floats}, kHeld = {held};
  WEFT_STATIC int kInputs = {inputs_at}, kTargets = {targets_at}, kRate = {rate_at};
  WEFT_STATIC int kSlots = {slots}, kBatch = {batch};
  using Who = Fetchers<{first}, {fetchers}, {warps}>;
  using Inputs = {inputs};
  using Targets = {targets};
  static WEFT_INLINE Kept kept(int b) {{
    switch (b) {{
{kept}    }}
  }}
  static WEFT_INLINE void begin(WEFT_OWN(State) s, uint64_t clock) {{
{begin}  }}
  static WEFT_INLINE void call(WEFT_OWN(State) s, WEFT_OWN(Fetch<Chip>) fetch) {{
{levels}{end}  }}
}};

}}  // namespace chip
}}  // namespace weft

WEFT_TRAIN(weft::chip::Chip, {threads}, {floats})
)",
                       fmt::arg("state", state_text()), fmt::arg("parts", parts), fmt::arg("threads", block_.threads),
                       fmt::arg("floats", plan_.floats), fmt::arg("inputs_at", argument_at(BufferTable::kInput)),
                       fmt::arg("targets_at", argument_at(BufferTable::kTarget)), fmt::arg("batch", layout().batch),
                       fmt::arg("slots", layout().batches), fmt::arg("inputs", rows_text(BufferTable::kInput)),
                       fmt::arg("targets", rows_text(BufferTable::kTarget)), fmt::arg("kept", kept_text()),
                       fmt::arg("rate_at", layout().rate), fmt::arg("first", plan_.fetch_first),
                       fmt::arg("fetchers", plan_.fetch_warps), fmt::arg("warps", block_.warps()),
                       fmt::arg("begin", slots_text(true)), fmt::arg("levels", levels),
                       fmt::arg("end", slots_text(false)), fmt::arg("held", held().size()));
  }

  std::vector<BufferId> held() const {
    std::vector<BufferId> ids;
    for (const OnChip& place : layout().places)
      if (place.kept) ids.push_back(place.buffer);
    return ids;
  }

 private:
  const Layout& layout() const { return source_.layout; }
  const std::vector<Task>& tasks() const { return source_.tasks.tasks; }
  const Instruction& at(int i) const { return source_.program.code[static_cast<std::size_t>(i)]; }
  const Decision& role(int i) const { return source_.tasks.decisions[static_cast<std::size_t>(i)]; }
  const Instruction& root(const Task& task) const { return at(task.code.front()); }
  const Share& share(std::size_t t) const { return plan_.shares[t]; }

  // ---- parts ----

  std::string task_part(int t) const {
    const Task& task = tasks()[static_cast<std::size_t>(t)];
    const Instruction& i = root(task);
    if (is_single(i.op)) return "";
    if (!takes_rows(i.op, source_.program.loss)) return part_text(source_, t, share(static_cast<std::size_t>(t)).wide);
    return fmt::format(R"(struct Part{} {{  // {} of {} rows
  WEFT_OWN(State) s;
  template <int N>
  struct Early {{}};
  template <int N>
  WEFT_INLINE void early(int, int, WEFT_OWN(Early<N>)) const {{}}
  template <int N>
  WEFT_INLINE void late(int row, int, WEFT_ARG(Early<N>), WEFT_ARG(Vec<N>)) const {{
    {}
  }}
}};
)",
                       t, to_string(i.op), i.m, row_text(task.code.front(), i));
  }

  std::string row_text(int n, const Instruction& i) const {
    const auto row = [&](Operand operand, std::int64_t cols) {
      return fmt::format("{} + row * {}", base_text(source_, operand), row_step(source_, operand, cols));
    };
    switch (i.op) {
      case Opcode::kSoftmax:
        return fmt::format("const Team one = alone();\n    softmax(one, 1, {}, {}, {});", i.n, row(i.in[0], i.n),
                           row(i.out[0], i.n));
      case Opcode::kSoftmaxGrad:
        return fmt::format("const Team one = alone();\n    softmax_grad(one, 1, {}, {}, {}, {});", i.n,
                           row(i.in[0], i.n), row(i.in[1], i.n), row(i.out[0], i.n));
      case Opcode::kRowDot:
        return fmt::format("const Team one = alone();\n    row_dot(one, 1, {}, {}, {}, Columns{{0, {}}}, {});", i.n,
                           row(i.in[0], i.n), row(i.in[1], i.n), i.out_at, row(i.out[0], i.width));
      default: {  // cross-entropy
        const bool gap = i.out[0].present();
        return fmt::format("s.sum{0}_0 += cross_entropy_row({1}, {2}, {3}, {4}, {5}, {6});", role(n).reduction, i.n,
                           float_text(static_cast<double>(i.m)), row(i.in[0], i.n), row(i.in[1], i.n), gap,
                           gap ? row(i.out[0], i.n) : "nullptr");
      }
    }
  }

  // ---- levels ----

  std::string level_text(int level) const {
    std::string text = fmt::format("    // level {}\n", level);
    const auto& reductions = source_.tasks.reductions;
    for (std::size_t r = 0; r < reductions.size(); ++r)
      if (reductions[r].level + 2 == level) text += result_text(source_, plan_, static_cast<int>(r));
    for (std::size_t r = 0; r < reductions.size(); ++r) {
      if (reductions[r].level != level || source_.terms[r] >= 0) continue;
      for (int k = 0; k < sums_of(at(reductions[r].instruction).op); ++k)
        text += fmt::format("    s.sum{}_{} = 0.0f;\n", r, k);
    }
    for (std::size_t t = 0; t < tasks().size(); ++t)
      if (tasks()[t].level == level) text += task_text(t);
    for (std::size_t r = 0; r < reductions.size(); ++r)
      if (reductions[r].level + 1 == level && source_.terms[r] < 0)
        text += partial_text(source_, plan_, static_cast<int>(r));
    if (level == plan_.fetch_level) text += "    fetch.next(s.me, s.a);\n";
    return level + 1 < source_.tasks.levels ? text + "    WEFT_BARRIER();\n" : text;
  }

  /// The guards that a whole task stands under; none where its instructions' own do, or where flags in registers are
  /// tested late, so that nothing waits for them.
  std::string task_guard(const Task& task) const {
    const std::vector<Guard>& guards = role(task.code.front()).guards;
    for (const int i : task.code)
      if (role(i).guards != guards || sums_of(at(i).op) > 0) return "";
    if (in_registers(guards)) return "";
    return guard_text(source_, guards);
  }

  std::string task_text(std::size_t t) const {
    const Task& task = tasks()[t];
    const Instruction& i = root(task);
    if (is_single(i.op)) return single_text(task.code.front(), i);
    const Share& share = plan_.shares[t];
    const Tile& tile = share.tile;
    const auto plan = [&](std::int64_t inner) {
      return fmt::format("Plan<{}, {}, {}, {}, {}, {}, {}, {}, {}>", task.extent.rows, task.extent.cols, inner,
                         tile.rows, tile.cols, tile.split, tile.across, share.first, block_.warps());
    };
    const auto base = [&](std::size_t in) { return base_text(source_, i.in[in]); };
    const auto step = [&](std::size_t in, std::int64_t cols) { return row_step(source_, i.in[in], cols); };
    std::string call;
    switch (i.op) {
      case Opcode::kForward:
        call = fmt::format("forward_tiles<{}, {}, {}, {}>(s.me, {}, {}, Part{}{{s}});", plan(i.k), share.quad_inner,
                           step(0, i.k), step(1, i.k), base(0), base(1), t);
        break;
      case Opcode::kGradInput:
        call = fmt::format("grad_input_tiles<{}, {}, {}, {}, {}>(s.me, {}, {}, Part{}{{s}});", plan(i.n), tile.cols,
                           share.quad_inner, step(0, i.n), step(1, i.k), base(0), base(1), t);
        break;
      case Opcode::kWeightGrad:
      case Opcode::kUpdate:
        call = fmt::format("gradient_tiles<{}, {}, {}, {}>(s.me, {}, {}, Part{}{{s}});", plan(i.m), tile.cols,
                           step(0, i.n), step(1, i.k), base(0), base(1), t);
        break;
      default:
        call = fmt::format("element_tiles<Elements<{}, {}, {}, {}, {}>, {}>(s.me, Part{}{{s}});", task.extent.rows,
                           task.extent.cols, share.wide, share.first, block_.warps(), share.wide, t);
    }
    const std::string guard = task_guard(task);
    return guard.empty() ? fmt::format("    {}\n", call) : fmt::format("    if ({}) {}\n", guard, call);
  }

  std::string single_text(int n, const Instruction& i) const {
    const auto number = [&](Operand operand) { return base_text(source_, operand); };
    const auto count = [&](Operand operand) { return fmt::format("*counter({})", number(operand)); };
    std::string body;
    switch (i.op) {
      case Opcode::kRatio:
        body = fmt::format("*({}) = {} * *({}) / *({});", number(i.out[0]), float_text(i.scale), number(i.in[0]),
                           number(i.in[1]));
        break;
      case Opcode::kCount: body = fmt::format("{} += 1;", count(i.out[0])); break;
      case Opcode::kSet: body = fmt::format("{} = {}u;", count(i.out[0]), i.value); break;
      case Opcode::kEquals:
        body = fmt::format("{} = {} == {}u ? 1 : 0;", count(i.out[0]), count(i.in[0]), i.value);
        break;
      default:
        body = fmt::format("refresh({}, {}u, {}, {}u, *({}), counter({}));", count(i.in[0]), i.period, count(i.in[1]),
                           i.value, number(i.in[2]), number(i.out[0]));
    }
    const std::string guard = guard_text(source_, role(n).guards);
    return fmt::format("    if (s.me.rank == 0{}) {}\n", guard.empty() ? "" : " && " + guard, body);
  }

  // ---- what surrounds the levels ----

  std::set<std::pair<int, int>> rings() const {  // slots, age
    std::set<std::pair<int, int>> found;
    for (const Instruction& i : source_.program.code) {
      for (const OperandView& view : views(i)) {
        const OnChip& place = layout()[view.operand.buffer];
        if (place.slots > 1 && view.operand.buffer > BufferTable::kTarget)
          found.insert({place.slots, view.operand.lag % place.slots});
      }
    }
    return found;
  }

  std::string state_text() const {
    std::string text = "  WEFT_SHARED(float) a;\n  Thread me;\n  int batch;\n  float loss;\n  bool finite;\n";
    for (const auto& [slots, age] : rings()) text += fmt::format("  int slot{}_{};\n", slots, age);
    for (std::size_t r = 0; r < source_.tasks.reductions.size(); ++r) {
      text += fmt::format("  bool flag{};\n", r);
      if (source_.terms[r] >= 0) continue;
      for (int k = 0; k < sums_of(at(source_.tasks.reductions[r].instruction).op); ++k)
        text += fmt::format("  float sum{}_{};\n", r, k);
    }
    return text;
  }

  std::string slots_text(bool begin) const {
    std::string text = begin ? "    s.loss = 0.0f, s.finite = true;\n" : "";
    for (const auto& [slots, age] : rings()) {
      if (begin)
        text += fmt::format("    s.slot{0}_{1} = static_cast<int>((clock % {0}u + {2}u) % {0}u);\n", slots, age,
                            slots - age);
      else
        text += fmt::format("    s.slot{0}_{1} = s.slot{0}_{1} + 1 == {0} ? 0 : s.slot{0}_{1} + 1;\n", slots, age);
    }
    return text;
  }

  int argument_at(BufferId id) const { return layout().has(id) ? layout()[id].at : 0; }

  std::string rows_text(BufferId id) const {
    if (!layout().has(id)) return "NoRows";
    const OnChip& place = layout()[id];
    const int threads = plan_.fetch_warps * block_.lanes;
    const int begin = id == BufferTable::kTarget ? pieces_of(layout(), BufferTable::kInput) % threads : 0;
    return fmt::format("Rows<{}, {}, {}, {}, {}>", place.rows, place.cols, place.ld, begin, threads);
  }

  std::string kept_text() const {
    std::vector<std::string> all;
    for (const OnChip& place : layout().places) {
      if (place.kept)
        all.push_back(fmt::format("return {{{}, {}, {}, {}, {}, {}, {}}};\n", place.at, place.rows, place.cols,
                                  place.ld, place.slots, place.slot, place.written));
    }
    std::string text;
    for (std::size_t b = 0; b < all.size(); ++b)
      text += b + 1 < all.size() ? fmt::format("      case {}: {}", b, all[b]) : "      default: " + all[b];
    return all.empty() ? "      default: return {};\n" : text;
  }

  TextSource source_;
  const ChipPlan& plan_;
  BlockShape block_;
};

std::int64_t bytes_of(const ChipPlan& plan) {
  return std::int64_t{plan.floats} * static_cast<std::int64_t>(sizeof(float));
}

/// For the block that is wanted; otherwise for the smallest, or a larger one that is faster and has room.
ChipPlan fastest_plan(const Program& program, const Layout& layout, const Tasks& tasks, const ChipOptions& options) {
  BlockShape block = options.block;
  if (block.threads > 0) return plan_chip(program, layout, tasks, block);
  block.threads = std::max(block.lanes, std::min(kSmallestBlock, options.most_threads));
  ChipPlan best = plan_chip(program, layout, tasks, block);
  while (block.threads * 2 <= options.most_threads) {
    block.threads *= 2;
    ChipPlan plan = plan_chip(program, layout, tasks, block);
    if (plan.cycles < best.cycles && bytes_of(plan) <= options.most_bytes) best = std::move(plan);
  }
  return best;
}

}  // namespace

Result<ChipText> chip_text(const Program& program, const BufferTable& buffers, const ChipOptions& options) {
  if (program.code.size() > kMostCode)
    return Status{StatusCode::kUnsupported, fmt::format("{} instructions, at most {} are worth a text of their own",
                                                        program.code.size(), kMostCode)};
  const int least = std::max(options.block.threads, options.block.lanes);
  if (least > options.most_threads)
    return Status{StatusCode::kUnsupported,
                  fmt::format("{} threads wanted, a block has at most {}", least, options.most_threads)};
  WEFT_ASSIGN_OR_RETURN(const Layout layout, lay_out(program, buffers, options.most_bytes));
  const Tasks tasks = make_tasks(program, buffers, layout);
  const ChipPlan plan = fastest_plan(program, layout, tasks, options);
  const std::int64_t bytes = bytes_of(plan);
  if (bytes > options.most_bytes)
    return Status{StatusCode::kUnsupported,
                  fmt::format("{} bytes on chip wanted, a block has {}", bytes, options.most_bytes)};
  const Writer writer(program, buffers, layout, tasks, plan);
  ChipText text{.text = writer.text(),
                .block = plan.block,
                .bytes = bytes,
                .held = writer.held(),
                .input = {0, 0},
                .target = {0, 0},
                .levels = tasks.levels,
                .cycles = plan.cycles};
  const auto extent = [&](BufferId argument) -> Extent {
    if (!layout.has(argument)) return {0, 0};
    return {layout[argument].rows, layout[argument].cols};
  };
  text.input = extent(BufferTable::kInput), text.target = extent(BufferTable::kTarget);
  return text;
}

Result<ChipText> metal_chip_text(const Program& program, const BufferTable& buffers, const ChipOptions& options) {
  WEFT_ASSIGN_OR_RETURN(ChipText text, chip_text(program, buffers, options));
  std::string whole = fmt::format("#define WEFT_ON_CHIP\n#define WEFT_LANES {}\n", text.block.lanes);
  whole += kernel_text();
  text.text = whole + text.text;
  return text;
}

}  // namespace weft
