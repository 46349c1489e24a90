// How buffers are called in a checkpoint, and what it says of the pipe.
#pragma once

#include "src/program/buffer.h"
#include "src/session/impl.h"
#include "weft/state.hpp"

namespace weft {

inline bool is_state(Role role) {
  return role == Role::kParameter || role == Role::kOptimizer || role == Role::kRule || role == Role::kPipe;
}

/// Bytes of one slot as it travels between host and device.
std::size_t buffer_bytes(const Buffer& buffer, DType storage);

/// "leaf.1.weight", "pipe/leaf.2.y@3" (3 slots), "rule.TweenSplitLinearCache.rms:real",
/// "rule.TweenSplitSparse.calls:count".
std::string state_name(const Buffer& buffer);

/// An empty array of the buffer's element type.
State::Values empty_values(const Buffer& buffer, DType storage);

/// Adds to `buffers` what the state holds beyond them. Errors: kInvalidArgument naming the array that is
/// missing, unknown, or of another type or size.
Status lay_out_state(const State& state, DType storage, bool with_pipe, BufferTable& buffers);

/// Under which key the metadata hold the number of elements of a rule's or the pipe's array.
std::string size_key(const std::string& array);

/// What a state must have in common with the session that restores it: kind, loss and optimizer.
std::map<std::string, std::string> mount_metadata(const Plan& plan);

void pipe_to_metadata(const Pipe& pipe, std::map<std::string, std::string>& metadata);
/// Errors: kInvalidArgument naming the field.
Result<Pipe> pipe_from_metadata(const std::map<std::string, std::string>& metadata);

}  // namespace weft
