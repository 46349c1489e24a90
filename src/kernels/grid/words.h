// Words: what blocks tell each other without waiting for a barrier. A word is a float that gives up its lowest bit to
// say of which version it is, so a reader asks for it until that bit is as it should be.
#pragma once

#include "src/kernels/grid/grid.h"

namespace weft::kernels::grid {

/// One thing on the board (src/generate/grid_board.h) as all blocks see it: versions take turns in kSlots slots, and
/// each round of slots has the other mark. The memory starts as zeros, which are a version that is there.
template <int kSlots, long long kFloats>
struct Notice {
  float* first;
  unsigned version;
  WEFT_GRID Notice(float* to, unsigned told) : first(to), version(told + kSlots - 1) {}
  WEFT_GRID void next() { ++version; }
  WEFT_GRID float* at() const { return first + static_cast<int>(version & (kSlots - 1)) * kFloats; }
  WEFT_GRID unsigned mark() const { return version / kSlots & 1u; }
  WEFT_GRID unsigned told() const { return version - (kSlots - 1); }
};

WEFT_GRID unsigned word_of(float value, unsigned mark) { return (__float_as_uint(value) & ~1u) | mark; }
WEFT_GRID float value_of(unsigned word) { return __uint_as_float(word & ~1u); }

WEFT_GRID void post(float* at, float value, unsigned mark) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(word_of(value, mark)));
}
WEFT_GRID void post(float* at, float v0, float v1, unsigned mark) {
  asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(word_of(v0, mark)),
               "r"(word_of(v1, mark)));
}
/// Reads a word, or four, again that are not there. Returns whether they were not. One instruction for the first time
/// and all others keeps texts short.
WEFT_GRID unsigned ask(unsigned& word, const float* at, unsigned mark) {
  const unsigned missing = (word ^ mark) & 1u;
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n@p ld.relaxed.gpu.global.u32 %0, [%1];\n}"
               : "+r"(word)
               : "l"(at), "r"(missing));
  return missing;
}
WEFT_GRID unsigned ask(uint4& w, const float* at, unsigned mark) {
  const unsigned missing = ((w.x ^ mark) | (w.y ^ mark) | (w.z ^ mark) | (w.w ^ mark)) & 1u;
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
               : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w)
               : "l"(at), "r"(missing));
  return missing;
}

/// Whether any lane misses a word. Loops that wait end for all lanes of a warp at once: lanes left behind one by one
/// would each wait for loads of their own.
WEFT_GRID bool any_lane(unsigned missing) { return __any_sync(__activemask(), missing != 0) != 0; }

/// The word at `at` when it is there.
WEFT_GRID float told(const float* at, unsigned mark) {
  unsigned word = ~mark;
  while (any_lane(ask(word, at, mark))) {
  }
  return value_of(word);
}
/// The words at at(0), at(1) ... when all are there; those that are not are asked for again, all at once.
template <int kCount, class At>
WEFT_GRID void await(unsigned (&words)[kCount], unsigned mark, At at) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) words[i] = ~mark;
  unsigned missing;
#pragma unroll 1
  do {
    missing = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) missing |= ask(words[i], at(i), mark);
  } while (any_lane(missing));
}

/// kRows rows of kColumns elements, as `gather` copies them, from rows of words that are kStride (a multiple of 4)
/// apart: in shared memory when it has ended, by the first kBy threads. Where kRagged, `columns` need not be a multiple
/// of 4.
template <int kRows, int kColumns, int kLead, int kStride, bool kRagged, int kBy>
struct WordGather {
  static constexpr int kAcross = kColumns / 4, kItems = kRows * kAcross, kEach = div_up(kItems, kBy);
  static constexpr int kAtOnce = kEach < 8 ? kEach : 8;
  uint4 words[kAtOnce];
  const float* from;
  int rows, columns;
  unsigned mark;

