// Choosing who writes which form.
#include "src/backend/cuda/factor_forms.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace weft::cuda {
namespace {

bool has_factors(const Draft& d) { return d.kind == Draft::Kind::kProduct || d.kind == Draft::Kind::kFused; }

class Choosing {
 public:
  Choosing(DraftList& list, const Touches& touches, const DeviceMemory& memory, std::int64_t copies)
      : list_(list), touches_(touches), memory_(memory), copies_(copies) {}

  void run() {
    keep_weights();
    std::vector<Draft> before;
    std::swap(before, list_.drafts);
    for (Draft& d : before) {
      if (has_factors(d)) find(d.factors.left, d.code->when), find(d.factors.right, d.code->when);
      for (const Operand& written : touches_.writes(d)) {
        std::erase_if(made_, [&](const auto& entry) {
          const auto& [wanted, by] = entry;
          return std::get<0>(wanted) == touches_.key(written) ||
                 std::any_of(by.when.begin(), by.when.end(),
                             [&](const Predicate& p) { return p.counter == written.buffer; });
        });
        writer_[touches_.key(written)] = list_.drafts.size();
      }
      list_.drafts.push_back(d);
    }
    const auto gathers = std::find_if(list_.drafts.begin(), list_.drafts.end(),
                                      [](const Draft& d) { return d.kind != Draft::Kind::kGather; });
    list_.drafts.insert(gathers, early_.begin(), early_.end());
    drop_unwanted();
  }

 private:
  struct Made {
    Place place;
    Conditions when;     // under which it is made
    bool gated = false;  // and 0 elsewhere
    std::size_t by = 0;  // in the list
  };
  using Wanted =
      std::tuple<BufferKey, Form, std::int64_t, std::int64_t, bool>;  // the last: gated, but by another than its maker

  Place room(const ProductFactor& factor, std::int64_t copies) {
    const std::int64_t bytes = factor.form == Form::kTurned ? factor.columns * padded(factor.rows) * 4
                                                            : factor.rows * padded(factor.columns) * 2;
    return take_scratch(list_.scratch, bytes, copies);
  }

  static Draft conversion(const ProductFactor& factor, Place to) {
    Draft made;
    made.kind = Draft::Kind::kConvert;
    made.source = made.result = factor.operand;
    made.extent = {factor.rows, factor.columns};
    made.plain = false;
    made.turned_finite = factor.finite;
    form_of(made, factor.form) = to;
    return made;
  }

  static std::optional<Place>& form_of(Draft& maker, Form form) {
    return form == Form::kHalf ? maker.half : form == Form::kFinite ? maker.finite : maker.turned;
  }

  /// Weights that nothing but products of fused.h change, which leave both or none as they were, have their bfloat16
  /// form made anew in each update: a conversion at the beginning of a run of calls is enough.
  void keep_weights() {
    struct Kept {
      std::int64_t rows, columns;
      Place place;
      bool keeps = true;
    };
    std::map<BufferKey, Kept> kept;
    const auto each_weight = [&](auto action) {
      for (Draft& d : list_.drafts) {
        if (!has_factors(d)) continue;
        for (ProductFactor* factor : {&d.factors.left, &d.factors.right}) {
          const Operand it = factor->operand;
          if (factor->form == Form::kHalf && !factor->gated && memory_.role(it.buffer) == Role::kParameter &&
              memory_.slots(it.buffer) == 1)
            action(*factor, touches_.key(it));
        }
      }
    };
    each_weight([&](ProductFactor& factor, BufferKey key) {
      Kept& it = kept.try_emplace(key, Kept{factor.rows, factor.columns, {}}).first->second;
      it.keeps &= it.rows == factor.rows && it.columns == factor.columns;
    });
    const auto each_writing = [&](auto action) {
      for (Draft& d : list_.drafts)
        for (const Operand& written : touches_.writes(d))
          if (const auto it = kept.find(touches_.key(written)); it != kept.end()) action(d, it->second);
    };
    each_writing([](Draft& d, Kept& it) {
      const bool descends = d.kind == Draft::Kind::kFused && d.code->op == Opcode::kUpdate;
      it.keeps &= descends && d.extent.rows == it.rows && d.extent.columns == it.columns;
    });
    each_weight([&](ProductFactor& factor, BufferKey key) {
      Kept& it = kept.at(key);
      if (!it.keeps) return;
      if (!it.place.present()) {
        it.place = room(factor, 1);
        list_.first.push_back(conversion(factor, it.place));
      }
      factor.place = it.place;
    });
    each_writing([](Draft& d, Kept& it) {
      if (it.keeps) d.half = it.place;
    });
  }

