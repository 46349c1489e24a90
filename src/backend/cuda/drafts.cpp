// Which instruction is done how.
#include "src/backend/cuda/drafts.h"

#include <algorithm>
#include <utility>

#include "src/backend/cuda/factor_forms.h"
#include "src/backend/cuda/fusing.h"
#include "src/backend/cuda/touches.h"
#include "src/backend/device_buffers.h"
#include "src/program/cost.h"

namespace weft::cuda {
namespace {

/// A scale that is a projection onto the same size.
bool is_projection(const Instruction& i) {
  return i.op == Opcode::kProject || (i.op == Opcode::kScale && !i.accumulate && !i.in[1].present());
}

class Drafting {
 public:
  Drafting(const Program& program, const DeviceMemory& memory, bool blas, ProductWish wish)
      : program_(program), memory_(memory), touches_(program, memory), blas_(blas), wish_(wish) {
    double largest = 0.0;
    for (const Instruction& i : program.code) largest = std::max(largest, product_operations(i));
    small_ = largest < kLargeProduct;
  }

  DraftList run() {
    for (const Instruction& i : program_.code) add(i);
    fuse(list_.drafts, touches_);
    free_fused_of_conditions();
    add_gathers();
    choose_forms(list_, touches_, memory_, small_ ? kFormCopies : 1);
    return std::move(list_);
  }

 private:
  std::vector<Draft>& drafts() { return list_.drafts; }

  Draft make(Draft::Kind kind, const Instruction& i) const {
    Draft made;
    made.kind = kind;
    made.instruction = static_cast<std::int32_t>(&i - program_.code.data());
    made.code = &i;
    made.when = i.when;
    return made;
  }

  void add_elementwise(Draft::Kind kind, const Instruction& i, Operand source, Operand result) {
    Draft made = make(kind, i);
    made.source = source, made.result = result;
    made.extent = {i.m, i.n};
    drafts().push_back(made);
  }

  /// Products that read the gap need not wait for the loss, a sum over all blocks, where they do without conditions.
  void add_mse(const Instruction& i) {
    add_elementwise(Draft::Kind::kMseGap, i, i.in[0], i.out[0]);
    if (!small_ || !i.out[0].present()) return;
    drafts().back().takes_loss = false;
    add_elementwise(Draft::Kind::kMseGap, i, i.in[0], {});
  }

  void add(const Instruction& i) {
    if (is_product(i) && add_product(i)) return;
    if (i.op == Opcode::kDelta) return add_elementwise(Draft::Kind::kDelta, i, i.in[0], i.out[0]);
    if (is_projection(i)) return add_elementwise(Draft::Kind::kProject, i, i.in[0], i.out[0]);
    if (i.op == Opcode::kLossGap && program_.loss == Loss::kMse && i.m * i.n >= kLeastManyBlocks) return add_mse(i);
    drafts().push_back(make(Draft::Kind::kInstruction, i));
  }

  /// Answers whether it has added the product.
  bool add_product(const Instruction& i) {
    const bool half = memory_.precision() == Precision::kBfloat16;
    const Factors factors = factors_of(i, half ? Form::kHalf : Form::kPlain);
    switch (maker_of(i, shape_of(i, factors, memory_), blas_, wish_)) {
      case ProductMaker::kKernel: return false;
      case ProductMaker::kBlas: add_blas(i, factors); return true;
      case ProductMaker::kFused: add_fused(i, factors); return true;
    }
    return false;
  }

  void add_fused(const Instruction& i, const Factors& factors) {
    Draft made = make(Draft::Kind::kFused, i);
    made.factors = factors;
    if (i.op == Opcode::kForward) {
      made.result = i.out[1], made.extent = {i.m, i.n};
      if (!touches_.same(i.out[0], i.out[1])) made.between = i.out[0];
    } else if (i.op == Opcode::kUpdate) {
      made.result = i.out[0], made.extent = {i.n, i.k};
    }
    drafts().push_back(made);
  }

