// Writing parts: loads and all that needs no product first (early), then arithmetic and stores (late).
#include "src/generate/part_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/generate/number_text.h"
#include "src/kernels/encode.h"

namespace weft {
namespace {

using kernels::OptimizerNumbers;

constexpr const char* kActs[] = {"kLinear", "kRelu", "kRelu2", "kLeakyRelu", "kSilu", "kGelu", "kTanh", "kSigmoid"};

std::string act_text(Activation activation) { return fmt::format("Act::{}", kActs[static_cast<int>(activation)]); }

/// "a * " in front of what is scaled; nothing for 1.
std::string times(double scale) { return scale == 1.0 ? "" : float_text(scale) + " * "; }

class Part {
 public:
  Part(const TextSource& source, int task, int wide)
      : s_(source), task_(source.tasks.tasks[static_cast<std::size_t>(task)]), number_(task), wide_(wide) {}

  std::string text() {
    for (const int i : task_.code) add(i);
    std::string text = fmt::format("struct Part{} {{  // {}\n  WEFT_OWN(State) s;\n", number_, title());
    text += "  template <int N>\n  struct Early {\n";
    for (const std::string& field : fields_) text += "    " + field + "\n";
    text += "  };\n  template <int N>\n  WEFT_INLINE void early(int row, int col, WEFT_OWN(Early<N>) e) const {\n";
    for (const std::string& line : early_) text += "    " + line + "\n";
    if (!early_each_.empty()) text += loop(early_each_);
    text += "  }\n  template <int N>\n";
    text += "  WEFT_INLINE void late(int row, int col, WEFT_ARG(Early<N>) e, WEFT_ARG(Vec<N>) sum) const {\n";
    if (looks_at_left_) text += fmt::format("    const int left = {} - col;\n", task_.extent.cols);
    if (!locals_.empty()) text += fmt::format("    Vec<N> {};\n", fmt::join(locals_, ", "));
    if (!each_.empty()) text += loop(each_);
    for (const std::string& line : stores_) text += "    " + line + "\n";
    text += "  }\n};\n";
    return text;
  }

 private:
  struct Value {
    std::string text;  // of component j
    bool early = false;
  };

  static std::string loop(const std::vector<std::string>& lines) {
    std::string text = "    WEFT_UNROLL for (int j = 0; j < N; ++j) {\n";
    for (const std::string& line : lines) text += "      " + line + "\n";
    return text + "    }\n";
  }

  bool whole() const { return task_.extent.cols % wide_ == 0; }
  const Instruction& at(int i) const { return s_.program.code[static_cast<std::size_t>(i)]; }
  const Decision& role(int i) const { return s_.tasks.decisions[static_cast<std::size_t>(i)]; }

  std::string title() const {
    std::string names;
    for (const int i : task_.code) names += fmt::format("{}{}", names.empty() ? "" : ", ", to_string(at(i).op));
    return fmt::format("{}: {} x {}", names, task_.extent.rows, task_.extent.cols);
  }

  using Key = std::pair<BufferId, std::int64_t>;
  Key key(Operand operand) const { return {operand.buffer, operand.lag % s_.buffers[operand.buffer].slots}; }

  std::string address(Operand operand, std::int64_t cols, const std::string& row = "row",
                      const std::string& col = "col") const {
    const int step = row_step(s_, operand, cols);
    const std::string rows = task_.extent.rows == 1 && row == "row" ? "" : fmt::format(" + {} * {}", row, step);
    return fmt::format("{}{} + {}", base_text(s_, operand), rows, col);
  }

  std::string early_field(const std::string& type) {
    std::string name = fmt::format("v{}", names_++);
    fields_.push_back(fmt::format("{} {};", type, name));
    return name;
  }
  /// A number that is the same for all elements.
  std::string early_number(const std::string& expression) {
    const std::string name = early_field("float");
    early_.push_back(fmt::format("e.{} = {};", name, expression));
    return "e." + name;
  }
  /// Early lines that make one value for each component, from `expression` of j.
  Value early_value(const std::string& expression) {
    const std::string name = early_field("Floats<N>");
    early_each_.push_back(fmt::format("e.{}[j] = {};", name, expression));
    return {"e." + name + "[j]", true};
  }

  /// The elements of an aligned operand: as this task has them already, or from memory.
  Value get(Operand operand) {
    if (const auto known = now_.find(key(operand)); known != now_.end()) return known->second;
    const std::string name = early_field("Floats<N>");
    early_.push_back(fmt::format("load({}, e.{});", address(operand, task_.extent.cols), name));
    return now_[key(operand)] = {"e." + name + "[j]", true};
  }