  /// Whether a counter that the draft's conditions look at was written after it.
  bool decided_anew_since(std::size_t at) const {
    for (const Predicate& p : list_.drafts[at].when)
      if (p.present() && touches_.written_between(list_.drafts, at, list_.drafts.size(), {p.counter})) return true;
    return false;
  }

  /// Elementwise results have no shape of their own until the first form gives them one.
  static bool cut(Draft& maker, std::int64_t rows, std::int64_t columns) {
    if (maker.extent.rows * maker.extent.columns != rows * columns) return false;
    if (maker.kind != Draft::Kind::kFused && !maker.half && !maker.finite && !maker.turned)
      maker.extent = {rows, columns};
    return maker.extent.rows == rows;
  }

  /// Finds who writes the form that the factor is wanted in: who made the numbers, or a conversion of them.
  void find(ProductFactor& factor, const Conditions& when) {
    if (factor.form == Form::kPlain || factor.place.present()) return;
    const auto by = writer_.find(touches_.key(factor.operand));
    Draft* maker = by == writer_.end() ? nullptr : &list_.drafts[by->second];
    const bool has_forms = maker != nullptr && touches_.has_forms(*maker, factor.operand);
    const bool is_fused = has_forms && maker->kind == Draft::Kind::kFused;
    // Zeros come from a maker under the same conditions, else from a conversion under them.
    const bool apart = factor.gated && (!has_forms || is_fused || maker->when != when);
    const Wanted wanted{touches_.key(factor.operand), factor.form, factor.rows, factor.columns, apart};
    if (const auto known = made_.find(wanted); known != made_.end()) {
      Made& it = known->second;
      const bool same = it.when == when;
      if (factor.gated && same && !it.gated) list_.drafts[it.by].zeroes = it.gated = true;
      if (factor.gated ? same : always(it.when) || same) {
        factor.place = it.place;
        return;
      }
    }
    const bool argument = memory_.role(factor.operand.buffer) == Role::kArgument;
    if (!rooms_.contains(wanted)) rooms_[wanted] = room(factor, argument ? kArgumentCopies : copies_);
    factor.place = rooms_[wanted];
    const bool takes = has_forms && !apart && !(is_fused && factor.form == Form::kTurned) &&
                       (factor.gated ? maker->when == when : always(maker->when) || maker->when == when) &&
                       !decided_anew_since(by->second) && cut(*maker, factor.rows, factor.columns);
    if (takes && !form_of(*maker, factor.form)) {
      form_of(*maker, factor.form) = factor.place;
      maker->turned_finite = maker->turned_finite || (factor.form == Form::kTurned && factor.finite);
      maker->zeroes = maker->zeroes || factor.gated;
      made_.insert_or_assign(wanted, Made{factor.place, maker->when, factor.gated, by->second});
      return;
    }
    Draft convert = conversion(factor, factor.place);
    if (factor.gated) convert.when = when, convert.zeroes = true;
    made_.insert_or_assign(wanted, Made{factor.place, convert.when, factor.gated, list_.drafts.size()});
    // What nothing of this call wrote yet, weights above all, can be converted from the call's beginning on.
    (maker == nullptr && always(convert.when) ? early_ : list_.drafts).push_back(convert);
  }

  /// What is wanted in other forms alone is written in those alone, and what nobody reads between a product and what
  /// the same kernel makes of it, not at all.
  void drop_unwanted() {
    std::map<BufferKey, bool> read;
    for (const Draft& d : list_.drafts)
      for (const Operand& operand : touches_.plain_reads(d)) read[touches_.key(operand)] = true;
    const auto wanted = [&](Operand operand) {
      const bool argument = memory_.role(operand.buffer) == Role::kArgument;
      return read.contains(touches_.key(operand)) || !(argument || touches_.is_scratch(operand));
    };
    for (Draft& d : list_.drafts) {
      if (d.result.present() && d.plain && (d.half || d.finite || d.turned)) d.plain = wanted(d.result);
      if (d.between.present() && !wanted(d.between)) d.between = {};
    }
  }

  DraftList& list_;
  const Touches& touches_;
  const DeviceMemory& memory_;
  std::int64_t copies_;
  std::map<BufferKey, std::size_t> writer_;  // the last one, in the list
  std::map<Wanted, Made> made_;
  std::map<Wanted, Place> rooms_;
  std::vector<Draft> early_;
};

}  // namespace

void choose_forms(DraftList& list, const Touches& touches, const DeviceMemory& memory, std::int64_t copies) {
  Choosing(list, touches, memory, copies).run();
}

}  // namespace weft::cuda
