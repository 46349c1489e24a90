// Pipe: the stages of a block's panels, which the tensor copy engine fills while tensor cores use others.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace weft::cuda::fused {

__device__ inline unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

__device__ inline void start_barrier(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Until the phase of that parity is over.
__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
}

template <int kStages>
struct Pipe {
  static constexpr int kBytes = kStages * 16;
  unsigned barriers;  // full ones, then empty ones

  __device__ unsigned full(int slot) const { return barriers + static_cast<unsigned>(slot * 8); }
  __device__ unsigned empty(int slot) const { return full(kStages + slot); }

  /// By one thread. users: warps that use each stage.
  __device__ void start(int users) const {
    for (int slot = 0; slot < kStages; ++slot) {
      start_barrier(full(slot), 1);
      start_barrier(empty(slot), users);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ void expect(int slot, int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full(slot)), "r"(bytes) : "memory");
  }
  /// By a whole warp, which needs the stage no more.
  __device__ void release(int slot) const {
    __syncwarp();
    if (threadIdx.x % 32 == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty(slot)) : "memory");
  }
};

/// Which stage is next, and the parity of its barriers.
template <int kStages>
struct Turn {
  int slot = 0;
  unsigned parity = 0;
  __device__ void go_on() {
    if (++slot == kStages) slot = 0, parity ^= 1;
  }
};

/// One thread of a warp that is all there, always the same; what it does for the copy engine the compiler then knows to
/// be done once.
__device__ inline bool is_chosen() {
  unsigned chosen = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(chosen));
#endif
  return chosen != 0;
}

/// A box of the matrix at (x, y, z) to shared memory, and its bytes to the barrier.
__device__ __forceinline__ void copy_box(unsigned to, const CUtensorMap& map, int x, int y, int z, unsigned barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(to),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
#endif
}

}  // namespace weft::cuda::fused