  /// In tf32, cuBLASLt is fastest where the terms of a sum are neighbours in memory (H200, 4096 cubed: 0.35 ms against
  /// 0.36 with one factor turned and 0.59 with both); bfloat16 does not mind.
  void add_blas(const Instruction& i, const Factors& factors) {
    Draft made = make(Draft::Kind::kProduct, i);
    made.factors = factors;
    const bool half = memory_.precision() == Precision::kBfloat16, tf32 = memory_.precision() == Precision::kTf32;
    if (tf32 && i.op == Opcode::kGradInput) {
      // Weights turned beside the forward pass; where products are large, that takes longer than it gains.
      if (small_) made.factors.right.form = Form::kTurned;
    } else if (tf32 && i.op != Opcode::kForward) {
      made.factors.left.form = made.factors.right.form = Form::kTurned;
    }
    if (small_ && (half || tf32) && !always(i.when)) free_of_conditions(i, made);
    drafts().push_back(made);
    if (i.op == Opcode::kForward && !(i.activation == Activation::kLinear && i.out[0] == i.out[1]))
      add_elementwise(Draft::Kind::kActivate, i, i.out[0], i.out[1]);
  }

  /// A part of a graph under a condition costs 16 µs (H200, CUDA 13), as much as two products of this size. A product
  /// whose result nobody looks at where the conditions do not hold can do without one, and so can one that then adds
  /// zeros: of one factor its maker makes 0, and the other has nothing that is not finite.
  void free_of_conditions(const Instruction& i, Draft& made) const {
    if (i.op == Opcode::kUpdate || (i.op == Opcode::kWeightGrad && i.accumulate)) {
      made.factors.left.gated = true;
      made.factors.right.finite = true;
      if (made.factors.right.form == Form::kHalf) made.factors.right.form = Form::kFinite;
      made.when = {};
    } else if (only_read_under(i.when, i.out[0]) && (i.op != Opcode::kForward || only_read_under(i.when, i.out[1]))) {
      made.when = {};
    }
  }

  void free_fused_of_conditions() {
    for (Draft& d : drafts()) {
      if (d.kind != Draft::Kind::kFused || reads_outputs(*d.code)) continue;
      const std::vector<Operand> written = touches_.writes(d);
      if (std::all_of(written.begin(), written.end(), [&](Operand w) { return only_read_under(d.code->when, w); }))
        d.when = {};
    }
  }

  bool only_read_under(const Conditions& when, Operand operand) const {
    return touches_.is_scratch(operand) &&
           std::all_of(program_.code.begin(), program_.code.end(), [&](const Instruction& i) {
             const bool reads =
                 std::any_of(i.in.begin(), i.in.end(), [&](Operand in) { return in.buffer == operand.buffer; });
             const bool decides =
                 std::any_of(i.when.begin(), i.when.end(), [&](auto& p) { return p.counter == operand.buffer; });
             return !decides && (!reads || i.when == when);
           });
  }

  /// The call's arguments come first. Losses over many elements take the target's rows where they lie.
  void add_gathers() {
    std::vector<Draft> gathers;
    for (const BufferId argument : {BufferTable::kInput, BufferTable::kTarget}) {
      const std::int64_t elements = device_buffers::argument_elements(program_, argument);
      if (elements == 0) continue;
      bool all_gather = argument == BufferTable::kTarget;
      for (const Draft& d : drafts()) {
        for (const Operand& read : touches_.reads(d))
          all_gather = all_gather && (read.buffer != argument || d.kind == Draft::Kind::kMseGap);
        all_gather = all_gather && !(d.kind == Draft::Kind::kMseGap && d.source.buffer == argument);
      }
      if (all_gather) {
        for (Draft& d : drafts()) d.gathers = d.gathers || d.kind == Draft::Kind::kMseGap;
        continue;
      }
      Draft made;
      made.kind = Draft::Kind::kGather;
      made.result = {argument};
      made.extent = {1, elements};
      gathers.push_back(made);
    }
    drafts().insert(drafts().begin(), gathers.begin(), gathers.end());
  }

  const Program& program_;
  const DeviceMemory& memory_;
  const Touches touches_;
  bool blas_, small_ = false;
  ProductWish wish_;
  DraftList list_;
};

}  // namespace

DraftList draft(const Program& program, const DeviceMemory& memory, bool blas, ProductWish wish) {
  return Drafting(program, memory, blas, wish).run();
}

}  // namespace weft::cuda