  WEFT_GRID void start(const float* at, int row_count, int column_count, unsigned of) {
    from = at, rows = row_count, columns = column_count, mark = of;
    restart(thread_of());
  }
  /// Not needed, but then they are on their way.
  WEFT_GRID void hurry() { ask_all(thread_of()); }
  WEFT_GRID void end(float* to) {
#pragma unroll 1
    for (int first = thread_of(); first < kItems; first += kAtOnce * kBy) {
      if (kEach > kAtOnce && first >= kBy) restart(first);
#pragma unroll 1
      while (any_lane(ask_all(first))) {
      }
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const int i = first + j * kBy;
        if (kItems % (kAtOnce * kBy) != 0 && i >= kItems) break;
        *reinterpret_cast<float4*>(to + i / kAcross * kLead + i % kAcross * 4) =
            make_float4(value_of(words[j].x), value_of(words[j].y), value_of(words[j].z), value_of(words[j].w));
      }
    }
  }

  /// How many words of piece i are there: what is not counts as zeros that have come.
  WEFT_GRID int left(int i) const {
    return (kItems % (kAtOnce * kBy) == 0 || i < kItems) && i / kAcross < rows ? columns - i % kAcross * 4 : 0;
  }
  WEFT_GRID void restart(int first) {
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const unsigned word = left(first + j * kBy) > 0 ? ~mark : mark;
      words[j] = {word, word, word, word};
    }
  }
  WEFT_GRID unsigned ask_all(int first) {
    unsigned missing = 0;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const int i = first + j * kBy;
      missing |= ask(words[j], from + i / kAcross * kStride + i % kAcross * 4, mark);
      if (kRagged && left(i) < 2) words[j].y = mark;
      if (kRagged && left(i) < 3) words[j].z = mark;
      if (kRagged && left(i) < 4) words[j].w = mark;
    }
    return missing;
  }
};

/// A tile of a matrix whose rows are kStride apart on the board.
WEFT_GRID void post_tile(const float* from, int lead, float* to, int stride, Tile tile, unsigned mark) {
  for (int i = thread_of(); i < tile.rows * tile.columns; i += kThreads) {
    const int row = i / tile.columns, column = i % tile.columns;
    post(to + (tile.row + row) * stride + tile.column + column, from[row * lead + column], mark);
  }
}
/// Rows [row0, row0 + rows) of a matrix whose rows are `width` long, `stride` apart on the board.
WEFT_GRID void post_rows(const float* from, int width, float* to, int stride, int row0, int rows, unsigned mark) {
  for (int i = thread_of(); i < rows * width; i += kThreads) {
    const int row = row0 + i / width, column = i % width;
    post(to + row * stride + column, __ldcg(from + static_cast<long long>(row) * width + column), mark);
  }
}
WEFT_GRID void post_row(const float* from, float* to, int columns, unsigned mark) {
  for (int c = 0; c < columns; ++c) post(to + c, from[c], mark);
}

/// Words of a block's parts of sums: a sector of its own, so that no two blocks write one while others read it.
constexpr int kPartWords = 8;
/// The sums of the parts that kCount blocks have told, by one warp; the first kSums words are parts of as many sums.
template <int kCount, int kSums>
struct PartSums {
  static constexpr int kEach = div_up(kCount, 32), kQuads = div_up(kSums, 4);
  uint4 words[kEach][kQuads];
  const float* parts;
  unsigned mark;

