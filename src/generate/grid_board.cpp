// Choosing what goes on the board.
#include "src/generate/grid_board.h"

#include <algorithm>
#include <map>
#include <set>

namespace weft {
namespace {

struct Use {
  std::size_t step;
  int lag;
};
struct Uses {
  std::vector<Use> writers, readers;  // readers: those to whom the object is remote
  bool fits = true;                   // its writers post all of it, its readers know words
};

bool posts(const GridPiece& piece, Opcode op) {
  switch (piece.work) {
    case GridWork::kElements: return op != Opcode::kCopyColumns;  // a part of a row only
    case GridWork::kWholeRows: return op != Opcode::kRowDot;
    case GridWork::kTileProduct:
    case GridWork::kReduce:
    case GridWork::kThinProduct:
    case GridWork::kWeights:
    case GridWork::kBias:
    case GridWork::kSum: return true;
    default: return false;
  }
}

bool reads_words(const GridPiece& piece, GridHome home) {
  switch (home) {
    case GridHome::kRows:
      return piece.work == GridWork::kTileProduct || piece.work == GridWork::kWeights || piece.work == GridWork::kBias;
    case GridHome::kTiles: return piece.work == GridWork::kThinProduct;
    case GridHome::kVector: return piece.work == GridWork::kReduce || piece.work == GridWork::kThinProduct;
    default: return false;
  }
}

/// Of a ring the slot that most readers mean may be on the board: if every call writes it before they read, or if it is
/// the call before's and they come before a call writes. Older ones are in memory.
bool of_ring(const Uses& uses, const std::vector<const GridPiece*>& steps, GridNotice& notice) {
  for (const Use& r : uses.readers) notice.lag = &r == uses.readers.data() ? r.lag : std::min(notice.lag, r.lag);
  const auto told_before = [&](const Use& r) {
    return std::any_of(uses.writers.begin(), uses.writers.end(), [&](const Use& w) {
      return w.lag == notice.lag && w.step < r.step && steps[w.step]->when.empty();
    });
  };
  const auto all_readers = [&](const auto& test) {
    return std::all_of(uses.readers.begin(), uses.readers.end(),
                       [&](const Use& r) { return r.lag != notice.lag || test(r); });
  };
  notice.written = notice.lag;
  if (all_readers(told_before)) return true;
  notice.written = 0;
  return notice.lag == 1 && uses.writers.size() == 1 && uses.writers[0].lag == 0 &&
         steps[uses.writers[0].step]->when.empty() &&
         all_readers([&](const Use& r) { return r.step < uses.writers[0].step; });
}

int power_of_two(std::size_t least) {
  int slots = 2;
  while (static_cast<std::size_t>(slots) < least) slots *= 2;
  return slots;
}

}  // namespace

int GridBoard::find(GridObject object) const {
  const auto known =
      std::find_if(notices_.begin(), notices_.end(), [&](const GridNotice& n) { return n.object == object; });
  return known == notices_.end() ? -1 : static_cast<int>(known - notices_.begin());
}
int GridBoard::read(GridObject object, int lag) const {
  const int n = find(object);
  return n >= 0 && notices_[static_cast<std::size_t>(n)].lag == lag ? n : -1;
}
int GridBoard::written(GridObject object, int lag) const {
  const int n = find(object);
  return n >= 0 && notices_[static_cast<std::size_t>(n)].written == lag ? n : -1;
}

void GridBoard::add(GridNotice notice) {
  notice.floats = (notice.floats + 31) / 32 * 32;
  notice.at = floats_;
  floats_ += notice.slots * notice.floats;
  notices_.push_back(notice);
}

/// Parts that are told in one round lie side by side, as they are read together. `open`: the notice that those of the
/// next sums may join, -1 for none.
void GridBoard::add_sums(const Program& program, const GridPiece& piece, int blocks, int& open) {
  const Instruction& i = program.code[static_cast<std::size_t>(piece.instruction)];
  const bool together = piece.owner == GridOwner::kRows && tells_always(program, piece);
  GridNotice notice{.object = kGridPassed + piece.instruction, .sums = sums_of(i)};
  notice.floats = std::int64_t{kPartWords} * blocks;
  if (together && open >= 0 && notices_[static_cast<std::size_t>(open)].words + notice.sums <= kPartWords) {
    GridNotice& head = notices_[static_cast<std::size_t>(open)];
    notice.first = open, notice.column = head.words, notice.at = head.at + head.words, notice.floats = head.floats;
    head.words += notice.sums;
    notices_.push_back(notice);
    return;
  }
  notice.first = static_cast<int>(notices_.size()), notice.words = notice.sums;
  open = together ? notice.first : -1;
  add(notice);
}

GridBoard GridBoard::make(const Program& program, const GridHomes& homes, const BufferTable& buffers, int blocks,
                          const std::vector<const GridPiece*>& steps) {
  GridBoard board;
  std::map<GridObject, Uses> all;
  int open = -1;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const GridPiece& piece = *steps[at];
    const Instruction& i = program.code[static_cast<std::size_t>(piece.instruction)];
    if (piece.work == GridWork::kTileProduct) {
      const GridTiling& t = homes.tiling_of(i.in[1].buffer);
      const std::int64_t rows = homes.batch() + (i.op == Opcode::kTargetBelow ? 1 : 0);
      board.add({.object = kGridPassed + piece.instruction,
                 .floats = rows * t.along_n * t.along_k * (i.op == Opcode::kForward ? t.nt : t.kt)});
    }
    if (piece.work == GridWork::kSum) board.add_sums(program, piece, blocks, open);
    if (piece.work == GridWork::kResult) open = -1;
    for (const GridAccess& a : piece.accesses) {
      if (a.object >= kGridPassed) continue;
      Uses& uses = all[a.object];
      const GridHome home = homes[a.object].home;
      if (a.writes) {
        uses.fits = uses.fits && !a.remote && posts(piece, i.op);
        uses.writers.push_back({at, a.lag});
      } else if (a.remote) {
        uses.fits = uses.fits && reads_words(piece, home);
        uses.readers.push_back({at, a.lag});
      }
    }
  }
  for (const auto& [object, uses] : all) {
    if (!uses.fits || uses.readers.empty()) continue;
    const GridPlace& place = homes[object];
    GridNotice notice{.object = object};
    if (buffers[object].slots > 1 && !of_ring(uses, steps, notice)) continue;
    // No block is ahead of another by more than one call (`pace` in the text), and nobody reads a version after the
    // next one is due. So a slot may be used again after as many versions as two calls have, and one more where a
    // call reads what the one before has written.
    std::set<std::size_t> writers;
    for (const Use& w : uses.writers)
      if (w.lag == notice.written) writers.insert(w.step);
    const bool earlier = std::any_of(uses.readers.begin(), uses.readers.end(), [&](const Use& r) {
      return r.lag == notice.lag && (writers.empty() || *writers.begin() > r.step);
    });
    notice.slots = power_of_two(2 * writers.size() + (earlier ? 1 : 0));
    switch (place.home) {
      case GridHome::kRows:
        notice.lead = round_up(place.width, 4);
        notice.floats = static_cast<std::int64_t>(homes.batch()) * notice.lead;
        notice.kept = buffers[object].slots > 1 ? notice.lag != notice.written : buffers[object].role != Role::kScratch;
        break;
      case GridHome::kTiles: {
        const GridTiling& t = homes.tiling_of(object);
        notice.lead = round_up(t.k, 4);
        notice.floats = static_cast<std::int64_t>(t.n) * notice.lead;
        notice.kept = true;
        break;
      }
      case GridHome::kVector:
        notice.floats = place.width;
        notice.kept = true;
        break;
      default: continue;
    }
    board.add(notice);
  }
  return board;
}

}  // namespace weft
