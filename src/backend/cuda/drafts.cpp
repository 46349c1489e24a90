// Which instruction is done how, and which results are wanted in which forms.
#include "src/backend/cuda/drafts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "src/backend/device_buffers.h"
#include "src/program/cost.h"

namespace weft::cuda {
namespace {

// Below, our own kernels start sooner than cuBLASLt's. An estimate: it has not been swept.
constexpr double kLeastBlasOperations = 2097152.0;
constexpr std::int64_t kAlignment = 256;

using Conditions = std::array<Predicate, 3>;
using Key = std::pair<BufferId, std::int64_t>;  // a buffer, and the age of the slot of a ring

bool always(const Conditions& when) {
  return std::none_of(when.begin(), when.end(), [](auto& p) { return p.present(); });
}

bool is_product(const Instruction& i) { return product_operations(i) > 0.0 && i.op != Opcode::kTargetBelow; }

/// A scale that is a projection onto the same size.
bool is_projection(const Instruction& i) {
  return i.op == Opcode::kProject || (i.op == Opcode::kScale && !i.accumulate && !i.in[1].present());
}

class Drafting {
 public:
  Drafting(const Program& program, const DeviceMemory& memory, bool blas)
      : program_(program), memory_(memory), blas_(blas) {
    double largest = 0.0;
    for (const Instruction& i : program.code) largest = std::max(largest, product_operations(i));
    small_ = largest < kLargeProduct;
  }

  DraftList run() {
    for (const Instruction& i : program_.code) add(i);
    fuse_projections();
    add_gathers();
    choose_forms();
    drop_plain();
    return std::move(list_);
  }

 private:
  std::vector<Draft>& drafts() { return list_.drafts; }

  Key key(Operand operand) const { return {operand.buffer, operand.lag % memory_.slots(operand.buffer)}; }

  std::int32_t number(const Instruction& i) const { return static_cast<std::int32_t>(&i - program_.code.data()); }

  Draft make(Draft::Kind kind, const Instruction& i) const {
    Draft made;
    made.kind = kind;
    made.instruction = number(i);
    made.code = &i;
    made.when = i.when;
    return made;
  }

  void with_result(Draft& draft, Operand source, Operand result, std::int64_t rows, std::int64_t columns) {
    draft.source = source, draft.result = result;
    draft.extent = {rows, columns};
  }

  void add(const Instruction& i) {
    const std::int64_t elements = i.m * i.n;
    if (blas_ && is_product(i) && product_operations(i) >= kLeastBlasOperations) return add_product(i);
    if (i.op == Opcode::kDelta) {
      Draft made = make(Draft::Kind::kDelta, i);
      with_result(made, i.in[0], i.out[0], i.m, i.n);
      return drafts().push_back(made);
    }
    if (is_projection(i)) {
      Draft made = make(Draft::Kind::kProject, i);
      with_result(made, i.in[0], i.out[0], i.m, i.n);
      return drafts().push_back(made);
    }
    if (i.op == Opcode::kLossGap && program_.loss == Loss::kMse && elements >= kLeastManyBlocks) {
      Draft made = make(Draft::Kind::kMseGap, i);
      with_result(made, i.in[0], i.out[0], i.m, i.n);
      return drafts().push_back(made);
    }
    drafts().push_back(make(Draft::Kind::kInstruction, i));
  }

  /// In tf32, cuBLASLt is fastest where the terms of a sum are neighbours in memory (H200, 4096 cubed: 0.35 ms against
  /// 0.36 with one factor turned and 0.59 with both); bfloat16 does not mind.
  void add_product(const Instruction& i) {
    Draft made = make(Draft::Kind::kProduct, i);
    const bool half = memory_.precision() == Precision::kBfloat16, tf32 = memory_.precision() == Precision::kTf32;
    const Form form = half ? Form::kHalf : Form::kPlain;
    const auto factor = [](Operand operand, std::int64_t rows, std::int64_t columns, Form wanted) {
      DraftFactor f;
      f.operand = operand, f.rows = rows, f.columns = columns, f.form = wanted;
      return f;
    };
    switch (i.op) {
      case Opcode::kForward:
        made.left = factor(i.in[0], i.m, i.k, form);
        made.right = factor(i.in[1], i.n, i.k, form);
        break;
      case Opcode::kGradInput:
        made.left = factor(i.in[0], i.m, i.n, form);
        // Weights turned beside the forward pass; where products are large, that takes longer than it gains.
        made.right = factor(i.in[1], i.n, i.k, tf32 && small_ ? Form::kTurned : form);
        break;
      default:  // weight_grad, update
        made.left = factor(i.in[0], i.m, i.n, tf32 ? Form::kTurned : form);
        made.right = factor(i.in[1], i.m, i.k, tf32 ? Form::kTurned : form);
    }
    if (small_ && (half || tf32) && !always(i.when)) free_of_conditions(i, made);
    drafts().push_back(made);
    if (i.op == Opcode::kForward && !(i.activation == Activation::kLinear && i.out[0] == i.out[1])) {
      Draft rest = make(Draft::Kind::kActivate, i);
      with_result(rest, i.out[0], i.out[1], i.m, i.n);
      drafts().push_back(rest);
    }
  }

