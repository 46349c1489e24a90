// Tasks: a program's instructions as the pieces of work that a block's threads do between barriers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "src/generate/layout.h"
#include "src/generate/views.h"
#include "src/program/program.h"

namespace weft {

/// Instructions that a thread can do for one element after the other. The first may be a product, or make its elements
/// of other elements; those after it take the same elements only.
struct Task {
  std::vector<int> code;  // places in the program, in its order
  Extent extent;          // of the results
  int level = 0;
};

/// A number made of a sum over all elements. Each thread's part is made at `level`, each warp's at the next; one level
/// later every thread has the result in registers, and another one later it is in memory.
struct Reduction {
  int instruction = 0;
  int level = 0;
};

/// A condition that an instruction stands under.
struct Guard {
  Predicate predicate;
  int reduction = -1;  // whose flag it tests, in registers; -1: the counter in memory
  bool operator==(const Guard&) const = default;
};

/// What is decided for one instruction.
struct Decision {
  int task = 0;
  int reduction = -1;            // its number among the reductions
  std::vector<Guard> guards;     // all must hold
  std::array<bool, 3> stored{};  // outputs that anything outside of its task looks for in memory
  bool slope = false;            // forward: in place of z stands its activation's slope; delta: it finds that there
};

struct Tasks {
  std::vector<Task> tasks;  // in the order of their first instructions
  std::vector<Reduction> reductions;
  std::vector<Decision> decisions;  // one for each instruction
  int levels = 0;
};

/// Tasks with the smallest levels after all that they depend on. A guard that only keeps scratch from being written is
/// dropped where all that reads this stands under the same: so nothing waits for the loss but what it is to guard.
Tasks make_tasks(const Program& program, const BufferTable& buffers, const Layout& layout);

/// How many sums over all elements the instruction's numbers are made of; 0 for none.
int sums_of(Opcode op);
bool is_product(Opcode op);
/// Whether a thread takes a whole row.
bool takes_rows(Opcode op, Loss loss);

}  // namespace weft
