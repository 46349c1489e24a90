// The platform's BLAS: OpenBLAS, or Apple's Accelerate. A product is to run on the thread that asks for it.
#pragma once

#include <string>

#ifdef WEFT_HAVE_ACCELERATE
#include <Accelerate/Accelerate.h>
#else
#include <cblas.h>
#endif

namespace weft::native_cpu {

/// A BLAS that splits a product by its number of threads changes the order of its sums with it. One thread there, and
/// tiles for threads of our own, give the same bits on any number of cores. (Accelerate can be told from macOS 15 on.)
inline void keep_blas_to_one_thread() {
#ifdef WEFT_HAVE_ACCELERATE
  if (__builtin_available(macOS 15.0, *)) BLASSetThreading(BLAS_THREADING_SINGLE_THREADED);
#else
  openblas_set_num_threads(1);
#endif
}

/// "OpenBLAS Haswell"
inline std::string blas_name() {
#ifdef WEFT_HAVE_ACCELERATE
  return "Accelerate";
#else
  return std::string("OpenBLAS ") + openblas_get_corename();
#endif
}

}  // namespace weft::native_cpu
