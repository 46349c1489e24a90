// Grid: what the blocks of one cooperative grid need to train together. Each keeps a tile of every weight matrix in its
// shared memory and owns some rows of the batch; what others need of it travels through device memory, between
// barriers. CUDA alone: the text of a generated kernel begins with this folder's files.
#pragma once

#include "src/kernels/dialect.h"

namespace weft::kernels::grid {

constexpr int kThreads = 256, kWarps = kThreads / 32;

#define WEFT_GRID __device__ __forceinline__

/// The warp that works on single numbers, and its thread that writes them.
WEFT_GRID bool in_counting_warp() { return threadIdx.x >= kThreads - 32; }
WEFT_GRID bool counts() { return threadIdx.x == kThreads - 32; }
/// The thread's number; where WEFT_FRESH, anew each time, else all that follows from it is worked out before a text's
/// loop and takes registers that large products need.
WEFT_GRID int thread_of() {
  int thread = static_cast<int>(threadIdx.x);
#ifdef WEFT_FRESH
  asm volatile("" : "+r"(thread));
#endif
  return thread;
}
WEFT_GRID int warp_of() { return static_cast<int>(threadIdx.x >> 5); }
WEFT_GRID int lane_of() { return static_cast<int>(threadIdx.x & 31); }

__host__ __device__ constexpr int div_up(int a, int b) { return (a + b - 1) / b; }
WEFT_GRID int clamped(int value, int most) { return value < 0 ? 0 : value > most ? most : value; }

/// A barrier of all blocks, in two halves. The counter only grows, from launch to launch too; `goal` starts with what
/// it was when the launch began. What any thread wrote before arriving, every thread sees after its wait.
struct Barrier {
  unsigned* counter;
  unsigned goal;

  WEFT_GRID void arrive() {
    __syncthreads();
    arrive_alone();
  }
  WEFT_GRID void wait() const {
    wait_alone();
    __syncthreads();
  }

  /// The same by one thread, for a block whose threads meet anyway before and after it.
  WEFT_GRID void arrive_alone() {
    goal += gridDim.x;
    if (by_this_thread()) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
  }
  WEFT_GRID void wait_alone() const {
    if (!by_this_thread()) return;
    unsigned seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
    while (static_cast<int>(seen - goal) < 0);
  }

  /// Without the fences, for those who read nothing that others wrote before it: it only keeps stores of theirs back
  /// until others have what they load, and a thread that counts in has waited for all that its block has loaded.
  WEFT_GRID void count_in() {
    goal += gridDim.x;
    if (by_this_thread()) asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter));
  }
  /// How many have, asked for long before it is looked at.
  WEFT_GRID unsigned glance() const {
    unsigned seen = 0;
    if (by_this_thread()) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter));
    return seen;
  }
  WEFT_GRID void wait_for_all(unsigned seen) const {
    if (by_this_thread() && static_cast<int>(seen - goal) < 0) wait_alone();
  }

  WEFT_GRID static bool by_this_thread() { return threadIdx.x == kThreads / 2; }
};

/// Starts copying 4, 8 or 16 bytes into shared memory; zeros where there is nothing.
template <int kBytes>
WEFT_GRID void copy_async(float* to, const float* from, bool there) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int size = there ? kBytes : 0;
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(size) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(kBytes), "r"(size)
                 : "memory");
}
WEFT_GRID void landed() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Where the rows of a call's batch are: those of samples order[call * batch ...], or of those very numbers where order
/// is null. A sample has `each` rows.
struct Batch {
  const int* order;
  int first;  // row of the call's first
  int each;
  /// Its sample, and from that its row.
  WEFT_GRID int sample(int r) const {
    const int at = each == 1 ? first + r : (first + r) / each;
    return order == nullptr ? at : __ldg(order + at);
  }
  WEFT_GRID long long row(int r, int sample) const {
    return each == 1 ? sample : static_cast<long long>(sample) * each + (first + r) % each;
  }
};
/// The numbers of kRows of them, on their way from the order to shared memory: asked for long before they are stored,
/// and stored before the call that needs them.
template <int kRows>
struct List {
  static constexpr int kEach = div_up(kRows, kThreads);
  Batch batch;
  int sample[kEach];
  WEFT_GRID explicit List(Batch of) : batch(of) {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int r = j * kThreads + static_cast<int>(threadIdx.x);
      sample[j] = r < kRows ? batch.sample(r) : 0;
    }
  }
  WEFT_GRID void store(long long* to) const {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int r = j * kThreads + static_cast<int>(threadIdx.x);
      if (r < kRows) to[r] = batch.row(r, sample[j]);
    }
  }
};
struct Listed {
  const long long* rows;
  WEFT_GRID long long row(int r) const { return rows[r]; }
};
/// Rows that lie one behind the other.
struct InPlace {
  int first;
  WEFT_GRID long long row(int r) const { return static_cast<long long>(first) + r; }
};

