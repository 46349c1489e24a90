// Cells in linear order.
#include "weft/grid.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "src/core/try.h"
#include "src/model/initialise.h"

namespace weft {
namespace {

// The number of cells, or -1 where the sizes are not usable.
std::int64_t cell_count(std::int64_t depth, std::int64_t rows, std::int64_t cols, std::int64_t layers_per_cell) {
  const Shape shape{depth, rows, cols, layers_per_cell};
  const std::int64_t count = shape.elements();
  return shape.validate().ok() && count <= Grid::kMaxCells ? count : -1;
}

Status invalid(std::string message) { return Status(StatusCode::kInvalidArgument, "grid: " + std::move(message)); }

template <typename G, typename D>
std::vector<D*> leaves_of(G& grid) {
  std::vector<D*> found;
  for (auto& cell : grid.cells) {
    if (!cell.op) continue;
    const auto below = leaves(*cell.op);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

}  // namespace

// Unusable sizes make no cells; validate() names them.
Grid::Grid(std::int64_t depth_, std::int64_t rows_, std::int64_t cols_, std::int64_t layers_per_cell_)
    : depth(depth_), rows(rows_), cols(cols_), layers_per_cell(layers_per_cell_) {
  if (const std::int64_t count = cell_count(depth, rows, cols, layers_per_cell); count > 0) {
    cells.resize(static_cast<std::size_t>(count));
  }
}

std::int64_t Grid::index(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t l) const {
  const auto inside = [](std::int64_t at, std::int64_t size) { return at >= 0 && at < size; };
  if (!inside(z, depth) || !inside(y, rows) || !inside(x, cols) || !inside(l, layers_per_cell)) return -1;
  return ((z * rows + y) * cols + x) * layers_per_cell + l;
}

Status Grid::validate() const {
  const std::array sizes{std::pair{"depth", depth}, std::pair{"rows", rows}, std::pair{"cols", cols},
                         std::pair{"layers_per_cell", layers_per_cell}};
  for (const auto& [label, size] : sizes) {
    if (size < 1) return invalid(fmt::format("{} is {}, wanted 1 or more", label, size));
  }
  const std::int64_t count = cell_count(depth, rows, cols, layers_per_cell);
  if (count < 0) {
    return invalid(
        fmt::format("{} x {} x {} x {} cells, wanted at most {}", depth, rows, cols, layers_per_cell, Grid::kMaxCells));
  }
  if (cells.size() != static_cast<std::size_t>(count)) {
    return invalid(fmt::format("{} cells, wanted {} for {} x {} x {} x {}", cells.size(), count, depth, rows, cols,
                               layers_per_cell));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    if (!cell.disabled && !cell.op) return invalid(fmt::format("cell {}: enabled without an op, wanted one", i));
    if (cell.remote_link && (*cell.remote_link < 0 || *cell.remote_link >= count)) {
      return invalid(fmt::format("cell {}: remote link to cell {}, wanted 0 to {}", i, *cell.remote_link, count - 1));
    }
  }
  return Status();
}

Status Grid::initialise(const Init& init) {
  WEFT_RETURN_IF_ERROR(validate());
  return initialise_leaves(leaves(*this), init);
}

std::vector<Dense*> leaves(Grid& grid) { return leaves_of<Grid, Dense>(grid); }
std::vector<const Dense*> leaves(const Grid& grid) { return leaves_of<const Grid, const Dense>(grid); }

}  // namespace weft
