// Passes: rewrites of a finished program that make every mode faster and change no result.
#pragma once

#include "src/program/program.h"

namespace weft {

/// All passes in their order: fuse_updates, remove_unread, give_back_unused, assign_levels. Then the program has its
/// id. `before`: the buffers as they were before the program was built.
void run_passes(Program& program, const BufferTable& before, BufferTable& buffers);

/// weight_grad + apply (bias_grad + apply) of plain SGD become update (bias_update): one product
/// straight into the weights, no gradient buffer.
void fuse_updates(Program& program);

/// Removes what only writes scratch that nothing reads afterwards, such as the input gradient of the first leaf.
void remove_unread(Program& program, const BufferTable& buffers);

/// Gives back scratch that the program asked for beyond `before` and no instruction touches any more, such as the
/// gradients of fused updates.
void give_back_unused(const Program& program, const BufferTable& before, BufferTable& buffers);

/// Gives each instruction the smallest level after all that it depends on.
void assign_levels(Program& program);

}  // namespace weft
