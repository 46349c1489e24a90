// Grid: cells on a clock, for the mesh schedule.
#pragma once

#include <optional>

#include "weft/op.hpp"

namespace weft {

/// One cell. An enabled cell needs an op.
struct Cell {
  std::optional<Op> op;
  bool disabled = false;                    // passes on the value of the cell before it
  std::optional<std::int64_t> remote_link;  // linear index of the cell it reads instead
};

/// depth x rows x cols x layers_per_cell cells; linear index ((z*rows+y)*cols+x)*layers_per_cell+l.
struct Grid {
  Grid() = default;
  Grid(std::int64_t depth, std::int64_t rows, std::int64_t cols, std::int64_t layers_per_cell);

  static constexpr std::int64_t kMaxCells = std::int64_t{1} << 20;

  /// -1 outside the grid.
  std::int64_t index(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t l = 0) const;

  /// Errors: kInvalidArgument naming the cell: an enabled cell without op, a link out of range, sizes < 1 or more than
  /// kMaxCells.
  Status validate() const;
  /// As Stack::initialise, leaves in linear cell order.
  Status initialise(const Init& init = {});

  std::int64_t depth = 0, rows = 0, cols = 0, layers_per_cell = 0;
  std::vector<Cell> cells;
};

/// The leaves of every cell that has an op, disabled or not, in linear order.
std::vector<Dense*> leaves(Grid& grid);
std::vector<const Dense*> leaves(const Grid& grid);

}  // namespace weft
