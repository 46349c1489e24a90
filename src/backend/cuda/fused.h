// Fused: products of matrices on tensor cores that finish what the program does next with each element of the result.
#pragma once

#include <cuda_runtime_api.h>

#include "src/backend/cuda/blas.h"
#include "src/backend/cuda/forms.h"

namespace weft::cuda {

/// What becomes of the sums s[rows, columns].
struct Finish {
  enum class Kind {
    kPlain,     // y = s, or y += s
    kActivate,  // z = s + bias; act(z) in the forms of `to`
    kDelta,     // (scale g) act'(z), g = a s, in the forms of `to`
    kDescend,   // y -= rate of the call * scale * s, the forms of `to` of the new y
  };
  Kind kind = Kind::kPlain;
  bool accumulates = false;     // kPlain
  float* y = nullptr;           // kPlain, kDescend: [rows, columns]; kDelta: g, null where nobody wants it
  float* z = nullptr;           // kActivate: written, null where nobody wants it; kDelta: read
  const float* bias = nullptr;  // kPlain, kActivate: [columns], or null
  kernels::Act activation{};
  float a = 1.0f, scale = 1.0f;
  const CallState* state = nullptr;  // kDescend: has the rate
  Forms to;                          // without turned ones
};

/// Whether `multiply` takes this product; it wants rows of 16-byte multiples, aligned to 16 bytes.
bool can_multiply(const ProductShape& shape);

/// An estimate of how long it takes in fp32, in µs on the GPU at hand.
double multiply_time(const ProductShape& shape);

/// Puts left right on the stream, finished so. Nothing happens where the guard does not hold (but zeroes in forms).
/// The order of sums depends on the shape and the kind of GPU alone.
cudaError_t multiply(const Guard& guard, const ProductShape& shape, const void* left, const void* right,
                     const Finish& finish, cudaStream_t stream);

}  // namespace weft::cuda
