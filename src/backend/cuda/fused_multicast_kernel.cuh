// The kernel of fused products for GPUs with a tensor copy engine: one warp has stages filled, eight multiply.
#pragma once

#include "src/backend/cuda/dependent.cuh"
#include "src/backend/cuda/fused_multicast_group.cuh"
#include "src/backend/cuda/fused_multicast_map.h"

namespace weft::cuda::fused {

/// What a block has in shared memory: stages, what groups exchange, barriers.
template <typename Multiplier, int kStages>
struct Room {
  static constexpr int kStage = Multiplier::Left::kBytes + Multiplier::Right::kBytes;
  static constexpr int kExchange = kStages * kStage, kExchangeBytes = 16 * 1024;
  static constexpr int kBarriers = kExchange + kExchangeBytes, kBytes = kBarriers + Pipe<kStages>::kBytes;
  static constexpr int kBlocks = kBytes <= kMostShared ? 2 : 1;  // on a multiprocessor
  static constexpr int kThreads = (kUsers + 1) * 32;
  static_assert(kBytes <= 227 * 1024);
};

/// Whether maps have strips, so that a panel comes at once.
struct AtOnce {
  bool left, right;
};

template <typename Multiplier, int kStages>
__global__ void __launch_bounds__(Room<Multiplier, kStages>::kThreads, Room<Multiplier, kStages>::kBlocks)
    multicast_kernel(const __grid_constant__ Job job, const __grid_constant__ CUtensorMap left_map,
                     const __grid_constant__ CUtensorMap right_map, const AtOnce at_once) {
#if __CUDA_ARCH__ >= 900
  using Left = typename Multiplier::Left;
  using Right = typename Multiplier::Right;
  using Room = fused::Room<Multiplier, kStages>;
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned stages = address_of(memory);
  const Pipe<kStages> pipe{stages + Room::kBarriers};
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // the compiler sees it is one
  const bool fills = warp == kUsers;
  if (fills && is_chosen()) {
    pipe.start(kUsers);
    asm volatile("prefetch.tensormap [%0];" ::"l"(&left_map) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&right_map) : "memory");
  }
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const int down = (job.rows + Left::kSide - 1) / Left::kSide;
  const int top = static_cast<int>(blockIdx.x) % down * Left::kSide;
  const int left_edge = static_cast<int>(blockIdx.x) / down * Right::kSide;
  const int count = (job.inner + Left::kInner - 1) / Left::kInner;
  if (job.guarded && !is_due(job.guard)) {
    if (job.finish.to.zeroes) clear_tile(job, top, Left::kSide, left_edge, Right::kSide);
    return;
  }
  Turn<kStages> turn;
  if (fills) {
    if (!is_chosen()) return;
#pragma unroll 1
    for (int stage = 0; stage < count; ++stage) {
      if (stage >= kStages) wait_for(pipe.empty(turn.slot), turn.parity ^ 1);
      const unsigned to = stages + static_cast<unsigned>(turn.slot * Room::kStage);
      pipe.expect(turn.slot, Room::kStage);
      load_panel<Left>(left_map, at_once.left, to, pipe.full(turn.slot), top, stage * Left::kInner);
      load_panel<Right>(right_map, at_once.right, to + Left::kBytes, pipe.full(turn.slot), left_edge,
                        stage * Left::kInner);
      turn.go_on();
    }
    return;
  }

  const Multiplier multiplier(warp);
  static_assert(Multiplier::kGroups == 2);  // so each warp finishes one patch
  const auto patch = [&] {
    Patch mine = multiplier.patch(multiplier.group);
    mine.rows[0] += top, mine.rows[1] += top, mine.column += left_edge;
    mine.whole = job.wide && top + Left::kSide <= job.rows && left_edge + Right::kSide <= job.columns;
    return mine;
  };
  // What the sums are finished with comes while they are made.
  Pairs given;
  load_given(given, job, patch());
  const float factor = factor_of(job.finish);

  Sums sums = {};
#pragma unroll 1
  for (int stage = 0; stage < count; ++stage) {
    wait_for(pipe.full(turn.slot), turn.parity);
    multiplier.multiply(sums, stages + static_cast<unsigned>(turn.slot * Room::kStage), stage == 0);
    pipe.release(turn.slot);
    turn.go_on();
  }
  asm volatile("griddepcontrol.launch_dependents;");
  float own[4][4];
  auto* const exchange = reinterpret_cast<float4*>(memory + Room::kExchange) + warp % (kUsers / 2) * 256;
  exchange_sums<2>(sums, own, multiplier.group, exchange, [] { asm volatile("bar.sync 1, 256;" ::: "memory"); });
  const auto finish = [&](float(&from)[4][4], const Pairs& with) {
    Multiplier::settle(from);
    Pairs pairs;
    each_pair([&](int r, int j) { pairs[r][j] = make_float2(from[j][2 * r], from[j][2 * r + 1]); });
    finish_patch(job, patch(), pairs, with, factor);
  };
  finish(own, given);
#endif
}

/// side: rows of left or columns of right; row: bytes.
template <typename Strips>
MapOf map_of(const char* factor, Index row, int side, int inner) {
  return {factor,
          row,
          Strips::kAlong ? inner : side,
          Strips::kAlong ? side : inner,
          Strips::kElement,
          Strips::kLines,
          Strips::kStrips};
}

template <typename Multiplier, int kStages>
cudaError_t launch_multicast_tile(const Job& job, const Launch& launch) {
  using Left = typename Multiplier::Left;
  using Right = typename Multiplier::Right;
  using Room = fused::Room<Multiplier, kStages>;
  const auto kernel = multicast_kernel<Multiplier, kStages>;
  const MapOf left_of = map_of<Left>(job.left, job.left_row, job.rows, job.inner);
  const MapOf right_of = map_of<Right>(job.right, job.right_row, job.columns, job.inner);
  CUtensorMap left, right;
  if (!make_map(left, left_of) || !make_map(right, right_of)) return cudaErrorNotSupported;
  const auto blocks = [](int size, int side) { return static_cast<unsigned>((size + side - 1) / side); };
  const unsigned tiles = blocks(job.rows, Left::kSide) * blocks(job.columns, Right::kSide);
  return launch_dependent_with(Room::kBytes, kernel, tiles, Room::kThreads, launch.stream, job, left, right,
                               AtOnce{left_of.has_strips(), right_of.has_strips()});
}

}  // namespace weft::cuda::fused