/// Starts copying kRows rows of kColumns elements (rows of `from` are kStride long) to shared memory, where rows are
/// kLead apart. Of the rows the first `rows` are there, of the columns the first `columns`; the rest is filled with
/// zeros. kStride, and where the columns begin, are multiples of kWords.
template <int kRows, int kColumns, int kLead, int kStride, int kWords, class Rows>
WEFT_GRID void gather(float* to, const float* from, Rows source, int rows, int columns) {
  constexpr int kAcross = kColumns / kWords, kItems = kRows * kAcross, kEach = div_up(kItems, kThreads);
  const int thread = thread_of();
#pragma unroll 4
  for (int j = 0; j < kEach; ++j) {
    const int i = thread + j * kThreads;
    if (kItems % kThreads != 0 && i >= kItems) break;
    const int row = i / kAcross, column = i % kAcross * kWords;
    const bool there = row < rows && column < columns;
    copy_async<4 * kWords>(to + row * kLead + column, from + (there ? source.row(row) * kStride + column : 0), there);
  }
}

/// A block's part of a matrix[n, k]: rows [row, row + rows) and columns [column, column + columns).
struct Tile {
  int row, rows, column, columns;
  WEFT_GRID bool any() const { return rows > 0 && columns > 0; }
};
WEFT_GRID Tile tile_of(int rank, int along_n, int along_k, int nt, int kt, int n, int k) {
  if (rank >= along_n * along_k) return Tile{0, 0, 0, 0};
  const int row = rank / along_k * nt, column = rank % along_k * kt;
  return Tile{row, clamped(n - row, nt), column, clamped(k - column, kt)};
}

/// The tile of a matrix whose rows are k long, to shared memory and back.
WEFT_GRID void load_tile(float* to, int lead, const float* from, int k, Tile tile) {
  for (int i = thread_of(); i < tile.rows * tile.columns; i += kThreads) {
    const int row = i / tile.columns, column = i % tile.columns;
    to[row * lead + column] = from[static_cast<long long>(tile.row + row) * k + tile.column + column];
  }
}
WEFT_GRID void store_tile(const float* from, int lead, float* to, int k, Tile tile) {
  for (int i = thread_of(); i < tile.rows * tile.columns; i += kThreads) {
    const int row = i / tile.columns, column = i % tile.columns;
    to[static_cast<long long>(tile.row + row) * k + tile.column + column] = from[row * lead + column];
  }
}

/// The sum over a warp, told to all of its lanes; the order is fixed. Only each kApart-th lane has a term.
template <int kApart = 1>
WEFT_GRID float warp_sum(float v) {
#pragma unroll
  for (int s = 16; s >= kApart; s >>= 1) v += __shfl_xor_sync(~0u, v, s);
  return v;
}

/// Of what the first lane of each warp has left.
WEFT_GRID float sum_of_warps(const float* left) {
  float sum = 0.0f;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) sum += left[w];
  return sum;
}

/// The sum over the block, told to the first warp. Only the first kActive threads have terms. `scratch`: kWarps floats.
template <int kActive>
WEFT_GRID float block_sum(float v, float* scratch) {
  if constexpr (kActive <= 32) {
    return warp_of() == 0 ? warp_sum(v) : 0.0f;
  } else {
    __syncthreads();  // whoever still reads an earlier sum
    v = warp_sum(v);
    if (lane_of() == 0) scratch[warp_of()] = v;
    __syncthreads();
    return warp_of() == 0 ? sum_of_warps(scratch) : 0.0f;
  }
}

}  // namespace weft::kernels::grid
