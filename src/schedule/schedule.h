// Schedules: when samples move through the model. Each builds the program of one call.
#pragma once

#include "src/plan/plan.h"
#include "src/program/program.h"
#include "weft/mode.hpp"

namespace weft {

/// All that a program depends on.
struct Call {
  Mode mode;
  Shape input, target;
  int ticks = 4;
  int alt_times = 1;
  // Line: the ops that have a sample in front of them once this call's is injected, first to last.
  std::int64_t youngest = 0, oldest = 0;
  bool inject = true;  // false: a step of flush

  bool operator==(const Call&) const = default;
};

/// The program of a training call. Errors: kInvalidArgument naming the layer and shapes, or what to mount.
Result<Program> build_training(Plan& plan, const Call& call);

/// The program of a forward pass; with `target` not empty its loss is taken too.
Result<Program> build_inference(Plan& plan, const Shape& input, const Shape& target, int ticks);

// One per schedule; build_training picks.
Result<Program> build_stack(Plan& plan, const Call& call);
Result<Program> build_line(Plan& plan, const Call& call);
Result<Program> build_mesh(Plan& plan, const Call& call);

/// Number of hops of the line: top-level ops, nested stacks flattened.
std::int64_t line_depth(const Plan& plan);

/// A program with title, loss and optimizer set.
Program new_program(const Plan& plan, const Call& call);

/// Error unless the model's output has the target's shape.
Status check_target(const Shape& output, const Shape& target);

}  // namespace weft
