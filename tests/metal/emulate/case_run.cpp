// Laying out a case's buffers, running it, and comparing.
#include "tests/metal/emulate/case_run.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "src/kernels/encode.h"
#include "tests/unit/backend/bench.h"

namespace weft::test {
namespace {

constexpr std::size_t kGuards = 64;            // floats before and behind each buffer
constexpr std::uint32_t kGuard = 0x7fc0ca5eu;  // not a number: what is read there is told as well

/// A buffer as a device has it, between guards.
class Memory {
 public:
  explicit Memory(const CaseBuffer& buffer) : element_(buffer.element), used_(buffer.values.size()) {
    bits_.assign(used_ + 2 * kGuards, kGuard);
    for (std::size_t i = 0; i < used_; ++i)
      bits_[kGuards + i] = element_ == Element::kCounter
                               ? static_cast<std::uint32_t>(buffer.values[i])
                               : std::bit_cast<std::uint32_t>(static_cast<float>(buffer.values[i]));
    before_ = bits_;
  }

  float* numbers() { return reinterpret_cast<float*>(counters()); }
  std::uint32_t* counters() { return bits_.data() + kGuards; }

  std::vector<double> values() const {
    std::vector<double> values(used_);
    for (std::size_t i = 0; i < used_; ++i)
      values[i] = element_ == Element::kCounter ? static_cast<double>(bits_[kGuards + i])
                                                : static_cast<double>(std::bit_cast<float>(bits_[kGuards + i]));
    return values;
  }

  bool guards_unharmed() const {
    for (std::size_t i = 0; i < kGuards; ++i)
      if (bits_[i] != kGuard || bits_[kGuards + used_ + i] != kGuard) return false;
    return true;
  }
  bool unchanged() const { return bits_ == before_; }

 private:
  Element element_;
  std::size_t used_;
  std::vector<std::uint32_t> bits_, before_;
};

bool is_output(const KernelCase& made, BufferId id) {
  for (const Operand& out : made.instruction.out)
    if (out.buffer == id) return true;
  return false;
}

}  // namespace

CaseResult run_on_cpu(const KernelCase& made) {
  Bench bench("cpu", DType::kFloat32);
  std::vector<Operand> operands;
  for (const CaseBuffer& buffer : made.buffers) {
    const std::string name = "b" + std::to_string(operands.size());
    switch (buffer.element) {
      case Element::kStorage: operands.push_back(bench.values(name, buffer.values)); break;
      case Element::kReal: operands.push_back(bench.real(name, buffer.values[0])); break;
      case Element::kCounter: operands.push_back(bench.counter(name, static_cast<std::uint64_t>(buffer.values[0])));
    }
  }
  const auto place = [&](Operand& operand) {
    if (operand.present()) operand = operands[static_cast<std::size_t>(operand.buffer)];
  };
  Instruction instruction = made.instruction;
  for (Operand& operand : instruction.in) place(operand);
  for (Operand& operand : instruction.out) place(operand);
  for (Predicate& predicate : instruction.when)
    if (predicate.present()) predicate.counter = operands[static_cast<std::size_t>(predicate.counter)].buffer;
  bench.program().loss = made.loss;
  bench.program().optimizer = made.optimizer;
  bench.run(instruction, {.lr = made.lr}).value();
  CaseResult result;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    switch (made.buffers[i].element) {
      case Element::kStorage: result.push_back(bench.read(operands[i])); break;
      case Element::kReal: result.push_back({bench.read_real(operands[i])}); break;
      case Element::kCounter: result.push_back({static_cast<double>(bench.read_counter(operands[i]))});
    }
  }
  return result;
}

CaseResult run_emulated(const KernelCase& made, const StepKernel& kernel, LaunchShape shape, bool backwards,
                        std::string& wrong) {
  std::vector<Memory> memory;
  for (const CaseBuffer& buffer : made.buffers) memory.emplace_back(buffer);
  Memory absent(CaseBuffer{Element::kStorage, {0.0}});
  const auto at = [&](BufferId id) -> Memory& {
    return id == kNoBuffer ? absent : memory[static_cast<std::size_t>(id)];
  };
  Program program;
  program.loss = made.loss;
  program.optimizer = made.optimizer;
  const Instruction& i = made.instruction;
  StepArguments arguments{
      .step = kernels::encode(i, program), .rate = static_cast<float>(made.lr), .in = {}, .out = {}, .when = {}};
  for (std::size_t p = 0; p < 3; ++p) {
    arguments.in[p] = at(i.in[p].buffer).numbers();
    arguments.out[p] = at(i.out[p].buffer).numbers();
    arguments.when[p] = at(i.when[p].counter).counters();
  }
  wrong = dispatch(shape, backwards, [&] { kernel.run(arguments); });
  CaseResult result;
  for (std::size_t b = 0; b < memory.size(); ++b) {
    if (!memory[b].guards_unharmed()) wrong += fmt::format("; buffer {} was written outside of it", b);
    if (!is_output(made, static_cast<BufferId>(b)) && !memory[b].unchanged())
      wrong += fmt::format("; buffer {} is an input and was written", b);
    result.push_back(memory[b].values());
  }
  if (!absent.unchanged()) wrong += "; what stands for absent operands was written";
  return result;
}

std::string difference(const KernelCase& made, const CaseResult& seen, const CaseResult& wanted) {
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    for (std::size_t e = 0; e < wanted[b].size(); ++e) {
      const double x = seen[b][e], y = wanted[b][e];
      if (std::isnan(x) && std::isnan(y)) continue;
      const OpClass op_class = made.buffers[b].element == Element::kCounter ? OpClass::kExact : made.op_class;
      const double allowed = tolerance(op_class, DType::kFloat32, std::max(made.magnitude, std::abs(y)), made.terms);
      if (x == y || std::abs(x - y) <= allowed) continue;
      return fmt::format("buffer {} element {}: seen {}, wanted {} within {}", b, e, x, y, allowed);
    }
  }
  return "";
}

std::string same_bits(const CaseResult& seen, const CaseResult& wanted) {
  for (std::size_t b = 0; b < wanted.size(); ++b)
    for (std::size_t e = 0; e < wanted[b].size(); ++e)
      if (std::bit_cast<std::uint64_t>(seen[b][e]) != std::bit_cast<std::uint64_t>(wanted[b][e]) &&
          !(std::isnan(seen[b][e]) && std::isnan(wanted[b][e])))
        return fmt::format("buffer {} element {}: seen {}, wanted {}", b, e, seen[b][e], wanted[b][e]);
  return "";
}

}  // namespace weft::test
