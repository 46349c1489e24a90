// Kernels for the tests of the stand-in itself: what is right, and what a GPU would punish.
#include <metal_stdlib>
using namespace metal;
struct Shape { uint rows, cols, inner; };
struct Rate { uint count; float rate; };

static inline float tile_dot(threadgroup const float* row, threadgroup const float* column) {
  float sum = 0.0f;
  for (uint k = 0; k < 16; ++k) sum += row[k] * column[k * 16];
  return sum;
}

kernel void product(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                    device float* c [[buffer(2)]], constant Shape& shape [[buffer(3)]],
                    uint3 in_group [[thread_position_in_threadgroup]], uint3 group [[threadgroup_position_in_grid]]) {
  threadgroup float tile_a[256];
  threadgroup float tile_b[256];
  const uint x = in_group.x, y = in_group.y, row = group.y * 16 + y, col = group.x * 16 + x;
  float sum = 0.0f;
  for (uint base = 0; base < shape.inner; base += 16) {
    tile_a[y * 16 + x] = row < shape.rows && base + x < shape.inner ? a[row * shape.inner + base + x] : 0.0f;
    tile_b[y * 16 + x] = base + y < shape.inner && col < shape.cols ? b[(base + y) * shape.cols + col] : 0.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += tile_dot(tile_a + y * 16, tile_b + x);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (row < shape.rows && col < shape.cols) c[row * shape.cols + col] = sum;
}

kernel void descend(device float* weight [[buffer(0)]], device const float* gradient [[buffer(1)]],
                    constant Rate& step [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (i < step.count) weight[i] = fma(-step.rate, gradient[i], weight[i]);
}

kernel void tell_all(device float* to [[buffer(0)]], ushort rank [[thread_index_in_threadgroup]]) {
  threadgroup float first;
  if (rank == 0) first = to[0] + 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  to[rank] = first;
}

kernel void lanes(device float* to [[buffer(0)]], uint rank [[thread_index_in_threadgroup]],
                  uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  float sum = float(lane) + 100.0f * float(group);
  for (ushort distance = 1; distance < 32; distance *= 2) sum += simd_shuffle_xor(sum, distance);
  to[rank] = sum;
}

kernel void dynamic(device float* to [[buffer(4)]], threadgroup float* shared [[threadgroup(0)]],
                    uint rank [[thread_position_in_threadgroup]], uint size [[threads_per_threadgroup]]) {
  shared[rank] = float(rank);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  to[rank] = shared[size - 1 - rank];
}

kernel void diverges(device float* to [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i < 5) threadgroup_barrier(mem_flags::mem_threadgroup);
  to[i] = 1.0f;
}

kernel void two_barriers(device float* to [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i < 5) {
    to[i] = 2.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  } else {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    to[i] = 1.0f;
  }
}

kernel void writes_behind(device float* to [[buffer(0)]], uint i [[thread_position_in_grid]]) { to[i + 1] = 1.0f; }

[[max_total_threads_per_threadgroup(64)]] kernel void narrow(device float* to [[buffer(0)]],
                                                             uint i [[thread_position_in_grid]]) { to[i] = 1.0f; }

kernel void every_index(
    device float* a0, device float* a1, device float* a2, device float* a3, device float* a4, device float* a5,
    device float* a6, device float* a7, device float* a8, device float* a9, device float* a10, device float* a11,
    device float* a12, device float* a13, device float* a14, device float* a15, device float* a16, device float* a17,
    device float* a18, device float* a19, device float* a20, device float* a21, device float* a22, device float* a23,
    device float* a24, device float* a25, device float* a26, device float* a27, device float* a28, device float* a29,
    constant float& last, uint i [[thread_position_in_grid]], uint n [[threads_per_grid]],
    uint3 groups [[threadgroups_per_grid]]) {
  a29[i] = a0[i] + a5[i] + a6[i] + a28[i] + last + float(n) + float(groups.x);
}
