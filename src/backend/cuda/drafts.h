// Drafts: the instructions of a program as tasks-to-be, with the forms in which each result is wanted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/backend/cuda/task.h"

namespace weft::cuda {

/// Elements from which on one block's sum takes longer than the sum of many.
inline constexpr std::int64_t kLeastManyBlocks = 16384;

/// Operations of a product from which on it fills a GPU by itself: others beside it only get into its way.
inline constexpr double kLargeProduct = 3e10;

/// A matrix in memory as a product wants it.
enum class Form { kPlain, kHalf, kFinite, kTurned };

/// A factor of a product that cuBLASLt computes.
struct DraftFactor {
  Operand operand;
  std::int64_t rows = 0, columns = 0;  // as it lies in memory
  Form form = Form::kPlain;
  bool gated = false;   // 0 where the product's conditions do not hold
  bool finite = false;  // of turned ones: 0 for what is not finite
  Place place;          // of that form
};

struct Draft {
  enum class Kind {
    kInstruction,  // by the kernel of launch.h
    kProduct,      // by cuBLASLt
    kActivate,     // what is left of a forward product
    kDelta,        // perhaps with the projection before it
    kProject,      // or a plain scale
    kMseGap,       // of many elements, by many blocks
    kGather,       // of the call's input or target
    kConvert,      // into other forms
  };
  Kind kind = Kind::kInstruction;
  std::int32_t instruction = -1;
  const Instruction* code = nullptr;        // null for kGather, kConvert
  const Instruction* projection = nullptr;  // kDelta
  std::array<Predicate, 3> when{};
  // Of what has a result in several forms:
  Operand result, source;
  Extent extent{0, 0};
  bool plain = true;
  std::optional<Place> half, finite, turned;
  bool turned_finite = false, zeroes = false;  // as in Forms
  // kProduct:
  DraftFactor left, right;
  // kMseGap: takes the target's rows where they lie
  bool gathers = false;
};

struct DraftList {
  std::vector<Draft> drafts;
  std::int64_t scratch = 0;  // bytes of all forms
};

/// blas: large products go there.
DraftList draft(const Program& program, const DeviceMemory& memory, bool blas);

/// Elements from one row of a form to the next: with room for 16-byte accesses.
inline std::int64_t padded(std::int64_t elements) { return (elements + 7) / 8 * 8; }

}  // namespace weft::cuda
