// ChipPlan: how the threads of one block share a program's tasks.
#pragma once

#include <vector>

#include "src/generate/layout.h"
#include "src/generate/tasks.h"
#include "src/generate/tile.h"
#include "src/program/program.h"

namespace weft {

/// How a task is shared, and the warp that it begins with.
struct Share {
  Tile tile;
  int wide = 1;        // elements side by side
  int quad_inner = 1;  // terms read at a time
  int first = 0;
};

struct ChipPlan {
  BlockShape block;
  std::vector<Share> shares;  // of the tasks
  // Of the reductions: where the terms of their elements lie, -1 where they are summed in registers; then warps' sums.
  std::vector<int> terms, partials;
  int floats = 0;  // of everything on chip
  // Batches are fetched at a level, by warps that have the least to do there.
  int fetch_level = -1, fetch_first = 0, fetch_warps = 1;
  double cycles = 0.0;  // of a call, a rough estimate
};

ChipPlan plan_chip(const Program& program, const Layout& layout, const Tasks& tasks, BlockShape block);

/// Instructions that a single thread does.
bool is_single(Opcode op);
/// How many pieces of an argument are copied: whole quads where its rows have them.
int pieces_of(const Layout& layout, BufferId argument);
/// The next multiple of four.
int whole_quads(int n);

}  // namespace weft
