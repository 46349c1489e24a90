// Weights between host and device, and checkpoints.
#include <fmt/format.h>

#include <cmath>

#include "src/core/try.h"
#include "src/session/impl.h"
#include "src/session/state_names.h"
#include "weft/version.hpp"

namespace weft {
namespace {

Tensor& parameter_tensor(Dense& leaf, std::size_t which) { return which == 0 ? leaf.weight : *leaf.bias; }

/// Weights and optimizer state are finite, as mount wants the former: NaN would spread to everything.
Status check_finite(const State& state, const BufferTable& buffers) {
  for (BufferId id = 0; id < buffers.size(); ++id) {
    const Role role = buffers[id].role;
    const auto found = state.arrays.find(state_name(buffers[id]));
    if ((role != Role::kParameter && role != Role::kOptimizer) || found == state.arrays.end()) continue;
    WEFT_RETURN_IF_ERROR(std::visit(
        [&](const auto& array) {
          for (std::size_t i = 0; i < array.size(); ++i) {
            if (const auto number = static_cast<double>(array[i]); !std::isfinite(number))
              return Status(
                  StatusCode::kInvalidArgument,
                  fmt::format("array '{}' element {} is {}, wanted a finite number", found->first, i, number));
          }
          return Status();
        },
        found->second));
  }
  return {};
}

}  // namespace

std::vector<Dense*> Session::Impl::model_leaves() const {
  return std::visit([](auto* model) { return leaves(*model); }, model_);
}

Status Session::Impl::for_each_parameter(const std::function<Status(const Parameter&, Tensor&)>& visit) const {
  const std::vector<Dense*> ops = model_leaves();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto& parameters = plan_->leaves[i]->parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p)
      WEFT_RETURN_IF_ERROR(visit(parameters[p], parameter_tensor(*ops[i], p)));
  }
  return {};
}

Status Session::Impl::check_model() const {
  const auto changed = [](const std::string& text) {
    return Status(StatusCode::kFailedPrecondition, "session: the model has changed since it was mounted: " + text);
  };
  const std::vector<Dense*> ops = model_leaves();
  if (ops.size() != plan_->leaves.size())
    return changed(fmt::format("{} leaves, wanted {}", ops.size(), plan_->leaves.size()));
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto& parameters = plan_->leaves[i]->parameters();
    if (ops[i]->bias.has_value() != (parameters.size() > 1))
      return changed(fmt::format("leaf {} has {}bias", i + 1, ops[i]->bias ? "a " : "no "));
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const Tensor& tensor = parameter_tensor(*ops[i], p);
      if (tensor.shape() != parameters[p].shape || tensor.dtype() != plan_->storage || !tensor.validate().ok())
        return changed(fmt::format("{} is {} {}, wanted {} {}", parameters[p].name, to_string(tensor.dtype()),
                                   to_string(tensor.shape()), to_string(plan_->storage),
                                   to_string(parameters[p].shape)));
    }
  }
  return {};
}

Status Session::Impl::upload() {
  WEFT_RETURN_IF_ERROR(reserve(plan_->buffers));
  WEFT_RETURN_IF_ERROR(check_model());
  return for_each_parameter([&](const Parameter& parameter, Tensor& tensor) {
    return backend_->write(parameter.value, 0, tensor.data(), tensor.bytes());
  });
}

Status Session::Impl::sync_to_host() {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_RETURN_IF_ERROR(check_model());
  // All is read before anything in the model changes.
  std::vector<Tensor> fetched;
  WEFT_RETURN_IF_ERROR(for_each_parameter([&](const Parameter& parameter, Tensor&) {
    Tensor& values = fetched.emplace_back(parameter.shape, plan_->storage);
    return backend_->read(parameter.value, 0, writable(values), values.bytes());
  }));
  auto next = fetched.begin();
  return for_each_parameter([&](const Parameter&, Tensor& tensor) {
    tensor = std::move(*next++);
    return Status();
  });
}

Status Session::Impl::zero_state(BufferId id) {
  const Buffer& buffer = plan_->buffers[id];
  const std::vector<std::uint64_t> zeros(
      static_cast<std::size_t>(buffer.elements));  // 8 bytes each: enough for any element
  for (std::int64_t slot = 0; slot < buffer.slots; ++slot)
    WEFT_RETURN_IF_ERROR(backend_->write(id, slot, zeros.data(), buffer_bytes(buffer, plan_->storage)));
  return {};
}

