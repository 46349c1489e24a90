// Residence: bringing a network into a block's own memory, keeping it there for many calls and taking it back. The next
// batches are fetched while the present one is used.
#pragma once

#include "src/kernels/member.h"
#include "src/kernels/tiles.h"

namespace weft {
namespace kernels {

template <int N>
WEFT_INLINE void copy_ahead(WEFT_SHARED(float) to, WEFT_FAR(const float) from) {
#if defined(__CUDACC__)
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (N == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
  }
#else
  for (int i = 0; i < N; ++i) to[i] = from[i];
#endif
}

/// Ends what one batch consists of; then waits until at most that many batches are on their way.
WEFT_INLINE void end_batch() {
#if defined(__CUDACC__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int pending>
WEFT_INLINE void wait_for_batches() {
#if defined(__CUDACC__)
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

/// A block's threads that fetch: `warps` warps beginning with warp `first` of `all`, in turn.
template <int first, int warps, int all>
struct Fetchers {
  WEFT_STATIC int kCount = warps * WEFT_LANES;
  static WEFT_INLINE bool has(WEFT_ARG(Thread) me) { return warps == all || turned(me) < warps; }
  static WEFT_INLINE int rank(WEFT_ARG(Thread) me) { return turned(me) * WEFT_LANES + me.lane; }
  static WEFT_INLINE int turned(WEFT_ARG(Thread) me) {
    return first == 0 ? me.warp : me.warp < first ? me.warp + (all - first) : me.warp - first;
  }
};

/// The rows of one argument on their way from the device's memory, gathered by order: rows of `cols` elements, `ld`
/// apart on chip, by `threads` threads of which number `begin` has the first piece.
template <int rows, int cols, int ld, int begin, int threads>
struct Rows {
  WEFT_STATIC int kWide = cols % 4 == 0 ? 4 : 1, kPieces = cols / kWide, kItems = rows * kPieces;
  WEFT_STATIC int kEach = (kItems + threads - 1) / threads;
  WEFT_STATIC bool kAhead = kEach <= 4;  // the numbers of the next rows are read a call before they are wanted
  WEFT_STATIC int kKept = kAhead ? kEach : 1;
  int32_t next[kKept];

  static WEFT_INLINE int item(int rank, int i) {
    const int at = rank - begin;
    return (at < 0 ? at + threads : at) + i * threads;
  }
  /// The row in the device's memory that is `row` of a call on `batch` samples, each of rows / batch rows.
  static WEFT_INLINE int32_t row_of(WEFT_FAR(const int32_t) order, int call, int batch, int row) {
    if (order == nullptr) return call * rows + row;
    if (batch == rows) return order[call * rows + row];
    const int each = rows / batch;
    return order[call * batch + row / each] * each + row % each;
  }

  WEFT_INLINE void look(int rank, WEFT_FAR(const int32_t) order, int call, int batch) {
    if (!kAhead) return;
    WEFT_UNROLL for (int i = 0; i < kKept; ++i) {
      const int at = item(rank, i);
      if (at < kItems) next[i] = row_of(order, call, batch, at / kPieces);
    }
  }

  WEFT_INLINE void start(int rank, WEFT_FAR(const int32_t) order, int call, int batch, WEFT_FAR(const float) from,
                         WEFT_SHARED(float) to) const {
    WEFT_UNROLL_BY(4) for (int i = 0; i < kEach; ++i) {
      const int at = item(rank, i);
      if (at >= kItems) break;
      const int row = at / kPieces, col = at % kPieces * kWide;
      const int32_t source = kAhead ? next[i % kKept] : row_of(order, call, batch, row);
      copy_ahead<kWide>(to + row * ld + col, from + static_cast<Index>(source) * cols + col);
    }
  }
};

/// An argument that the program does not read.
struct NoRows {
  WEFT_INLINE void look(int, WEFT_FAR(const int32_t), int, int) {}
  WEFT_INLINE void start(int, WEFT_FAR(const int32_t), int, int, WEFT_FAR(const float), WEFT_SHARED(float)) const {}
};

/// Fetches batch after batch into the ring that begins at P::kBatches.
template <typename P>
struct Fetch {
  WEFT_FAR(const float) from_inputs;
  WEFT_FAR(const float) from_targets;
  WEFT_FAR(const int32_t) order;
  WEFT_FAR(const float) rates;
  int count, batch;
  int call, slot;  // of the batch that comes next
  typename P::Inputs inputs;
  typename P::Targets targets;

  WEFT_INLINE void look(int rank) {
    const int at = call < count ? call : count - 1;
    inputs.look(rank, order, at, batch), targets.look(rank, order, at, batch);
  }

  /// Starts fetching one batch, where there is another.
  WEFT_INLINE void next(WEFT_ARG(Thread) me, WEFT_SHARED(float) arena) {
    using Who = typename P::Who;
    if (!Who::has(me)) return;
    const int rank = Who::rank(me);
    if (call < count) {
      WEFT_SHARED(float) to = arena + slot;
      inputs.start(rank, order, call, batch, from_inputs, to + P::kInputs);
      targets.start(rank, order, call, batch, from_targets, to + P::kTargets);
      if (rank == Who::kCount - 1) copy_ahead<1>(to + P::kRate, rates + call);
    }
    end_batch();
    ++call;
    slot = slot == (P::kSlots - 1) * P::kBatch ? 0 : slot + P::kBatch;
    look(rank);
  }
};

/// A kept buffer on chip: `slots` matrices, `slot` floats apart, with rows `ld` apart.
struct Kept {
  int at, rows, cols, ld, slots, slot;
  bool written;
};

/// Copies the kept buffers in, or those that are written out.
template <typename P>
WEFT_INLINE void bring(int rank, WEFT_SHARED(float) arena, WEFT_ARG(HeldBuffers) held, bool in) {
  WEFT_UNROLL_BY(1) for (int b = 0; b < P::kHeld; ++b) {
    const Kept kept = P::kept(b);
    const Held here = held[b];
    const int elements = kept.rows * kept.cols;
    if (!in && !kept.written) continue;
    WEFT_UNROLL_BY(1) for (int s = 0; s < kept.slots; ++s) {
      WEFT_UNROLL_BY(1) for (int i = rank; i < elements; i += P::kThreads) {
        WEFT_SHARED(float) chip = arena + kept.at + s * kept.slot + i / kept.cols * kept.ld + i % kept.cols;
        if (in)
          *chip = here.at[s * here.stride + i];
        else
          here.at[s * here.stride + i] = *chip;
      }
    }
  }
}

/// Runs all calls of a member. The generated P has kThreads; kFloats (of its memory); kHeld and kept(b); Inputs,
/// Targets (Rows), Who (Fetchers), kInputs, kTargets, kRate (where slot 0 of the ring of batches has them), kSlots (of
/// that ring: one in use, the others on their way), kBatch (floats of one); a State with the block's memory, thread and
/// batch; begin (with the clock) and call, which fetches once.
template <typename P>
WEFT_INLINE void reside(WEFT_SHARED(float) arena, WEFT_ARG(Thread) me, WEFT_ARG(Member) m, WEFT_ARG(HeldBuffers) held) {
  WEFT_UNROLL_BY(1) for (int i = me.rank; i < P::kFloats; i += P::kThreads) arena[i] = 0.0f;
  WEFT_BARRIER();
  bring<P>(me.rank, arena, held, true);
  Fetch<P> fetch{m.inputs, m.targets, m.order, m.rates, m.count, m.batch, 0, 0, {}, {}};
  if (P::Who::has(me)) fetch.look(P::Who::rank(me));
  WEFT_UNROLL_BY(1) for (int ahead = 0; ahead < P::kSlots - 1; ++ahead) fetch.next(me, arena);
  wait_for_batches<P::kSlots - 2>();

  typename P::State state{};
  state.a = arena;
  state.me.rank = me.rank, state.me.warp = me.warp, state.me.lane = me.lane;
  P::begin(state, m.clock);
  WEFT_FAR(CallOutcome) outcome = m.outcomes;
  WEFT_BARRIER();
  WEFT_UNROLL_BY(1) for (int left = fetch.count; left > 0; --left) {
    P::call(state, fetch);
    if (me.rank == P::kThreads - 1) outcome->loss = state.loss, outcome->finite = state.finite ? 1u : 0u;
    ++outcome;
    state.batch = state.batch == (P::kSlots - 1) * P::kBatch ? 0 : state.batch + P::kBatch;
    wait_for_batches<P::kSlots - 2>();
    WEFT_BARRIER();
  }
  bring<P>(me.rank, arena, held, false);
}

}  // namespace kernels
}  // namespace weft
