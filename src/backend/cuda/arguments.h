// Arguments: what the kernel of a draft is launched with for the call at hand.
#pragma once

#include "src/backend/cuda/drafts.h"
#include "src/backend/cuda/fused.h"

namespace weft::cuda {

inline float* at(const Emission& e, const Place& place) {
  return reinterpret_cast<float*>(e.memory->at(place, e.call.clock));
}
inline float* at(const Emission& e, Operand operand) { return at(e, Place{operand}); }

/// Where the product finds the factor.
inline Place place_of(const ProductFactor& f) { return f.form == Form::kPlain ? Place{f.operand} : f.place; }

Guard guard_of(const Conditions& when, const Emission& e);
kernels::Operands operands_of(const Instruction& instruction, const Emission& e);
Forms forms_of(const Draft& draft, const Emission& e);
/// Of a kProject, or of the one before a delta; else one that leaves the numbers as they are.
Projection projection_of(const Draft& draft);
/// Of a kFused.
Finish finish_of(const Draft& draft, const Emission& e);

}  // namespace weft::cuda
