// Drafts: the instructions of a program as tasks-to-be, with the forms in which each result is wanted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/backend/cuda/products.h"
#include "src/backend/cuda/task.h"

namespace weft::cuda {

/// Elements from which on one block's sum takes longer than the sum of many.
inline constexpr std::int64_t kLeastManyBlocks = 16384;

struct Draft {
  enum class Kind {
    kInstruction,  // by the kernel of launch.h
    kProduct,      // by cuBLASLt
    kFused,        // by the kernel of fused.h, with all of a forward product or update, or perhaps the delta behind it
    kActivate,     // what cuBLASLt leaves of a forward product
    kDelta,        // perhaps with the projection before it
    kProject,      // or a plain scale
    kMseGap,       // of many elements, by many blocks
    kGather,       // of the call's input or target
    kConvert,      // into other forms
  };
  Kind kind = Kind::kInstruction;
  std::int32_t instruction = -1;
  const Instruction* code = nullptr;        // null for kGather, kConvert
  const Instruction* projection = nullptr;  // kDelta, kFused
  const Instruction* delta = nullptr;       // kFused: of the product of a grad_input
  Conditions when{};
  // Of what has a result in several forms:
  Operand result, source;
  Extent extent{0, 0};
  bool plain = true;
  std::optional<Place> half, finite, turned;
  bool turned_finite = false, zeroes = false;  // as in Forms
  // kProduct, kFused:
  Factors factors;
  Operand between;  // kFused: z, or g before the delta; absent where nobody wants it
  // kMseGap: takes the target's rows where they lie, and the loss
  bool gathers = false, takes_loss = true;
};

struct DraftList {
  std::vector<Draft> drafts;
  std::vector<Draft> first;  // conversions at the beginning of a run of calls
  std::int64_t scratch = 0;  // bytes of all forms
};

/// blas: products may go to cuBLASLt.
DraftList draft(const Program& program, const DeviceMemory& memory, bool blas, ProductWish wish);

}  // namespace weft::cuda
