// MeshBP: backpropagation through the ticks of a call.
#include <fmt/format.h>

#include "src/credit/mesh_rules.h"
#include "src/credit/walks.h"

namespace weft {
namespace {

/// Gradients at the cells' slots after one tick; absent where none has arrived.
class SlotGradients {
 public:
  SlotGradients(Builder& builder, std::size_t cells, std::size_t tick)
      : builder_(&builder), tick_(tick), slots_(cells) {}

  const Value& operator[](std::size_t cell) const { return slots_[cell]; }

  void add(std::size_t cell, const Value& gradient) {
    const bool first = !slots_[cell].present();
    if (first) slots_[cell] = builder_->scratch(fmt::format("tick{}/grad{}", tick_, cell), gradient.shape);
    builder_->scale(gradient, slots_[cell], 1.0, !first);
  }

 private:
  Builder* builder_;
  std::size_t tick_;
  std::vector<Value> slots_;
};

}  // namespace

void train_mesh_bp(const Plan& plan, Builder& builder, const MeshTape& mesh, const Value& gap) {
  const std::size_t cells = plan.cells.size();
  std::vector<bool> collected(cells, false);
  SlotGradients after(builder, cells, mesh.ticks.size());
  after.add(cells - 1, gap);
  for (std::size_t t = mesh.ticks.size(); t-- > 0;) {
    SlotGradients before(builder, cells, t);
    for (std::size_t c = cells; c-- > 0;) {
      if (!after[c].present()) continue;
      const std::optional<Tape>& tape = mesh.ticks[t][c];
      if (plan.cells[c].disabled) {
        before.add(c == 0 ? 0 : c - 1, after[c]);
      } else if (tape) {
        CollectWalk walk(collected[c]);
        collected[c] = true;
        before.add(static_cast<std::size_t>(plan.cells[c].source),
                   tape->layer->backward(builder, *tape, after[c], walk));
      }
    }
    after = std::move(before);
  }
  for (std::size_t c = 0; c < cells; ++c) {
    if (!collected[c]) continue;
    for (const Tape* leaf : leaf_tapes(*mesh.latest(c))) leaf_of(*leaf).apply(builder, 1.0);
  }
}

}  // namespace weft