  /// A part of a graph under a condition costs 16 µs (H200, CUDA 13), as much as two products of this size. A product
  /// whose result nobody looks at where the conditions do not hold can do without one, and so can one that then adds
  /// zeros: of one factor its maker makes 0, and the other has nothing that is not finite.
  void free_of_conditions(const Instruction& i, Draft& made) const {
    if (i.op == Opcode::kUpdate || (i.op == Opcode::kWeightGrad && i.accumulate)) {
      made.left.gated = true;
      made.right.finite = true;
      if (made.right.form == Form::kHalf) made.right.form = Form::kFinite;
      made.when = {};
    } else if (only_read_under(i.when, i.out[0]) && (i.op != Opcode::kForward || only_read_under(i.when, i.out[1]))) {
      made.when = {};
    }
  }

  bool only_read_under(const Conditions& when, Operand operand) const {
    return is_scratch(operand) && std::all_of(program_.code.begin(), program_.code.end(), [&](const Instruction& i) {
             const bool reads =
                 std::any_of(i.in.begin(), i.in.end(), [&](Operand in) { return in.buffer == operand.buffer; });
             const bool decides =
                 std::any_of(i.when.begin(), i.when.end(), [&](auto& p) { return p.counter == operand.buffer; });
             return !decides && (!reads || i.when == when);
           });
  }

  // ---- what a draft touches ----

  /// Of a buffer as it is; factors of products in other forms are not counted.
  std::vector<Operand> plain_reads(const Draft& d) const {
    std::vector<Operand> reads;
    const auto read = [&](Operand operand) {
      if (operand.present()) reads.push_back(operand);
    };
    for (const Predicate& p : d.when) read({p.counter});
    switch (d.kind) {
      case Draft::Kind::kInstruction:
        for (const Operand& in : d.code->in) read(in);
        if (reads_outputs(*d.code))
          for (const Operand& out : d.code->out) read(out);
        break;
      case Draft::Kind::kProduct:
        if (d.left.form == Form::kPlain) read(d.left.operand);
        if (d.right.form == Form::kPlain) read(d.right.operand);
        if (d.code->op == Opcode::kForward) read(d.code->in[2]);
        if (d.code->op != Opcode::kForward && reads_outputs(*d.code)) read(d.code->out[0]);
        break;
      case Draft::Kind::kDelta: read(d.source), read(d.code->in[1]); break;
      case Draft::Kind::kMseGap:
        read(d.source);
        if (!d.gathers) read(d.code->in[1]);
        break;
      case Draft::Kind::kActivate:
      case Draft::Kind::kProject:
      case Draft::Kind::kConvert: read(d.source); break;
      case Draft::Kind::kGather: break;
    }
    return reads;
  }

  std::vector<Operand> writes(const Draft& d) const {
    if (d.kind == Draft::Kind::kConvert) return {};
    if (d.kind == Draft::Kind::kActivate || d.kind == Draft::Kind::kGather) return {d.result};
    if (d.kind == Draft::Kind::kProduct) return {d.code->out[0]};
    std::vector<Operand> written;
    for (const Operand& out : d.code->out)
      if (out.present()) written.push_back(out);
    return written;
  }

  static bool has_forms(const Draft& d) {
    return d.kind != Draft::Kind::kInstruction && d.kind != Draft::Kind::kProduct && d.result.present();
  }

  // ---- fusing ----

