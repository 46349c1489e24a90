// Writing the kernel: state, parts, levels with barriers between them.
#include "src/generate/chip_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/core/try.h"
#include "src/generate/layout.h"
#include "src/generate/number_text.h"
#include "src/generate/part_text.h"
#include "src/generate/tasks.h"

namespace weft {
namespace {

constexpr std::int64_t kFewTerms = 16;  // of a sum that every thread can make for itself
constexpr std::size_t kMostCode = 400;  // instructions; beyond, the code would not stay in a multiprocessor's cache

int round_up(int n) { return (n + 3) / 4 * 4; }

class Chip {
 public:
  Chip(const Program& program, const BufferTable& buffers, const Layout& layout, const Tasks& tasks, BlockShape block)
      : source_{program, buffers, layout, tasks, {}}, block_(block), floats_(layout.floats) {
    plan();
  }

  double cycles() const { return cycles_; }
  int floats() const { return floats_; }

  std::string text() {
    std::string parts, levels;
    for (std::size_t t = 0; t < tasks().size(); ++t) parts += task_part(static_cast<int>(t));
    for (int level = 0; level < source_.tasks.levels; ++level) levels += level_text(level);
    return fmt::format(R"(namespace weft::chip {{

using namespace kernels;

struct State {{
{state}}};

{parts}
struct Chip {{
  using State = chip::State;
  static constexpr int kThreads = {threads}, kFloats = {floats}, kHeld = {held};
  static constexpr int kInputs = {inputs_at}, kTargets = {targets_at}, kRate = {rate_at};
  static constexpr int kSlots = {slots}, kBatch = {batch};
  using Who = Fetchers<{first}, {fetchers}, {warps}>;
  using Inputs = {inputs};
  using Targets = {targets};
  static WEFT_INLINE Kept kept(int b) {{
    switch (b) {{
{kept}    }}
  }}
  static WEFT_INLINE void begin(State& s, std::uint64_t clock) {{
{begin}  }}
  static WEFT_INLINE void call(State& s, Fetch<Chip>& fetch) {{
{levels}{end}  }}
}};

}}  // namespace weft::chip

WEFT_ARENA({floats})
WEFT_ENTRY({threads}) train(const void* members) {{
  using namespace weft::chip;
  reside<Chip>(arena, WEFT_THREAD(), member_of(members, WEFT_BLOCK(), sizeof(Member) + {held} * sizeof(Held)));
}}
)",
                       fmt::arg("state", state_text()), fmt::arg("parts", parts), fmt::arg("threads", block_.threads),
                       fmt::arg("floats", floats_), fmt::arg("inputs_at", argument_at(BufferTable::kInput)),
                       fmt::arg("targets_at", argument_at(BufferTable::kTarget)), fmt::arg("batch", layout().batch),
                       fmt::arg("slots", layout().batches), fmt::arg("inputs", rows_text(BufferTable::kInput)),
                       fmt::arg("targets", rows_text(BufferTable::kTarget)), fmt::arg("kept", kept_text()),
                       fmt::arg("rate_at", layout().rate), fmt::arg("first", fetch_first_),
                       fmt::arg("fetchers", fetch_warps_), fmt::arg("warps", block_.warps()),
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
  /// How a task is shared, and the warps that it begins with.
  struct Share {
    Tile tile;
    int wide = 1;        // elements side by side
    int quad_inner = 1;  // terms read at a time
    int first = 0;
  };

  const Layout& layout() const { return source_.layout; }
  const std::vector<Task>& tasks() const { return source_.tasks.tasks; }
  const Instruction& at(int i) const { return source_.program.code[static_cast<std::size_t>(i)]; }
  const Decision& role(int i) const { return source_.tasks.decisions[static_cast<std::size_t>(i)]; }
  const Instruction& root(const Task& task) const { return at(task.code.front()); }
  const Share& share(std::size_t t) const { return shares_[t]; }

  static bool single(Opcode op) {
    return op == Opcode::kRatio || op == Opcode::kCount || op == Opcode::kSet || op == Opcode::kEquals ||
           op == Opcode::kRefresh;
  }

  /// Whether four neighbours of a row may be read at a time; what lies behind the row's end is zero then.
  bool quads(Operand operand, std::int64_t cols) const { return layout()[operand.buffer].padded || cols % 4 == 0; }

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

  // ---- sharing ----