  /// The operand has a new value; where `i` stands under guards, those who look for it do too.
  void set(int i, int out, const std::string& expression) {
    const Operand operand = at(i).out[static_cast<std::size_t>(out)];
    // What stands under flags in registers keeps its old value by choice, so that its work need not wait for them.
    std::string guard = guard_text(s_, role(i).guards);
    std::string chosen = expression;
    if (!guard.empty() && reads_outputs(at(i)) && in_registers(role(i).guards)) {
      chosen = fmt::format("{} ? {} : {}", guard, expression, get(operand).text);
      guard.clear();
    }
    std::string local;
    if (each_.empty() && chosen == "sum.at[j]") {
      local = "sum";
    } else {
      local = fmt::format("v{}", names_++);
      locals_.push_back(local);
      each_.push_back(fmt::format("{}.at[j] = {};", local, chosen));
    }
    now_[key(operand)] = {local + ".at[j]", false};
    if (!role(i).stored[static_cast<std::size_t>(out)]) return;
    looks_at_left_ = looks_at_left_ || !whole();
    stores_.push_back(fmt::format("{}store<N, {}>({}, {}, {});", guard.empty() ? "" : fmt::format("if ({}) ", guard),
                                  whole() ? "true" : "false", address(operand, task_.extent.cols), local,
                                  whole() ? "N" : "left"));
  }

  void add_sum(int i, int which, const std::string& expression) {
    looks_at_left_ = looks_at_left_ || !whole();
    if (const int at = s_.terms[static_cast<std::size_t>(role(i).reduction)]; at >= 0) {  // each element's on its own
      const std::string term = fmt::format(fmt::runtime(expression), fmt::arg("sum", "0.0f"));
      const auto elements = static_cast<int>((task_.extent.elements() + 3) / 4 * 4);
      each_.push_back(fmt::format("{}s.a[{} + row * {} + col + j] = {};", whole() ? "" : "if (j < left) ",
                                  at + which * elements, task_.extent.cols, term));
      return;
    }
    each_.push_back(fmt::format(
        "{}s.sum{}_{} = {};", whole() ? "" : "if (j < left) ", role(i).reduction, which,
        fmt::format(fmt::runtime(expression), fmt::arg("sum", fmt::format("s.sum{}_{}", role(i).reduction, which)))));
  }

  std::string real(Operand operand) const { return fmt::format("*({})", base_text(s_, operand)); }
  std::string rate(const Instruction& i) const {
    const std::string rate = fmt::format("s.a[s.batch + {}]", s_.layout.rate);
    return i.scale == 1.0 ? rate : fmt::format("{} * {}", rate, float_text(i.scale));
  }

  void add(int n) {
    const Instruction& i = at(n);
    switch (i.op) {
      case Opcode::kForward: return forward(n, i);
      case Opcode::kGradInput:
      case Opcode::kWeightGrad: return set(n, 0, i.accumulate ? get(i.out[0]).text + " + sum.at[j]" : "sum.at[j]");
      case Opcode::kUpdate:
        return set(n, 0, fmt::format("fma(-{}, sum.at[j], {})", early_number(rate(i)), get(i.out[0]).text));
      case Opcode::kBiasGrad:
      case Opcode::kBiasUpdate: return columns(n, i);
      case Opcode::kDelta: return delta(n, i);
      case Opcode::kApply: return apply(n, i);
      case Opcode::kScale: return scale(n, i);
      case Opcode::kSubtract: return set(n, 0, fmt::format("{} - {}", get(i.in[0]).text, get(i.in[1]).text));
      case Opcode::kZero: return set(n, 0, "0.0f");
      case Opcode::kProject: return project(n, i);
      case Opcode::kCopyColumns: return copy_columns(n, i);
      case Opcode::kScaleRows: {
        const std::string weight = early_number(
            times(i.scale) + fmt::format("*({})", address(i.in[1], i.width, "row", std::to_string(i.in_at))));
        return add_to(n, i, fmt::format("{} * {}", weight, get(i.in[0]).text));
      }
      case Opcode::kLossGap: return mse_gap(n, i);
      case Opcode::kRms:
      case Opcode::kClip: return add_sum(n, 0, fmt::format("fma({0}, {0}, {{sum}})", get(i.in[0]).text));
      case Opcode::kIsFinite: return add_sum(n, 0, fmt::format("{{sum}} + ({0} - {0})", get(i.in[0]).text));
      case Opcode::kLinkBudget: {
        const std::string x = get(i.in[0]).text, w = get(i.in[1]).text;
        add_sum(n, 0, fmt::format("fma({0}, {0}, {{sum}})", x));
        add_sum(n, 1, fmt::format("fma({0}, {0}, {{sum}})", w));
        return add_sum(n, 2, fmt::format("fma({}, {}, {{sum}})", x, w));
      }
      case Opcode::kTargetBelow: {
        const Value value = early_value("");
        early_each_.back() =
            fmt::format("{} = target_below_at<{}, {}>({}, {});", value.text, i.n, row_step(s_, i.in[1], i.k),
                        address(i.in[0], i.n, "row", "0"), base_text(s_, i.in[1]) + " + col + j");
        return set(n, 0, value.text);
      }
      case Opcode::kAscend:
        return set(n, 0,
                   fmt::format("{} + {} * {}", get(i.out[0]).text,
                               early_number(fmt::format("{} * {}", rate(i), real(i.in[1]))), get(i.in[0]).text));
      default: return;  // by rows, or a single number: not a part
    }
  }

