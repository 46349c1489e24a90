// Tensor cores: the instructions with which a warp takes fragments of matrices from shared memory and multiplies them.
#pragma once

namespace weft::cuda::fused {

/// Four matrices of 8 x 8 elements of two bytes; kTurn: turned about.
template <bool kTurn>
__device__ __forceinline__ void take_four(unsigned (&to)[4], unsigned from) {
  if constexpr (kTurn)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
}
// Words one by one, since matrices of elements of four bytes cannot be turned.
__device__ __forceinline__ void take_two(unsigned& first, unsigned& second, unsigned from) {
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "r"(from));
}
__device__ __forceinline__ void take_one(unsigned& to, unsigned from) {
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(to) : "r"(from));
}

/// 16 rows and 8 columns of sums of 32 bytes of the inner side, elements of kElement bytes: tf32 or bfloat16.
template <int kElement>
__device__ __forceinline__ void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  if constexpr (kElement == 4)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace weft::cuda::fused
