// Every kernel that devices start by name, as the code of many threads, beside the cpu device, which shares no code
// with it: groups and threads of several numbers, in two orders, at sizes that fill tiles and miss them.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "src/generate/kernel_text.h"
#include "tests/metal/emulate/case_run.h"

namespace weft::test {
namespace {

/// Launches that a kernel of that spread must give the right numbers under; what is no sum over everything gives the
/// same bits under all of them.
std::vector<LaunchShape> shapes(Spread spread) {
  switch (spread) {
    case Spread::kElements: return {{1, 1}, {1, 32}, {3, 7}, {2, 33}, {5, 64}};
    case Spread::kTiles: return {{1, 32}, {3, 33}, {2, 100}, {7, 256}};
    case Spread::kOneGroup: return {{1, 1}, {1, 2}, {1, 31}, {1, 33}, {1, 256}};
    case Spread::kOneThread: return {{1, 1}, {2, 32}};
  }
  return {};
}

class Emulated : public testing::TestWithParam<StepKernel> {};

TEST_P(Emulated, DoesWhatTheCpuDoes) {
  const StepKernel& kernel = GetParam();
  const std::vector<KernelCase> cases = kernel_cases(static_cast<Opcode>(kernel.op));
  ASSERT_FALSE(cases.empty()) << kernel.name << " has no case in kernel_cases.cpp";
  for (const KernelCase& made : cases) {
    SCOPED_TRACE(made.name);
    const CaseResult wanted = run_on_cpu(made);
    CaseResult first;
    for (const LaunchShape shape : shapes(kernel.spread)) {
      SCOPED_TRACE(testing::Message() << shape.groups << " groups of " << shape.threads);
      std::string wrong;
      const CaseResult seen = run_emulated(made, kernel, shape, false, wrong);
      ASSERT_EQ(wrong, "");
      ASSERT_EQ(difference(made, seen, wanted), "");
      const CaseResult backwards = run_emulated(made, kernel, shape, true, wrong);
      ASSERT_EQ(wrong, "");
      ASSERT_EQ(same_bits(seen, backwards), "") << "in another order";
      if (kernel.spread == Spread::kOneGroup) continue;
      if (first.empty()) first = seen;
      ASSERT_EQ(same_bits(seen, first), "") << "with other groups";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Emulated, testing::ValuesIn(step_kernels().begin(), step_kernels().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EmulatedTable, HasCasesForEveryVariant) {
  const auto some = [](Opcode op, auto test) {
    for (const KernelCase& made : kernel_cases(op))
      if (test(made)) return true;
    return false;
  };
  for (int a = 0; a < kActivationCount; ++a)
    for (const Opcode op : {Opcode::kForward, Opcode::kDelta})
      EXPECT_TRUE(some(op, [&](const KernelCase& made) { return static_cast<int>(made.instruction.activation) == a; }))
          << to_string(op) << " with activation " << a;
  for (int kind = 0; kind < 4; ++kind)
    EXPECT_TRUE(
        some(Opcode::kApply, [&](const KernelCase& made) { return static_cast<int>(made.optimizer.kind) == kind; }))
        << "optimizer " << kind;
  for (int loss = 0; loss < 2; ++loss)
    for (const bool gap : {false, true})
      EXPECT_TRUE(some(Opcode::kLossGap,
                       [&](const KernelCase& made) {
                         return static_cast<int>(made.loss) == loss && made.instruction.out[0].present() == gap;
                       }))
          << "loss " << loss << ", gap " << gap;
}

/// The products of a forward, and then the rest of it, are the whole of it to the bit.
TEST(EmulatedForward, IsItsProductsAndTheRest) {
  const StepKernel& forward = step_kernels().front();
  ASSERT_EQ(forward.op, kernels::Op::kForward);
  for (const KernelCase& made : kernel_cases(Opcode::kForward)) {
    if (made.instruction.when[0].present()) continue;
    SCOPED_TRACE(made.name);
    KernelCase products = made, rest = made;
    products.instruction.activation = Activation::kLinear;
    products.instruction.in[2] = {};
    std::string wrong;
    const CaseResult whole = run_emulated(made, forward, {2, 33}, false, wrong);
    const auto z = static_cast<std::size_t>(made.instruction.out[0].buffer);
    rest.buffers[z].values = run_emulated(products, forward, {2, 33}, false, wrong)[z];
    for (const LaunchShape shape : shapes(Spread::kElements)) {
      const CaseResult seen = run_emulated(rest, finish_forward_kernel(), shape, shape.groups == 3, wrong);
      ASSERT_EQ(wrong, "");
      ASSERT_EQ(same_bits(seen, whole), "");
    }
  }
}

TEST(EmulatedTable, HasEveryEntry) {
  std::set<std::string> entries, known{"step_##identifier", "finish_forward", "gather", "note"};
  const std::string_view kStart = "WEFT_START(", text = entries_text();
  for (std::size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at + 1)) {
    const std::size_t begin = at + kStart.size();
    if (text.substr(begin, 5) != "name,")
      entries.insert(std::string(text.substr(begin, text.find(',', begin) - begin)));
  }
  EXPECT_EQ(entries, known) << "each kernel that is started by name is emulated here";
}

/// Rows that lie by an order of their own, with more and with fewer elements than threads.
TEST(EmulatedCall, GathersWhatTheOrderSays) {
  for (const std::int64_t elements : {1, 7, 33}) {
    for (const std::int64_t batch : {1, 5, 32}) {
      constexpr std::int64_t kRows = 71, kFirst = 3;
      std::vector<float> rows(static_cast<std::size_t>(kRows * elements));
      std::iota(rows.begin(), rows.end(), 1.0F);
      std::vector<std::int32_t> order(static_cast<std::size_t>(kFirst + batch));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i * 29 % kRows);
      std::vector<float> wanted(static_cast<std::size_t>(batch * elements) + 2, -7.0F);
      for (std::int64_t sample = 0; sample < batch; ++sample)
        for (std::int64_t e = 0; e < elements; ++e)
          wanted[static_cast<std::size_t>(1 + sample * elements + e)] =
              rows[static_cast<std::size_t>(order[static_cast<std::size_t>(kFirst + sample)] * elements + e)];
      for (const LaunchShape shape : shapes(Spread::kElements)) {
        std::vector<float> to(wanted.size(), -7.0F);
        ASSERT_EQ(dispatch(shape, shape.groups > 2,
                           [&] { run_gather(kFirst, batch, elements, rows.data(), order.data(), to.data() + 1); }),
                  "");
        ASSERT_EQ(to, wanted) << batch << " rows of " << elements << ", " << shape.groups << " groups of "
                              << shape.threads;
      }
    }
  }
}

TEST(EmulatedCall, NotesWhatItCameTo) {
  const float loss = 0.625F;
  for (const std::uint32_t finite : {0u, 1u}) {
    for (const bool has_loss : {false, true}) {
      for (const LaunchShape shape : shapes(Spread::kOneThread)) {
        std::vector<kernels::CallOutcome> outcomes(5, {-7.0F, 9});
        ASSERT_EQ(dispatch(shape, false, [&] { run_note(3, has_loss, &loss, &finite, outcomes.data()); }), "");
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
          EXPECT_EQ(outcomes[i].loss, i != 3 ? -7.0F : has_loss ? loss : 0.0F);
          EXPECT_EQ(outcomes[i].finite, i != 3 ? 9u : has_loss ? finite : 1u);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
