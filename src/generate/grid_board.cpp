// Choosing what goes on the board.
#include "src/generate/grid_board.h"

#include <algorithm>
#include <map>

namespace weft {
namespace {

struct Uses {
  std::vector<std::size_t> writers, readers;  // steps; readers: those to whom the object is remote
  std::vector<int> lags;                      // of the readers
  bool fits = true;                           // its writers post all of it, its readers know words
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

void GridBoard::add(GridNotice notice) {
  notice.floats = (notice.floats + 31) / 32 * 32;
  notice.at = floats_;
  floats_ += notice.slots * notice.floats;
  notices_.push_back(notice);
}

GridBoard GridBoard::make(const Program& program, const GridHomes& homes, const BufferTable& buffers, int blocks,
                          const std::vector<const GridPiece*>& steps) {
  GridBoard board;
  std::map<GridObject, Uses> all;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const GridPiece& piece = *steps[at];
    const Instruction& i = program.code[static_cast<std::size_t>(piece.instruction)];
    if (piece.work == GridWork::kTileProduct) {
      const GridTiling& t = homes.tiling_of(i.in[1].buffer);
      const std::int64_t rows = homes.batch() + (i.op == Opcode::kTargetBelow ? 1 : 0);
      board.add({.object = kGridPassed + piece.instruction,
                 .floats = rows * t.along_n * t.along_k * (i.op == Opcode::kForward ? t.nt : t.kt)});
    }
    if (piece.work == GridWork::kSum)
      board.add({.object = kGridPassed + piece.instruction, .floats = 3LL * round_up(blocks, 32)});
    for (const GridAccess& a : piece.accesses) {
      if (a.object >= kGridPassed) continue;
      Uses& uses = all[a.object];
      const GridHome home = homes[a.object].home;
      if (a.writes) {
        uses.fits = uses.fits && !a.remote && a.lag == 0 && posts(piece, i.op);
        if (uses.writers.empty() || uses.writers.back() != at) uses.writers.push_back(at);
      } else if (a.remote) {
        uses.fits = uses.fits && reads_words(piece, home);
        uses.readers.push_back(at);
        uses.lags.push_back(a.lag);
      }
    }
  }
  for (const auto& [object, uses] : all) {
    if (!uses.fits || uses.readers.empty()) continue;
    const GridPlace& place = homes[object];
    GridNotice notice{.object = object};
    if (buffers[object].slots > 1) {
      // Every call has to write the ring, so that the latest version is of this call to who comes behind the writer,
      // and of the call before to who comes before it. Older ones are in memory.
      notice.lag = *std::min_element(uses.lags.begin(), uses.lags.end());
      bool told = uses.writers.size() == 1 && steps[uses.writers[0]]->when.empty() && notice.lag <= 1;
      for (std::size_t r = 0; r < uses.readers.size() && told; ++r)
        told = uses.lags[r] != notice.lag || (uses.readers[r] > uses.writers[0]) == (notice.lag == 0);
      if (!told) continue;
    }
    // No block is ahead of another by more than one call (`pace` in the text), and nobody reads a version after the
    // next one is due. So a slot may be used again after as many versions as two calls have, and one more where a
    // call reads what the one before has written.
    const bool earlier = std::any_of(uses.readers.begin(), uses.readers.end(), [&](std::size_t r) {
      return uses.writers.empty() || uses.writers.front() > r;
    });
    notice.slots = power_of_two(2 * uses.writers.size() + (earlier ? 1 : 0));
    switch (place.home) {
      case GridHome::kRows:
        notice.lead = round_up(place.width, 4);
        notice.floats = static_cast<std::int64_t>(homes.batch()) * notice.lead;
        notice.kept = buffers[object].slots > 1 ? notice.lag == 1 : buffers[object].role != Role::kScratch;
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
