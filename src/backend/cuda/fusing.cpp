// Finding drafts that become one.
#include "src/backend/cuda/fusing.h"

#include <algorithm>
#include <optional>

namespace weft::cuda {
namespace {

class Fusing {
 public:
  Fusing(std::vector<Draft>& drafts, const Touches& touches) : drafts_(drafts), touches_(touches) {}

  void projections() {
    for (std::size_t at = 0; at < drafts_.size(); ++at) {
      const Draft projection = drafts_[at];
      if (projection.kind != Draft::Kind::kProject || !touches_.is_scratch(projection.result)) continue;
      const std::optional<std::size_t> reader = only_reader(at, projection.result);
      if (!reader.has_value()) continue;
      Draft& delta = drafts_[*reader];
      if (delta.kind != Draft::Kind::kDelta || delta.projection != nullptr || delta.when != projection.when ||
          delta.extent.rows * delta.extent.columns != projection.code->m * projection.code->n ||
          touches_.written_between(drafts_, at, *reader, projection.source))
        continue;
      delta.projection = projection.code;
      delta.source = projection.source;
      drafts_.erase(drafts_.begin() + static_cast<std::ptrdiff_t>(at));
      --at;
    }
  }

  void deltas() {
    for (std::size_t at = 0; at < drafts_.size(); ++at) {
      Draft& product = drafts_[at];
      if (product.kind != Draft::Kind::kFused || product.code->op != Opcode::kGradInput || product.code->accumulate)
        continue;
      const std::optional<std::size_t> behind = delta_of(at);
      if (!behind.has_value() || !may_join(at, *behind)) continue;
      const Draft& delta = drafts_[*behind];
      product.delta = delta.code, product.projection = delta.projection;
      product.between = product.code->out[0], product.result = delta.result;
      product.extent = {product.code->m, product.code->k};
      drafts_.erase(drafts_.begin() + static_cast<std::ptrdiff_t>(*behind));
    }
  }

 private:
  /// The one draft that reads what the draft at `at` makes, behind it, where no other makes it too.
  std::optional<std::size_t> only_reader(std::size_t at, Operand made) const {
    std::optional<std::size_t> reader;
    for (std::size_t other = 0; other < drafts_.size(); ++other) {
      if (other == at) continue;
      if (touches_.writes(drafts_[other], made)) return {};
      if (!touches_.reads(drafts_[other], made)) continue;
      if (reader.has_value() || other < at) return {};
      reader = other;
    }
    return reader;
  }

  /// The first delta of what the product at `at` gives, under the same conditions.
  std::optional<std::size_t> delta_of(std::size_t at) const {
    const Operand gap = drafts_[at].code->out[0];
    for (std::size_t behind = at + 1; behind < drafts_.size(); ++behind) {
      const Draft& d = drafts_[behind];
      if (d.kind == Draft::Kind::kDelta && touches_.same(d.source, gap) && d.when == drafts_[at].when) return behind;
      if (touches_.writes(d, gap)) return {};
    }
    return {};
  }

  /// Whether the delta can be done where the product is.
  bool may_join(std::size_t at, std::size_t behind) const {
    const Draft &product = drafts_[at], &delta = drafts_[behind];
    const Operand gap = product.code->out[0], made = delta.result, z = delta.code->in[1];
    if (delta.extent.rows * delta.extent.columns != product.code->m * product.code->k) return false;
    // Other blocks still read the factors, and the kernel reads z.
    for (const Operand& operand : {product.factors.left.operand, product.factors.right.operand, gap, z})
      if (touches_.same(made, operand)) return false;
    for (std::size_t between = at + 1; between < behind; ++between)
      if (touches_.reads(drafts_[between], made)) return false;
    std::vector<Operand> kept = {gap, made, z};
    for (const Predicate& p : delta.when) kept.push_back({p.counter});
    for (const Operand& operand : kept)
      if (touches_.written_between(drafts_, at, behind, operand)) return false;
    if (delta.projection == nullptr) return true;
    // Then the kernel has the projected gap alone.
    const Instruction& p = *delta.projection;
    if (p.op == Opcode::kProject && p.k != p.m * p.n) return false;
    if (!touches_.is_scratch(gap)) return false;
    for (std::size_t other = 0; other < drafts_.size(); ++other)
      if (other != behind && touches_.reads(drafts_[other], gap)) return false;
    return true;
  }

  std::vector<Draft>& drafts_;
  const Touches& touches_;
};

}  // namespace

void fuse(std::vector<Draft>& drafts, const Touches& touches) {
  Fusing fusing(drafts, touches);
  fusing.projections();
  fusing.deltas();
}

}  // namespace weft::cuda