  Product product_of(const Task& task) const {
    const Instruction& i = root(task);
    Product p{.op = i.op, .rows = static_cast<int>(task.extent.rows), .cols = static_cast<int>(task.extent.cols)};
    if (i.op == Opcode::kForward) {
      p.inner = static_cast<int>(i.k);
      p.quad_inner = quads(i.in[0], i.k) && quads(i.in[1], i.k);
      p.quad_cols = false;
    } else if (i.op == Opcode::kGradInput) {
      p.inner = static_cast<int>(i.n);
      const OnChip& w = layout()[i.in[1].buffer];
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
    const Instruction& i = root(task);
    Share share;
    if (single(i.op)) {
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
    share.wide = !takes_rows(i.op, source_.program.loss) && quad_elements(task) && rows * cols > block_.threads ? 4 : 1;
    const int items = rows * ((cols + share.wide - 1) / share.wide);
    share.tile.tiles = (items + block_.lanes - 1) / block_.lanes;
    const int rounds = (share.tile.tiles + block_.warps() - 1) / block_.warps();
    share.tile.cycles = rounds * 70.0;
    if (takes_rows(i.op, source_.program.loss)) share.tile.cycles *= static_cast<double>(1 + i.n);
    return share;
  }

  void plan() {
    for (const Task& task : tasks()) shares_.push_back(share_of(task));
    for (int level = 0; level < source_.tasks.levels; ++level) {
      int next = 0;
      double longest = 0.0, all = 0.0;
      for (std::size_t t = 0; t < tasks().size(); ++t) {
        if (tasks()[t].level != level) continue;
        Share& share = shares_[t];
        share.first = next % block_.warps();
        next += share.tile.tiles;
        longest = std::max(longest, share.tile.cycles), all += share.tile.cycles;
      }
      cycles_ += (next > block_.warps() ? all : longest) + 15.0 + 0.06 * block_.threads;
      // Batches are fetched where the fewest warps are busy, by those that are not.
      if (fetch_level_ < 0 || next < fetch_busy_) fetch_level_ = level, fetch_busy_ = next;
    }
    fetch_first_ = fetch_busy_ % block_.warps();
    const int items = pieces(BufferTable::kInput) + pieces(BufferTable::kTarget) + 1;
    fetch_warps_ = std::min(block_.warps(), (items + block_.lanes - 1) / block_.lanes);
    for (const Reduction& reduction : source_.tasks.reductions) {
      const Instruction& i = at(reduction.instruction);
      const bool few = !takes_rows(i.op, source_.program.loss) && i.m * i.n <= kFewTerms;
      source_.terms.push_back(few ? floats_ : -1);
      partials_.push_back(floats_);
      floats_ += round_up(few ? static_cast<int>(i.m * i.n) : block_.warps()) * sums_of(i.op);
    }
  }

  // ---- parts ----

  std::string task_part(int t) const {
    const Task& task = tasks()[static_cast<std::size_t>(t)];
    const Instruction& i = root(task);
    if (single(i.op)) return "";
    if (!takes_rows(i.op, source_.program.loss)) return part_text(source_, t, share(static_cast<std::size_t>(t)).wide);
    return fmt::format(R"(struct Part{} {{  // {} of {} rows
  State& s;
  template <int N>
  struct Early {{}};
  template <int N>
  WEFT_INLINE Early<N> early(int, int) const {{
    return {{}};
  }}
  template <int N>
  WEFT_INLINE void late(int row, int, const Early<N>&, Vec<N>) const {{
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
        return fmt::format("softmax(alone(), 1, {}, {}, {});", i.n, row(i.in[0], i.n), row(i.out[0], i.n));
      case Opcode::kSoftmaxGrad:
        return fmt::format("softmax_grad(alone(), 1, {}, {}, {}, {});", i.n, row(i.in[0], i.n), row(i.in[1], i.n),
                           row(i.out[0], i.n));
      case Opcode::kRowDot:
        return fmt::format("row_dot(alone(), 1, {}, {}, {}, Columns{{0, {}}}, {});", i.n, row(i.in[0], i.n),
                           row(i.in[1], i.n), i.out_at, row(i.out[0], i.width));
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
      if (reductions[r].level + 2 == level) text += result_text(static_cast<int>(r));
    for (std::size_t r = 0; r < reductions.size(); ++r) {
      if (reductions[r].level != level || source_.terms[r] >= 0) continue;
      for (int k = 0; k < sums_of(at(reductions[r].instruction).op); ++k)
        text += fmt::format("    s.sum{}_{} = 0.0f;\n", r, k);
    }
    for (std::size_t t = 0; t < tasks().size(); ++t)
      if (tasks()[t].level == level) text += task_text(t);
    for (std::size_t r = 0; r < reductions.size(); ++r)
      if (reductions[r].level + 1 == level && source_.terms[r] < 0) text += partial_text(static_cast<int>(r));
    if (level == fetch_level_) text += "    fetch.next(s.thread, s.a);\n";
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
    if (single(i.op)) return single_text(task.code.front(), i);
    const Share& share = shares_[t];
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
        call = fmt::format("forward_tiles<{}, {}, {}, {}>(s.thread, {}, {}, Part{}{{s}});", plan(i.k), share.quad_inner,
                           step(0, i.k), step(1, i.k), base(0), base(1), t);
        break;
      case Opcode::kGradInput:
        call = fmt::format("grad_input_tiles<{}, {}, {}, {}, {}>(s.thread, {}, {}, Part{}{{s}});", plan(i.n), tile.cols,
                           share.quad_inner, step(0, i.n), step(1, i.k), base(0), base(1), t);
        break;
      case Opcode::kWeightGrad:
      case Opcode::kUpdate:
        call = fmt::format("gradient_tiles<{}, {}, {}, {}>(s.thread, {}, {}, Part{}{{s}});", plan(i.m), tile.cols,
                           step(0, i.n), step(1, i.k), base(0), base(1), t);
        break;
      default:
        call = fmt::format("element_tiles<Elements<{}, {}, {}, {}, {}>, {}>(s.thread, Part{}{{s}});", task.extent.rows,
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
    return fmt::format("    if (s.thread.rank == 0{}) {}\n", guard.empty() ? "" : " && " + guard, body);
  }

  // ---- reductions ----

  struct Contributors {
    int first, count;
  };
  Contributors contributors(int r) const {
    const auto t =
        static_cast<std::size_t>(role(source_.tasks.reductions[static_cast<std::size_t>(r)].instruction).task);
    if (share(t).tile.tiles >= block_.warps()) return {0, block_.warps()};
    return {share(t).first, share(t).tile.tiles};
  }

  std::string partial_text(int r) const {
    const auto [first, count] = contributors(r);
    const int sums = sums_of(at(source_.tasks.reductions[static_cast<std::size_t>(r)].instruction).op);
    std::string body;
    for (int k = 0; k < sums; ++k)
      body += fmt::format(
          "        const float part{0} = warp_sum(s.sum{1}_{0});\n"
          "        if (s.thread.lane == 0) s.a[{2} + w] = part{0};\n",
          k, r, partials_[static_cast<std::size_t>(r)] + k * round_up(block_.warps()));
    if (count == block_.warps())
      return fmt::format("    {{\n      const int w = s.thread.warp;\n      {{\n{}      }}\n    }}\n", body);
    const std::string turned = first == 0
                                   ? "s.thread.warp"
                                   : fmt::format("s.thread.warp < {0} ? s.thread.warp + {1} : s.thread.warp - {0}",
                                                 first, block_.warps() - first);
    return fmt::format("    {{\n      const int w = {};\n      if (w < {}) {{\n{}      }}\n    }}\n", turned, count,
                       body);
  }

  std::string result_text(int r) const {
    const int n = source_.tasks.reductions[static_cast<std::size_t>(r)].instruction;
    const Instruction& i = at(n);
    const auto total = [&](int k) {
      const auto terms = static_cast<int>(i.m * i.n);
      if (const int at = source_.terms[static_cast<std::size_t>(r)]; at >= 0)
        return fmt::format("total_of<{}>(s.a + {})", terms, at + k * round_up(terms));
      return fmt::format("total_of<{}>(s.a + {})", contributors(r).count,
                         partials_[static_cast<std::size_t>(r)] + k * round_up(block_.warps()));
    };
    const std::string elements = float_text(static_cast<double>(i.m * i.n));
    std::string lines, guard = guard_text(source_, role(n).guards);
    std::string stores;
    const auto store_real = [&](std::size_t out, const std::string& value) {
      if (role(n).stored[out]) stores += fmt::format("        *({}) = {};\n", base_text(source_, i.out[out]), value);
    };
    const auto store_flag = [&](std::size_t out) {
      if (role(n).stored[out])
        stores += fmt::format("        *counter({}) = s.flag{} ? 1 : 0;\n", base_text(source_, i.out[out]), r);
    };
    switch (i.op) {
      case Opcode::kLossGap: {
        const bool mse = source_.program.loss == Loss::kMse;
        lines += fmt::format("      const float total = {};\n      s.flag{} = total - total == 0.0f;\n", total(0), r);
        const std::string value = fmt::format("total / {}", mse ? elements : float_text(static_cast<double>(i.m)));
        lines += fmt::format("      s.loss = {}{}{};\n      s.finite = {}s.flag{}{};\n",
                             guard.empty() ? "" : guard + " ? ", value, guard.empty() ? "" : " : s.loss",
                             guard.empty() ? "" : guard + " ? ", r, guard.empty() ? "" : " : s.finite");
        store_real(1, "s.loss"), store_flag(2);
        break;
      }
      case Opcode::kRms: store_real(0, fmt::format("sqrt({} / {})", total(0), elements)); break;
      case Opcode::kClip:
        lines += fmt::format("      const float norm = sqrt({});\n", total(0));
        store_real(0, fmt::format("norm > {0} ? {0} / norm : 1.0f", float_text(i.scale)));
        break;
      case Opcode::kIsFinite:
        lines += fmt::format("      s.flag{} = {} == 0.0f;\n", r, total(0));
        store_flag(0);
        break;
      default:  // link_budget
        lines += fmt::format(
            "      const float xx = {}, ww = {}, xw = {};\n"
            "      const float budget = xx == 0.0f || ww == 0.0f ? 0.0f : (xw / (sqrt(xx) * sqrt(ww)) + 1.0f) / 2.0f;\n"
            "      s.flag{} = budget >= 0.2f;\n",
            total(0), total(1), total(2), r);
        store_real(0, fmt::format("{} * (0.5f + 0.5f * budget)", float_text(i.scale)));
        store_flag(1);
    }
    if (!stores.empty())
      stores = fmt::format("      if (s.thread.rank == {}{}) {{\n{}      }}\n", block_.threads - 1,
                           guard.empty() ? "" : " && " + guard, stores);
    return "    {\n" + lines + stores + "    }\n";
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
    std::string text = "  WEFT_SHARED(float) a;\n  Thread thread;\n  int batch;\n  float loss;\n  bool finite;\n";
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

  /// How many pieces of an argument are copied: whole quads where its rows have them.
  int pieces(BufferId id) const {
    if (!layout().has(id)) return 0;
    const OnChip& place = layout()[id];
    return place.rows * (place.cols % 4 == 0 ? place.cols / 4 : place.cols);
  }

  std::string rows_text(BufferId id) const {
    if (!layout().has(id)) return "NoRows";
    const OnChip& place = layout()[id];
    const int threads = fetch_warps_ * block_.lanes;
    const int begin = id == BufferTable::kTarget ? pieces(BufferTable::kInput) % threads : 0;
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
  BlockShape block_;
  int floats_;
  std::vector<Share> shares_;  // of the tasks
  std::vector<int> partials_;  // where the reductions' warp sums lie
  double cycles_ = 0.0;
  int fetch_level_ = -1, fetch_busy_ = 0, fetch_first_ = 0, fetch_warps_ = 1;
};

}  // namespace

Result<ChipText> chip_text(const Program& program, const BufferTable& buffers, const ChipOptions& options) {
  if (program.code.size() > kMostCode)
    return Status{StatusCode::kUnsupported, fmt::format("{} instructions, at most {} are worth a text of their own",
                                                        program.code.size(), kMostCode)};
  WEFT_ASSIGN_OR_RETURN(const Layout layout, lay_out(program, buffers, options.most_bytes));
  const Tasks tasks = make_tasks(program, buffers, layout);
  BlockShape best = options.block;
  if (best.threads == 0) {
    double least = 0.0;
    for (int threads = options.block.lanes; threads <= 16 * options.block.lanes; threads *= 2) {
      const BlockShape block{threads, options.block.lanes};
      const double cycles = Chip(program, buffers, layout, tasks, block).cycles();
      if (threads == options.block.lanes || cycles < least) least = cycles, best = block;
      if (options.block.lanes == 1) break;
    }
  }
  Chip chip(program, buffers, layout, tasks, best);
  ChipText text{.text = chip.text(),
                .block = best,
                .bytes = std::int64_t{chip.floats()} * static_cast<std::int64_t>(sizeof(float)),
                .held = chip.held(),
                .input = {0, 0},
                .target = {0, 0},
                .levels = tasks.levels,
                .cycles = chip.cycles()};
  if (text.bytes > options.most_bytes)
    return Status{StatusCode::kUnsupported,
                  fmt::format("{} bytes on chip wanted, a block has {}", text.bytes, options.most_bytes)};
  const auto extent = [&](BufferId argument) -> Extent {
    if (!layout.has(argument)) return {0, 0};
    return {layout[argument].rows, layout[argument].cols};
  };
  text.input = extent(BufferTable::kInput), text.target = extent(BufferTable::kTarget);
  return text;
}

}  // namespace weft