  WEFT_GRID void start(const float* from, unsigned of) {
    parts = from, mark = of;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
#pragma unroll
      for (int q = 0; q < kQuads; ++q) words[i][q] = {~mark, ~mark, ~mark, ~mark};
    ask_all();
  }
  WEFT_GRID unsigned ask_all() {
    unsigned missing = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        uint4& w = words[i][q];
        missing |= ask(w, parts + min(i * 32 + lane_of(), kCount - 1) * kPartWords + 4 * q, mark);
        if (kSums - 4 * q < 2) w.y = mark;
        if (kSums - 4 * q < 3) w.z = mark;
        if (kSums - 4 * q < 4) w.w = mark;
      }
    return missing;
  }
  WEFT_GRID bool missing() { return any_lane(ask_all()); }
  /// Sum kSum when all parts are there, told to all lanes.
  template <int kSum>
  WEFT_GRID float sum() const {
    float v = 0.0f;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const uint4& w = words[i][kSum / 4];
      const unsigned word = kSum % 4 == 0 ? w.x : kSum % 4 == 1 ? w.y : kSum % 4 == 2 ? w.z : w.w;
      if (i * 32 + lane_of() < kCount) v += value_of(word);
    }
    return warp_sum(v);
  }
};
/// A block's parts of sums whose terms its warps have left, kWarps after kWarps: a thread a sum, at words that follow
/// each other.
WEFT_GRID void post_parts(float* at, const float* left, int sums, unsigned mark) {
  const int sum = static_cast<int>(threadIdx.x);
  if (sum < sums) post(at + sum, sum_of_warps(left + sum * kWarps), mark);
}

/// The sums of the partial products of a thread's elements: number j is element thread + j kThreads of `count` from row
/// `row0` on, kAcross to a row. Partial products are of tiles kWide columns wide, kParts of them kPart apart for each
/// such strip of columns, strips kFirst apart.
template <int kBatch, int kWide, int kParts, int kFirst, int kPart, int kAcross, int kEach>
WEFT_GRID void sums_of_tiles(float (&sums)[kEach], const float* partials, int row0, int count, unsigned mark) {
  constexpr int kAtOnce = kEach * kParts <= 64 ? kEach : kParts <= 32 ? 64 / kParts : 1;
  const int thread = thread_of();
  if (thread >= count) return;
#pragma unroll
  for (int first = 0; first < kEach; first += kAtOnce) {
    const float* from[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const int e = min(thread + (first + j) * kThreads, count - 1), row = row0 + e / kAcross, column = e % kAcross;
      from[j] = partials + (column / kWide * kFirst * kBatch + row) * kWide + column % kWide;
    }
    unsigned words[kAtOnce * kParts];
    await(words, mark, [&](int i) { return from[i / kParts] + i % kParts * kPart * kBatch * kWide; });
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      if (first + j >= kEach) break;
      float sum = 0.0f;
#pragma unroll
      for (int p = 0; p < kParts; ++p) sum += value_of(words[j * kParts + p]);
      sums[first + j] = sum;
    }
  }
}

/// The same of the element (row, column) alone.
template <int kBatch, int kWide, int kParts, int kFirst, int kPart>
WEFT_GRID float sum_of_tiles(const float* partials, int row, int column, unsigned mark) {
  const float* from = partials + (column / kWide * kFirst * kBatch + row) * kWide + column % kWide;
  unsigned words[kParts];
  await(words, mark, [&](int p) { return from + p * kPart * kBatch * kWide; });
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < kParts; ++p) sum += value_of(words[p]);
  return sum;
}

/// Column sums of d[kBatch, n] for columns [column, column + columns), a warp a column: store(column, sum).
template <int kBatch, int kStride, class Store>
WEFT_GRID void column_sums_of_words(const float* d, int column, int columns, unsigned mark, Store store) {
  constexpr int kEach = div_up(kBatch, 32), kAtOnce = kEach < 8 ? kEach : 8;
  for (int c = column + warp_of(); c < column + columns; c += kWarps) {
    float v = 0.0f;
#pragma unroll 1
    for (int first = 0; first < kEach; first += kAtOnce) {
      unsigned words[kAtOnce];
      await(words, mark, [&](int i) { return d + min((first + i) * 32 + lane_of(), kBatch - 1) * kStride + c; });
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if ((first + i) * 32 + lane_of() < kBatch) v += value_of(words[i]);
    }
    v = warp_sum(v);
    if (lane_of() == 0) store(c, v);
  }
}

}  // namespace weft::kernels::grid
