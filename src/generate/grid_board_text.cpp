// The text of telling and asking: what goes through the board.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/generate/grid_writer.h"

namespace weft {

std::string GridWriter::only_if(const std::vector<Predicate>& when) const {
  const std::string only = condition(when);
  return only.empty() ? "" : fmt::format("if ({}) ", only);
}

bool GridWriter::tells(const GridPiece& piece, int which) const {
  return std::any_of(piece.accesses.begin(), piece.accesses.end(), [&](const GridAccess& a) {
    return a.writes && a.object < kGridPassed && notice_written(a.object, a.lag) == which;
  });
}

void GridWriter::write_next(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  std::set<int> written;
  for (const GridAccess& a : piece.accesses)
    if (a.writes && a.object < kGridPassed)
      if (const int n = notice_written(a.object, a.lag); n >= 0) written.insert(n);
  for (const int n : written) {
    line("{}notice{}.next();", only_if(piece.when), n);
    if (homes_[notice_at(n).object].home == GridHome::kRows) line("const auto notice{}_{} = notice{};", n, at, n);
  }
}

std::string GridWriter::rows_notice(const Operand& operand, std::size_t at) const {
  const int n = operand.present() ? notice_written(operand.buffer, operand.lag) : -1;
  return n < 0 ? "" : fmt::format("notice{}_{}", n, at);
}

/// What outlives a launch may have been changed since the last one.
void GridWriter::write_kept_notices() {
  for (int n = 0; n < made_.notices; ++n) {
    const GridNotice& told = notice_at(n);
    if (!told.kept) continue;
    const GridPlace& place = homes_[told.object];
    line("notice{}.next();", n);
    switch (place.home) {
      case GridHome::kTiles:
        if (buffers_[told.object].role != Role::kScratch) sync();
        line("post_tile({}, {}, notice{}.at(), {}, tile{}, notice{}.mark());", tile_at(told.object),
             tiles_.at(told.object).lead, n, told.lead, place.tiling, n);
        break;
      case GridHome::kVector: {
        const int each = div_up(place.width, shape_.blocks);
        line(
            "post_rows(places.at[{}], 1, notice{}.at(), 1, min(block * {}, {}), clamped({} - block * {}, {}), "
            "notice{}.mark());",
            index_.at(told.object), n, each, place.width, place.width, each, each, n);
        break;
      }
      default:
        line("post_rows({}, {}, notice{}.at(), {}, row0, rows, notice{}.mark());", memory({told.object, told.lag}),
             place.width, n, told.lead, n);
    }
  }
}

/// Under which conditions any step from `from` on may read the slice, as far as that can be told now.
std::string GridWriter::wanted(const SliceVersion& key, std::size_t from) const {
  std::set<std::string> all;
  for (std::size_t s = from; s < steps_.size(); ++s) {
    const std::vector<GridSlice> read = slices(*steps_[s].piece, s);
    if (std::none_of(read.begin(), read.end(), [&](const GridSlice& slice) {
          return std::pair{slice, version(slice, s)} == key;
        }))
      continue;
    std::vector<Predicate> known;
    for (const Predicate& p : steps_[s].piece->when) {
      bool changes = false;
      for (std::size_t w = from; w < s; ++w) changes = changes || writes(*steps_[w].piece, p.counter);
      if (!changes) known.push_back(p);
    }
    if (known.empty()) return "";
    all.insert(condition(known));
  }
  return all.size() == 1 ? *all.begin() : fmt::format("(({}))", fmt::join(all, ") || ("));
}

std::string GridWriter::partials_of(std::size_t at) const {
  const Instruction& i = of(*steps_[at].piece);
  const GridTiling& t = homes_.tiling_of(i.in[1].buffer);
  if (i.op == Opcode::kForward) return fmt::format("{}, {}, {}, {}, 1", batch_, t.nt, t.along_k, t.along_k);
  return fmt::format("{}, {}, {}, 1, {}", batch_ + (i.op == Opcode::kTargetBelow ? 1 : 0), t.kt, t.along_n, t.along_k);
}

/// The sum of the partial products of element (row, c) of a product that is being reduced.
std::string GridWriter::sum_of_tiles(std::size_t at, const std::string& row) const {
  const GridPiece& piece = *steps_[at].piece;
  if (row == "row0 + r" && summed_before(at)) return fmt::format("sums{}[j]", piece.instruction);
  const int n = passed(piece);
  return fmt::format("sum_of_tiles<{}>(notice{}.at(), {}, c, notice{}.mark())", partials_of(at), n, row, n);
}

/// Whether a thread has so few elements that their sums are asked for together.
bool GridWriter::summed_before(std::size_t at) const {
  return div_up(rows_ * element_width(*steps_[at].piece), kGridThreads) <= 4;
}

void GridWriter::write_sums_of_tiles(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const int n = passed(piece), across = element_width(piece), to = piece.instruction;
  line("float sums{}[{}];", to, div_up(rows_ * across, kGridThreads));
  line("{}sums_of_tiles<{}, {}>(sums{}, notice{}.at(), row0, rows * {}, notice{}.mark());", only_if(piece.when),
       partials_of(at), across, to, n, across, n);
}

}  // namespace weft