  void add_to(int n, const Instruction& i, const std::string& value) {
    set(n, 0, i.accumulate ? fmt::format("{} + {}", get(i.out[0]).text, value) : value);
  }

  void forward(int n, const Instruction& i) {
    std::string pre = "sum.at[j]";
    if (i.in[2].present()) {
      const std::string name = early_field("Floats<N>");
      early_.push_back(fmt::format("load({} + col, e.{});", base_text(s_, i.in[2]), name));
      pre += fmt::format(" + e.{}[j]", name);
    }
    if (role(n).slope) {  // nobody wants z but for its slope
      const std::string z = fmt::format("v{}", names_++);
      locals_.push_back(z);
      each_.push_back(fmt::format("{}.at[j] = {};", z, pre));
      set(n, 1, fmt::format("activate({}, {}.at[j])", act_text(i.activation), z));
      return set(n, 0, fmt::format("slope({}, {}.at[j])", act_text(i.activation), z));
    }
    set(n, 0, pre);
    if (key(i.out[0]) == key(i.out[1]) && i.activation == Activation::kLinear) return;
    set(n, 1,
        i.activation == Activation::kLinear
            ? now_[key(i.out[0])].text
            : fmt::format("activate({}, {})", act_text(i.activation), now_[key(i.out[0])].text));
  }

  void delta(int n, const Instruction& i) {
    const std::string g = get(i.in[0]).text;
    const std::string scaled = times(i.scale) + g;
    if (i.activation == Activation::kLinear) return set(n, 0, scaled);
    const Value z = get(i.in[1]);
    if (role(n).slope) return set(n, 0, fmt::format("{} * {}", scaled, z.text));
    const std::string slope = fmt::format("slope({}, {})", act_text(i.activation), z.text);
    set(n, 0, fmt::format("{} * {}", scaled, z.early ? early_value(slope).text : slope));
  }

  void scale(int n, const Instruction& i) {
    const std::string x = get(i.in[0]).text;
    if (!i.in[1].present()) return add_to(n, i, times(i.scale) + x);
    add_to(n, i, fmt::format("{} * {}", early_number(times(i.scale) + real(i.in[1])), x));
  }

  void columns(int n, const Instruction& i) {
    const Value total = early_value("");
    early_each_.back() = fmt::format("{} = column_total<{}, {}>({} + col + j);", total.text, i.m,
                                     row_step(s_, i.in[0], i.n), base_text(s_, i.in[0]));
    if (i.op == Opcode::kBiasGrad) return add_to(n, i, total.text);
    set(n, 0, fmt::format("fma(-{}, {}, {})", early_number(rate(i)), total.text, get(i.out[0]).text));
  }

  void project(int n, const Instruction& i) {
    const OnChip& from = s_.layout[i.in[0].buffer];
    const Value mean = early_value("");
    early_each_.back() = fmt::format("{} = project_at<{}, {}, {}, {}>({}, row * {} + col + j);", mean.text, i.k, i.n,
                                     from.cols, from.ld, base_text(s_, i.in[0]), task_.extent.cols);
    set(n, 0, times(i.scale) + mean.text);
  }

  void copy_columns(int n, const Instruction& i) {
    const Value x = early_value("");
    early_each_.back() =
        fmt::format("{} = *({});", x.text, address(i.in[0], i.k, "row", fmt::format("{} + col + j", i.in_at)));
    const std::string to = address(i.out[0], i.width, "row", fmt::format("{} + col", i.out_at));
    std::string value = times(i.scale) + x.text;
    if (i.accumulate) {
      const Value before = early_value("");
      early_each_.back() = fmt::format("{} = *({} + j);", before.text, to);
      value = fmt::format("{} + {}", before.text, value);
    }
    const std::string guard = guard_text(s_, role(n).guards);
    each_.push_back(fmt::format("{}*({} + j) = {};", guard.empty() ? "" : fmt::format("if ({}) ", guard), to, value));
  }

