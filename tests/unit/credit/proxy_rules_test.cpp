// The rules that keep something between calls, by hand: HeadProxyAsync, LinearCache, Sparse; and their plain kin.
#include "tests/unit/credit/hand.h"

namespace weft::test {
namespace {

WEFT_BY_HAND(ProxyByHand);

constexpr double kRate = 0.01;

Mode on_stack(Rule rule) { return {Schedule::kStack, rule}; }

/// A call on two leaves of one weight each.
struct Pair {
  double w1, w2;
  Numbers x, t;

  double y1(std::size_t b) const { return w1 * x[b]; }
  double gap(std::size_t b) const { return 2.0 * (w2 * y1(b) - t[b]) / static_cast<double>(x.size()); }
  double head_gradient() const {
    double sum = 0.0;
    for (std::size_t b = 0; b < x.size(); ++b) sum += gap(b) * y1(b);
    return sum;
  }
};

TEST_P(ProxyByHand, AsyncUsesTheKeptProxyAndDropsOneOfAnotherBatchSize) {
  auto trainer = this->trainer(stack_of({layer(1, 1, {2}), layer(1, 1, {3})}));
  double w1 = 2.0, w2 = 3.0;
  Numbers kept;
  const std::vector<std::pair<Numbers, Numbers>> calls{{{1}, {0}},          {{0.5}, {1}}, {{1, 2}, {0, 1}},
                                                       {{-1, 0.5}, {1, 1}}, {{2}, {3}},   {{1}, {1}}};
  for (const auto& [x, t] : calls) {
    const auto batch = static_cast<std::int64_t>(x.size());
    trainer.train(on_stack(Rule::kHeadProxyAsync), tensor({batch, 1}, x), tensor({batch, 1}, t), kRate);
    const Pair call{w1, w2, x, t};
    const auto hidden = [&, &x = x](const Numbers& proxy) {
      for (std::size_t b = 0; b < x.size(); ++b) w1 -= kRate * proxy[b] * x[b];
    };
    const bool had = kept.size() == x.size();
    if (had) hidden(kept);
    w2 -= kRate * call.head_gradient();
    kept.clear();
    for (std::size_t b = 0; b < x.size(); ++b) kept.push_back(call.gap(b) * w2);
    if (!had) hidden(kept);
    expect_weights(trainer, {{w1}, {w2}});
  }
}

TEST_P(ProxyByHand, TheOthersTakeTheirProxyBeforeTheHeadMoves) {
  for (const Rule rule : {Rule::kHeadProxy, Rule::kFastProxy, Rule::kSparse, Rule::kLinear}) {
    auto trainer = this->trainer(stack_of({layer(1, 1, {2}), layer(1, 1, {3}, leakyrelu)}));
    trainer.train(on_stack(rule), tensor({1, 1}, {-1}), tensor({1, 1}, {1}), kRate);
    // z2 = -6, y2 = -0.06, g = -2.12; the head's slope is 0.01 and its x is -2.
    const double g = -2.12, head = 3 - kRate * (rule == Rule::kLinear ? 0.5 : 1.0) * g * 0.01 * -2;
    const double proxy = rule == Rule::kHeadProxy ? g * 0.01 * 3 : rule == Rule::kLinear ? g * head * 0.5 : g * 3;
    expect_weights(trainer, {{2 - kRate * proxy * -1}, {head}});
  }
}

TEST_P(ProxyByHand, CacheScalesWhatItKeptByTheRatioOfTheGaps) {
  auto trainer = this->trainer(stack_of({layer(1, 1, {2})}));
  const Mode mode = on_stack(Rule::kLinearCache);
  trainer.train(mode, tensor({1, 1}, {1}), tensor({1, 1}, {0}), 0.1);  // g = 4, kept
  expect_weights(trainer, {{1.6}});
  trainer.train(mode, tensor({1, 1}, {1}), tensor({1, 1}, {3}), 0.1);  // g = -2.8: the kept 4 times 0.7
  expect_weights(trainer, {{1.32}});
}

/// The calls on which LinearCache did what Linear does from the same weights.
std::vector<int> refreshes(Trainer& cached, int calls, const std::function<std::pair<Tensor, Tensor>(int)>& data,
                           const std::string& device) {
  std::vector<int> same;
  for (int call = 0; call < calls; ++call) {
    cached.weights();  // brings the model up to date
    Trainer linear(cached.model(), {.device = device});
    const auto [input, target] = data(call);
    linear.train(on_stack(Rule::kLinear), input, target, kRate);
    cached.train(on_stack(Rule::kLinearCache), input, target, kRate);
    if (linear.weights() == cached.weights()) same.push_back(call);
  }
  return same;
}

class CacheByHand : public ProxyByHand {
 protected:
  Trainer cached() const {
    return trainer(stack_of({layer(2, 3, {1, -1, 0.5, 2, -1, 0.25}, weft::tanh),
                             layer(3, 3, {1, 2, 0, -1, 1, 0.5, 1, 0, 1}), layer(3, 2, {0.5, 1, -1, 1, 0.25, -0.5})}));
  }
  std::pair<Tensor, Tensor> sample(int call, std::int64_t batch = 2) const {
    const auto seed = static_cast<std::uint64_t>(call);
    return {random_tensor({1, 2}, batch, 2 * seed, dtype()), random_tensor({1, 2}, batch, 2 * seed + 1, dtype())};
  }
};
INSTANTIATE_TEST_SUITE_P(Places, CacheByHand,
                         testing::Values(Place{"cpu", DType::kFloat32}, Place{"cpu", DType::kFloat64},
                                         Place{"native_cpu", DType::kFloat32}));

TEST_P(CacheByHand, RefreshesOnCallZeroAndEveryTwentieth) {
  auto trainer = cached();
  EXPECT_EQ(refreshes(
                trainer, 45, [&](int call) { return sample(call); }, GetParam().device),
            (std::vector<int>{0, 20, 40}));
}

TEST_P(CacheByHand, RefreshesEarlyAfterAGapOfZeroWithoutRestartingItsPeriod) {
  auto trainer = cached();
  const auto data = [&](int call) {
    auto pair = sample(call);
    if (call == 0) pair.second = trainer.forward(pair.first);  // no gap: what is kept is of no use
    return pair;
  };
  EXPECT_EQ(refreshes(trainer, 23, data, GetParam().device), (std::vector<int>{0, 1, 20}));
}

TEST_P(CacheByHand, RefreshesWhereTheBatchSizeChangedWithoutRestartingItsPeriod) {
  auto trainer = cached();
  const auto data = [&](int call) { return sample(call, call == 5 ? 3 : 2); };
  EXPECT_EQ(refreshes(trainer, 23, data, GetParam().device), (std::vector<int>{0, 5, 6, 20}));
}

TEST_P(ProxyByHand, SparseTakesItsTurns) {
  auto trainer = this->trainer(stack_of({layer(1, 1, {1}), layer(1, 1, {1}), layer(1, 1, {2})}));
  const Mode mode = on_stack(Rule::kSparse);
  trainer.train(mode, tensor({1, 1}, {1}), tensor({1, 1}, {1}), 0.1);
  // y = 1, 1, 2; g = 2; proxy = 2*2, undivided; leaf 1's turn.
  expect_weights(trainer, {{1 - 0.4}, {1}, {2 - 0.2}});
  trainer.train(mode, tensor({1, 1}, {1}), tensor({1, 1}, {0}), 0.1);
  // y = 0.6, 0.6, 1.08; g = 2.16; leaf 2's turn with x = 0.6.
  expect_weights(trainer, {{0.6}, {1 - 0.1 * 2.16 * 1.8 * 0.6}, {1.8 - 0.1 * 2.16 * 0.6}});
}

TEST_P(ProxyByHand, OneLeafIsTheHeadOnly) {
  for (const Rule rule : {Rule::kHeadProxy, Rule::kFastProxy, Rule::kSparse, Rule::kHeadProxyAsync}) {
    auto trainer = this->trainer(stack_of({layer(1, 1, {2})}));
    for (int call = 0; call < 2; ++call) trainer.train(on_stack(rule), tensor({1, 1}, {1}), tensor({1, 1}, {0}), 0.1);
    expect_weights(trainer, {{2 * 0.8 * 0.8}});
  }
}

}  // namespace
}  // namespace weft::test