Result<State> Session::Impl::save_state() {
  WEFT_RETURN_IF_ERROR(usable());
  State state;
  state.metadata = mount_metadata(*plan_);
  state.metadata.emplace("weft", version());
  for (BufferId id = 0; id < plan_->buffers.size(); ++id) {
    const Buffer& buffer = plan_->buffers[id];
    if (!is_state(buffer.role) || (buffer.role == Role::kPipe && pipe_.in_flight() == 0)) continue;
    State::Values values = empty_values(buffer, plan_->storage);
    WEFT_RETURN_IF_ERROR(std::visit(
        [&](auto& array) {
          array.resize(static_cast<std::size_t>(buffer.elements * buffer.slots));
          for (std::int64_t slot = 0; slot < buffer.slots; ++slot)
            WEFT_RETURN_IF_ERROR(
                backend_->read(id, slot, array.data() + slot * buffer.elements, buffer_bytes(buffer, plan_->storage)));
          return Status();
        },
        values));
    if (buffer.role == Role::kRule || buffer.role == Role::kPipe)
      state.metadata.emplace(size_key(state_name(buffer)), fmt::format("{}", buffer.elements * buffer.slots));
    state.arrays.emplace(state_name(buffer), std::move(values));
  }
  pipe_to_metadata(pipe_, state.metadata);
  return state;
}

Status Session::Impl::restore_state(const State& state) {
  WEFT_RETURN_IF_ERROR(usable());
  for (const auto& [key, wanted] : mount_metadata(*plan_)) {
    const auto found = state.metadata.find(key);
    if (found == state.metadata.end() || found->second != wanted)
      return {StatusCode::kInvalidArgument,
              fmt::format("restore_state: metadata '{}' is '{}', the session has '{}'", key,
                          found == state.metadata.end() ? "" : found->second, wanted)};
  }
  auto read_pipe = pipe_from_metadata(state.metadata);
  if (!read_pipe.ok()) return {read_pipe.status().code(), "restore_state: " + read_pipe.status().message()};
  const Pipe pipe = *read_pipe;
  const BufferTable before = plan_->buffers;
  const auto check_and_lay_out = [&]() -> Status {
    if (pipe.in_flight() > 0) {
      // Building the next call's program makes the rings that the saved samples go into.
      const Call call{.mode = pipe.mode,
                      .input = pipe.input,
                      .target = pipe.target,
                      .alt_times = pipe.alt_times,
                      .youngest = 0,
                      .oldest = pipe.oldest + 1};
      if (plan_->is_grid() || pipe.mode.schedule != Schedule::kLine || pipe.oldest + 1 >= line_depth(*plan_))
        return {StatusCode::kInvalidArgument, "the pipe's samples do not fit the mounted model"};
      WEFT_RETURN_IF_ERROR(build_training(*plan_, call).status());
    }
    WEFT_RETURN_IF_ERROR(lay_out_state(state, plan_->storage, pipe.in_flight() > 0, plan_->buffers));
    return check_finite(state, plan_->buffers);
  };
  if (const Status status = check_and_lay_out(); !status.ok()) {
    plan_->buffers = before;
    return {status.code(), "restore_state: " + status.message()};
  }
  WEFT_RETURN_IF_ERROR(reserve(before));
  for (BufferId id = 0; id < plan_->buffers.size(); ++id) {
    const Buffer& buffer = plan_->buffers[id];
    if (!is_state(buffer.role)) continue;
    WEFT_RETURN_IF_ERROR(zero_state(id));
    const auto found = state.arrays.find(state_name(buffer));
    if (found == state.arrays.end()) continue;
    WEFT_RETURN_IF_ERROR(std::visit(
        [&](const auto& array) {
          const std::int64_t elements = static_cast<std::int64_t>(array.size()) / buffer.slots;
          for (std::int64_t slot = 0; slot < buffer.slots && elements > 0; ++slot)
            WEFT_RETURN_IF_ERROR(backend_->write(id, slot, array.data() + slot * elements,
                                                 static_cast<std::size_t>(elements) * sizeof(array[0])));
          return Status();
        },
        found->second));
  }
  pipe_ = pipe;
  return {};
}

Status Session::Impl::reset() {
  WEFT_RETURN_IF_ERROR(usable());
  WEFT_RETURN_IF_ERROR(upload());
  for (BufferId id = 0; id < plan_->buffers.size(); ++id) {
    const Role role = plan_->buffers[id].role;
    if (role == Role::kOptimizer || role == Role::kRule) WEFT_RETURN_IF_ERROR(zero_state(id));
  }
  pipe_ = {};
  return {};
}

Status Session::Impl::close() {
  closed_ = true;
  backend_.reset();
  programs_ = {};
  pipe_ = {};
  return {};
}

}  // namespace weft