  void mse_gap(int n, const Instruction& i) {
    const std::string p = get(i.in[0]).text, t = get(i.in[1]).text, error = fmt::format("v{}", names_++);
    locals_.push_back(error);
    each_.push_back(fmt::format("{}.at[j] = {} - {};", error, p, t));
    add_sum(n, 0, fmt::format("fma({0}.at[j], {0}.at[j], {{sum}})", error));
    if (i.out[0].present())
      set(n, 0, fmt::format("{} * {}.at[j]", float_text(2.0 / static_cast<double>(i.m * i.n)), error));
  }

  void apply(int n, const Instruction& i) {
    const OptimizerNumbers o = kernels::encode(s_.program.optimizer);
    const std::string dp = get(i.in[0]).text, p = get(i.out[0]).text, step = early_number(rate(i));
    const std::string kept =
        o.decay == 0.0f
            ? p
            : fmt::format("{} * {}", early_number(fmt::format("1.0f - {} * {}", step, float_text(o.decay))), p);
    if (o.rule == kernels::Rule::kSgd) return set(n, 0, fmt::format("{} - {} * {}", kept, step, dp));
    if (o.rule != kernels::Rule::kAdamW) {
      set(n, 1, fmt::format("{} * {} + {}", float_text(o.momentum), get(i.out[1]).text, dp));
      const std::string v = now_[key(i.out[1])].text;
      if (o.rule == kernels::Rule::kMomentum) return set(n, 0, fmt::format("{} - {} * {}", kept, step, v));
      return set(n, 0, fmt::format("{} - {} * ({} + {} * {})", kept, step, dp, float_text(o.momentum), v));
    }
    const std::string count = fmt::format("static_cast<float>(*counter({}))", base_text(s_, i.in[1]));
    const auto correction = [&](float log_beta) {
      return early_number(fmt::format("one_minus_exp({} * {})", count, float_text(log_beta)));
    };
    const std::string correct1 = correction(o.log_beta1), correct2 = correction(o.log_beta2);
    set(n, 1, fmt::format("{} * {} + {} * {}", float_text(o.beta1), get(i.out[1]).text, float_text(o.rest1), dp));
    set(n, 2,
        fmt::format("{} * {} + {} * {} * {}", float_text(o.beta2), get(i.out[2]).text, float_text(o.rest2), dp, dp));
    set(n, 0,
        fmt::format("{} - {} * ({} / {}) / (sqrt({} / {}) + {})", kept, step, now_[key(i.out[1])].text, correct1,
                    now_[key(i.out[2])].text, correct2, float_text(o.epsilon)));
  }

  const TextSource& s_;
  const Task& task_;
  int number_, wide_;
  int names_ = 0;
  bool looks_at_left_ = false;  // whether elements beyond the row's end are told apart
  std::map<Key, Value> now_;
  std::vector<std::string> fields_, early_, early_each_, locals_, each_, stores_;
};

}  // namespace

std::string base_text(const TextSource& source, Operand operand) {
  const OnChip& place = source.layout[operand.buffer];
  if (operand.buffer <= BufferTable::kTarget) return fmt::format("s.a + s.batch + {}", place.at);
  if (place.slots == 1) return fmt::format("s.a + {}", place.at);
  return fmt::format("s.a + {} + s.slot{}_{} * {}", place.at, place.slots, operand.lag % place.slots, place.slot);
}

int row_step(const TextSource& source, Operand operand, std::int64_t cols) {
  const OnChip& place = source.layout[operand.buffer];
  return place.padded ? place.ld : static_cast<int>(cols);
}

std::string guard_text(const TextSource& source, const std::vector<Guard>& guards) {
  std::string text;
  for (const Guard& guard : guards) {
    const Predicate& predicate = guard.predicate;
    std::string count = fmt::format("*counter({})", base_text(source, {predicate.counter}));
    if (guard.reduction >= 0) count = fmt::format("s.flag{}", guard.reduction);
    std::string test;
    switch (predicate.test) {
      case Predicate::Test::kNonZero: test = count + (guard.reduction >= 0 ? "" : " != 0"); break;
      case Predicate::Test::kZero: test = guard.reduction >= 0 ? "!" + count : count + " == 0"; break;
      case Predicate::Test::kModulo:
        test = fmt::format("static_cast<uint32_t>({}) % {}u == {}u", count, predicate.modulus, predicate.remainder);
        break;
    }
    text += (text.empty() ? "" : " && ") + test;
  }
  return text;
}

bool in_registers(const std::vector<Guard>& guards) {
  return std::all_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.reduction >= 0; });
}

std::string part_text(const TextSource& source, int task, int wide) { return Part(source, task, wide).text(); }

}  // namespace weft