  /// A projection that only the delta of the same conditions reads is done by that delta.
  void fuse_projections() {
    for (std::size_t at = 0; at < drafts().size(); ++at) {
      const Draft projection = drafts()[at];
      if (projection.kind != Draft::Kind::kProject || !is_scratch(projection.result)) continue;
      std::vector<std::size_t> readers;
      bool rewritten = false;
      for (std::size_t other = 0; other < drafts().size(); ++other) {
        for (const Operand& read : reads_of(drafts()[other]))
          if (key(read) == key(projection.result)) readers.push_back(other);
        if (other != at)
          for (const Operand& written : writes(drafts()[other]))
            rewritten = rewritten || key(written) == key(projection.result);
      }
      if (rewritten || readers.size() != 1 || readers[0] < at) continue;
      Draft& delta = drafts()[readers[0]];
      if (delta.kind != Draft::Kind::kDelta || delta.projection != nullptr || delta.when != projection.when ||
          delta.extent.rows * delta.extent.columns != projection.code->m * projection.code->n ||
          touched_between(at, readers[0], projection.source))
        continue;
      delta.projection = projection.code;
      delta.source = projection.source;
      drafts().erase(drafts().begin() + static_cast<std::ptrdiff_t>(at));
      --at;
    }
  }

  /// With factors of products in any form.
  std::vector<Operand> reads_of(const Draft& d) const {
    std::vector<Operand> reads = plain_reads(d);
    if (d.kind == Draft::Kind::kProduct) reads.push_back(d.left.operand), reads.push_back(d.right.operand);
    return reads;
  }

  bool touched_between(std::size_t first, std::size_t last, Operand operand) const {
    for (std::size_t at = first + 1; at < last; ++at)
      for (const Operand& written : writes(list_.drafts[at]))
        if (key(written) == key(operand)) return true;
    return false;
  }

  bool is_scratch(Operand operand) const {
    return operand.buffer != program_.output.buffer && operand.buffer != program_.loss_value &&
           operand.buffer != program_.loss_finite && memory_.role(operand.buffer) == Role::kScratch;
  }

  // ---- forms ----

  /// The call's arguments come first. Losses over many elements take the target's rows where they lie.
  void add_gathers() {
    std::vector<Draft> gathers;
    for (const BufferId argument : {BufferTable::kInput, BufferTable::kTarget}) {
      const std::int64_t elements = device_buffers::argument_elements(program_, argument);
      if (elements == 0) continue;
      bool all_gather = argument == BufferTable::kTarget && !small_;  // small ones have lanes for it
      for (const Draft& d : drafts()) {
        for (const Operand& read : reads_of(d))
          all_gather = all_gather && (read.buffer != argument || d.kind == Draft::Kind::kMseGap);
        all_gather = all_gather && !(d.kind == Draft::Kind::kMseGap && d.source.buffer == argument);
      }
      if (all_gather) {
        for (Draft& d : drafts()) d.gathers = d.gathers || d.kind == Draft::Kind::kMseGap;
        continue;
      }
      Draft made;
      made.kind = Draft::Kind::kGather;
      with_result(made, {}, {argument}, 1, elements);
      gathers.push_back(made);
    }
    drafts().insert(drafts().begin(), gathers.begin(), gathers.end());
    gathers_ = std::ssize(gathers);
  }

  struct Made {
    Place place;
    Conditions when;     // under which it is made
    bool gated = false;  // and 0 elsewhere
    std::size_t by = 0;  // in drafts()
  };
  using Wanted =
      std::tuple<Key, Form, std::int64_t, std::int64_t, bool>;  // the last: gated, but by another than its maker

  Place room(Form form, std::int64_t rows, std::int64_t columns) {
    const std::int64_t bytes = form == Form::kTurned ? columns * padded(rows) * 4 : rows * padded(columns) * 2;
    const Place place{{}, list_.scratch};
    list_.scratch += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return place;
  }

  /// Whether a counter that the draft's conditions look at was written after it.
  bool decided_anew_since(std::size_t at) const {
    for (const Predicate& p : list_.drafts[at].when)
      if (p.present() && touched_between(at, list_.drafts.size(), {p.counter})) return true;
    return false;
  }

  /// Elementwise results have no shape of their own until the first form gives them one.
  static bool cut(Draft& maker, std::int64_t rows, std::int64_t columns) {
    if (maker.extent.rows * maker.extent.columns != rows * columns) return false;
    if (!maker.half && !maker.finite && !maker.turned) maker.extent = {rows, columns};
    return maker.extent.rows == rows;
  }

