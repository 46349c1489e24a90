// Products of one level, cut as each would be alone, in one list for the team.
#include "src/backend/native_cpu/side_by_side.h"

#include <algorithm>
#include <numeric>

#include "src/backend/native_cpu/prepared.h"
#include "src/program/cost.h"

namespace weft::native_cpu {
namespace {

bool makes_weights(const Instruction& i) { return i.op == Opcode::kUpdate || i.op == Opcode::kWeightGrad; }

Product product_of(const Step& step, double lr) {
  const Instruction& i = step.instruction;
  const bool update = i.op == Opcode::kUpdate;
  float* const c = static_cast<float*>(step.out[0]);
  return {i.n,
          i.k,
          i.m,
          update ? static_cast<float>(-(lr * i.scale)) : 1.0f,
          {static_cast<const float*>(step.in[0]), 1, i.n},
          {static_cast<const float*>(step.in[1]), i.k, 1},
          update || i.accumulate ? c : nullptr,
          i.k,
          c};
}

/// Whether the step may share a piece of work: it makes weights, and needs no copy of an operand first.
bool may_share(const Step& step) {
  return makes_weights(step.instruction) && !needs_straightening(product_of(step, 0.0));
}

}  // namespace

SideBySide::SideBySide(const std::vector<Step>& steps, std::size_t first, std::size_t count, int threads)
    : first_(first), products_(count), due_(count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = steps[first + i];
    const Product product = product_of(step, 0.0);
    const Cut cut(product, threads);
    if (step.kernel != nullptr) {  // whole
      shares_.push_back({i, {0, 0, product.rows, product.columns}});
      continue;
    }
    for (std::int64_t piece = 0; piece < cut.count(); ++piece) shares_.push_back({i, cut[piece]});
  }
  const auto work = [&](const Share& share) {
    return share.piece.rows * share.piece.columns * steps[first + share.product].instruction.m;
  };
  std::stable_sort(shares_.begin(), shares_.end(), [&](const Share& a, const Share& b) { return work(a) > work(b); });
}

void SideBySide::run(Team& team, const std::vector<Step>& steps, double lr) {
  for (std::size_t i = 0; i < count(); ++i) {
    const Step& step = steps[first_ + i];
    due_[i] = step.due() ? 1 : 0;
    products_[i] = product_of(step, lr);
  }
  team.run(std::ssize(shares_), [&](std::int64_t i) {
    const Share& share = shares_[static_cast<std::size_t>(i)];
    if (due_[share.product] == 0) return;
    const Step& step = steps[first_ + share.product];
    step.kernel != nullptr ? step.kernel(step, lr) : compute(products_[share.product], share.piece);
  });
}

void arrange(Prepared& prepared, const Program& program, int threads) {
  auto& steps = prepared.steps;
  if (threads <= 1 || program.levels.size() != steps.size()) return;
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0);
  // Within a level those that may share come last, next to each other.
  const auto place = [&](std::size_t i) { return std::pair(program.levels[i], may_share(steps[i])); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });

  std::vector<Step> arranged;
  arranged.reserve(order.size());
  for (const std::size_t i : order) arranged.push_back(steps[i]);
  std::vector<SideBySide> groups;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && place(order[end]) == place(order[first])) ++end;
    double work = 0.0;
    for (std::size_t i = first; i < end; ++i) work += product_operations(arranged[i].instruction);
    if (place(order[first]).second && end - first > 1 && work >= kWorkForThreads)
      groups.emplace_back(arranged, first, end - first, threads);
    first = end;
  }
  if (groups.empty()) return;
  steps = std::move(arranged);
  prepared.side_by_side = std::move(groups);
}

}  // namespace weft::native_cpu
