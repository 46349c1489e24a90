// What drafts read and write.
#include "src/backend/cuda/touches.h"

#include <algorithm>

namespace weft::cuda {

bool Touches::is_scratch(Operand operand) const {
  return operand.buffer != program_.output.buffer && operand.buffer != program_.loss_value &&
         operand.buffer != program_.loss_finite && memory_.role(operand.buffer) == Role::kScratch;
}

std::vector<Operand> Touches::plain_reads(const Draft& d) const {
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
    case Draft::Kind::kFused:
      for (const ProductFactor& factor : {d.factors.left, d.factors.right})
        if (factor.form == Form::kPlain) read(factor.operand);
      if (d.code->op == Opcode::kForward) read(d.code->in[2]);
      if (d.code->op != Opcode::kForward && reads_outputs(*d.code)) read(d.code->out[0]);
      if (d.delta != nullptr) read(d.delta->in[1]);
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

std::vector<Operand> Touches::reads(const Draft& d) const {
  std::vector<Operand> reads = plain_reads(d);
  if (d.kind == Draft::Kind::kProduct || d.kind == Draft::Kind::kFused)
    reads.insert(reads.end(), {d.factors.left.operand, d.factors.right.operand});
  return reads;
}

std::vector<Operand> Touches::writes(const Draft& d) const {
  switch (d.kind) {
    case Draft::Kind::kConvert: return {};
    case Draft::Kind::kActivate:
    case Draft::Kind::kGather: return {d.result};
    case Draft::Kind::kProduct: return {d.code->out[0]};
    case Draft::Kind::kFused: {
      std::vector<Operand> written;
      if (d.between.present()) written.push_back(d.between);
      written.push_back(d.result.present() ? d.result : d.code->out[0]);
      return written;
    }
    case Draft::Kind::kMseGap: {
      std::vector<Operand> written;
      if (d.result.present()) written.push_back(d.result);
      if (d.takes_loss) written.insert(written.end(), {d.code->out[1], d.code->out[2]});
      return written;
    }
    default: {
      std::vector<Operand> written;
      for (const Operand& out : d.code->out)
        if (out.present()) written.push_back(out);
      return written;
    }
  }
}

bool Touches::names(const std::vector<Operand>& operands, Operand operand) const {
  return std::any_of(operands.begin(), operands.end(), [&](Operand each) { return same(each, operand); });
}

bool Touches::written_between(const std::vector<Draft>& drafts, std::size_t first, std::size_t last,
                              Operand operand) const {
  for (std::size_t at = first + 1; at < last; ++at)
    if (writes(drafts[at], operand)) return true;
  return false;
}

}  // namespace weft::cuda