  static std::optional<Place>& form_of(Draft& maker, Form form) {
    return form == Form::kHalf ? maker.half : form == Form::kFinite ? maker.finite : maker.turned;
  }

  /// Finds for every factor who writes the form that it is wanted in: who made the numbers, or a conversion of them.
  void choose_forms() {
    std::vector<Draft> before;
    std::swap(before, drafts());
    std::map<Key, std::size_t> writer;  // the last one, in drafts()
    std::map<Wanted, Made> made;
    std::map<Wanted, Place> rooms;
    std::vector<Draft> early;
    const auto find = [&](DraftFactor& factor, const Conditions& when) {
      if (factor.form == Form::kPlain) return;
      const auto by = writer.find(key(factor.operand));
      Draft* maker = by == writer.end() ? nullptr : &drafts()[by->second];
      // Zeros come from a maker under the same conditions, else from a conversion under them.
      const bool apart = factor.gated && (maker == nullptr || !has_forms(*maker) || maker->when != when);
      const Wanted wanted{key(factor.operand), factor.form, factor.rows, factor.columns, apart};
      if (const auto known = made.find(wanted); known != made.end()) {
        Made& it = known->second;
        const bool same = it.when == when;
        if (factor.gated && same && !it.gated) drafts()[it.by].zeroes = it.gated = true;
        if (factor.gated ? same : always(it.when) || same) {
          factor.place = it.place;
          return;
        }
      }
      if (!rooms.contains(wanted)) rooms[wanted] = room(factor.form, factor.rows, factor.columns);
      factor.place = rooms[wanted];
      const bool takes = maker != nullptr && !apart && has_forms(*maker) &&
                         (factor.gated ? maker->when == when : always(maker->when) || maker->when == when) &&
                         !decided_anew_since(by->second) && cut(*maker, factor.rows, factor.columns);
      if (takes && !form_of(*maker, factor.form)) {
        form_of(*maker, factor.form) = factor.place;
        maker->turned_finite = maker->turned_finite || (factor.form == Form::kTurned && factor.finite);
        maker->zeroes = maker->zeroes || factor.gated;
        made.insert_or_assign(wanted, Made{factor.place, maker->when, factor.gated, by->second});
        return;
      }
      Draft convert;
      convert.kind = Draft::Kind::kConvert;
      with_result(convert, factor.operand, factor.operand, factor.rows, factor.columns);
      convert.plain = false;
      convert.turned_finite = factor.finite;
      if (factor.gated) convert.when = when, convert.zeroes = true;
      form_of(convert, factor.form) = factor.place;
      made.insert_or_assign(wanted, Made{factor.place, convert.when, factor.gated, drafts().size()});
      // What nothing of this call wrote yet, weights above all, can be converted from the call's beginning on.
      (maker == nullptr && always(convert.when) ? early : drafts()).push_back(convert);
    };
    for (Draft& d : before) {
      if (d.kind == Draft::Kind::kProduct) find(d.left, d.code->when), find(d.right, d.code->when);
      for (const Operand& written : writes(d)) {
        std::erase_if(made, [&](const auto& entry) {
          const auto& [wanted, by] = entry;
          return std::get<0>(wanted) == key(written) ||
                 std::any_of(by.when.begin(), by.when.end(),
                             [&](const Predicate& p) { return p.counter == written.buffer; });
        });
        writer[key(written)] = drafts().size();
      }
      drafts().push_back(d);
    }
    drafts().insert(drafts().begin() + gathers_, early.begin(), early.end());
  }

  /// What is wanted in other forms alone is written in those alone.
  void drop_plain() {
    std::map<Key, bool> read;
    for (const Draft& d : drafts())
      for (const Operand& operand : plain_reads(d)) read[key(operand)] = true;
    for (Draft& d : drafts()) {
      if (!has_forms(d) || !d.plain || !(d.half || d.finite || d.turned)) continue;
      const bool argument = d.kind == Draft::Kind::kGather;
      d.plain = read.contains(key(d.result)) || !(argument || is_scratch(d.result));
    }
  }

  const Program& program_;
  const DeviceMemory& memory_;
  bool blas_, small_ = false;
  std::ptrdiff_t gathers_ = 0;
  DraftList list_;
};

}  // namespace

DraftList draft(const Program& program, const DeviceMemory& memory, bool blas) {
  return Drafting(program, memory, blas).run();
}

}  // namespace weft::cuda
