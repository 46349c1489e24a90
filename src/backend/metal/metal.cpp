// The `metal` device: float32 programs on an Apple GPU. This is the whole of libweft_metal that the core sees.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/backend/backend.h"
#include "src/backend/device_buffers.h"
#include "src/backend/metal/call_arrays.h"
#include "src/backend/metal/chip.h"
#include "src/backend/metal/device.h"
#include "src/backend/metal/flight.h"
#include "src/backend/metal/memory.h"
#include "src/backend/metal/pool.h"
#include "src/backend/metal/rows.h"
#include "src/backend/metal/ways.h"
#include "src/core/in_threads.h"
#include "src/core/try.h"

namespace weft::metal {
namespace {

/// What a session has on the GPU. Nothing is in flight between two calls of the backend, so the host may read and write
/// the memory as it likes.
struct SessionState {
  SessionState(Device& device, Owned commands) : queue(std::move(commands)), memory(device) {}

  Owned queue;
  Memory memory;
  CallArrays arrays;
  Ways ways{memory};
};

class MetalBackend final : public Backend {
 public:
  MetalBackend(Device& device, Owned queue) : state_(std::make_unique<SessionState>(device, std::move(queue))) {}
  ~MetalBackend() override {
    const Pool pool;
    state_.reset();
  }

  Status reserve(const BufferTable& buffers) override {
    return guarded([&] { return state_->memory.reserve(buffers); });
  }
  Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) override {
    return guarded([&] { return state_->memory.write(buffer, slot, data, bytes); });
  }
  Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) override {
    return guarded([&] { return state_->memory.read(buffer, slot, data, bytes); });
  }
  Status run(const Program& program, const RunArguments& arguments) override {
    return guarded([&]() -> Status {
      WEFT_RETURN_IF_ERROR(check(program, arguments.input != nullptr, arguments.target != nullptr));
      WEFT_ASSIGN_OR_RETURN(const DeviceCalls calls,
                            state_->arrays.fill_one(arguments.lr, arguments.clock, state_->memory.device()));
      WEFT_ASSIGN_OR_RETURN(Way* const way, state_->ways.get(program, calls));
      state_->memory.stage(program, arguments);
      return run_through(program, {way, calls});
    });
  }
  Result<std::unique_ptr<HeldRows>> hold(const SampleRows& rows) override {
    std::unique_ptr<HeldRows> held;
    WEFT_RETURN_IF_ERROR(guarded([&]() -> Status {
      WEFT_ASSIGN_OR_RETURN(held, MetalRows::make(rows, state_->memory.device()));
      return {};
    }));
    return held;
  }
  Status run_calls(const Program& program, const CallRun& calls) override {
    Started started;
    WEFT_RETURN_IF_ERROR(start(program, calls, started));
    return finish(program, calls, started);
  }

  // The parts of run_calls: finding what the calls need, and running them. Members of one chip are run together by the
  // first of them instead, and all told what it came to.
  struct Started {
    Way* way = nullptr;
    DeviceCalls calls;
  };
  Status start(const Program& program, const CallRun& calls, Started& started) {
    return guarded([&]() -> Status {
      WEFT_RETURN_IF_ERROR(check(program, true, true));
      WEFT_ASSIGN_OR_RETURN(started.calls, state_->arrays.fill(calls, state_->memory.device()));
      WEFT_ASSIGN_OR_RETURN(started.way, state_->ways.get(program, started.calls));
      return {};
    });
  }
  Status finish(const Program& program, const CallRun& calls, const Started& started) {
    return guarded([&]() -> Status {
      WEFT_RETURN_IF_ERROR(run_through(program, started));
      state_->arrays.tell(calls);
      return {};
    });
  }
  Status run_chips(const Program& program, std::span<const Chip::Part> parts) {
    return guarded([&] {
      return flown(program, [&](Flight& flight) { return Chip::run_together(parts, state_->queue.get(), flight); });
    });
  }
  Status finish_together(const CallRun& calls, const Status& came_to) {
    return guarded([&]() -> Status {
      if (came_to.ok()) state_->arrays.tell(calls);
      return came_to;
    });
  }

 private:
  Status check(const Program& program, bool has_input, bool has_target) const {
    return device_buffers::check_operands("metal", state_->memory.buffers(), program, has_input, has_target);
  }

  Status run_through(const Program& program, const Started& started) {
    return flown(program, [&](Flight& flight) { return started.way->run(started.calls, state_->queue.get(), flight); });
  }

  /// Puts command buffers in flight and waits for all of them, also where one could not be put.
  template <typename Run>
  static Status flown(const Program& program, Run run) {
    Flight flight(program.title);
    const Status status = run(flight);
    const Status landed = flight.land();
    return status.ok() ? landed : status;
  }

  /// A fault of the GPU never goes away again: every later call fails with what the first one met.
  template <typename Action>
  Status guarded(Action action) {
    if (!fault_.ok()) return fault_;
    const Pool pool;
    try {
      Status status = action();
      if (status.code() == StatusCode::kDeviceFault) fault_ = status;
      return status;
    } catch (const std::bad_alloc&) {
      return {StatusCode::kResourceExhausted, "metal: no memory on the host for lists of a session"};
    }
  }

  Status fault_;
  std::unique_ptr<SessionState> state_;
};

/// Members whose texts are the same share command buffers; every other has its own, beside them.
void run_together(std::span<const MemberRun> members) {
  std::vector<MetalBackend::Started> started(members.size());
  const auto backend = [&](std::size_t i) { return static_cast<MetalBackend*>(members[i].backend); };
  in_threads(members.size(), [&](std::size_t i) {
    *members[i].status = backend(i)->start(*members[i].program, *members[i].calls, started[i]);
  });
  std::map<const Library*, std::vector<std::size_t>> alike;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].status->ok()) continue;
    if (const auto* chip = dynamic_cast<const Chip*>(started[i].way); chip != nullptr) {
      alike[chip->library().get()].push_back(i);
    } else {
      groups.push_back({i});
    }
  }
  for (auto& [library, group] : alike) groups.push_back(std::move(group));
  in_threads(groups.size(), [&](std::size_t g) {
    const std::vector<std::size_t>& group = groups[g];
    const std::size_t first = group.front();
    if (group.size() == 1) {
      *members[first].status = backend(first)->finish(*members[first].program, *members[first].calls, started[first]);
      return;
    }
    std::vector<Chip::Part> parts;
    parts.reserve(group.size());
    for (const std::size_t i : group) parts.push_back({static_cast<const Chip*>(started[i].way), started[i].calls});
    const Status came_to = backend(first)->run_chips(*members[first].program, parts);
    for (const std::size_t i : group) *members[i].status = backend(i)->finish_together(*members[i].calls, came_to);
  });
}

Result<std::unique_ptr<Backend>> create(const BackendOptions& options) {
  if (options.storage != DType::kFloat32) {
    return Status{StatusCode::kUnsupported,
                  fmt::format("metal: storage {} is not carried out, wanted float32 (device cpu has float64)",
                              to_string(options.storage))};
  }
  if (options.precision != Precision::kFloat32) {
    return Status{StatusCode::kUnsupported,
                  fmt::format("metal: precision {} is not carried out, wanted fp32", to_string(options.precision))};
  }
  if (options.index != 0)
    return Status{StatusCode::kNotFound, fmt::format("metal: GPU {} wanted, there is one, number 0", options.index)};
  WEFT_ASSIGN_OR_RETURN(Device* const device, Device::get());
  const Pool pool;
  Owned queue = Owned::taken(objc().new_queue(device->id()));
  if (!queue) return Status{StatusCode::kResourceExhausted, "metal: the GPU gives no command queue"};
  return std::unique_ptr<Backend>(std::make_unique<MetalBackend>(*device, std::move(queue)));
}

}  // namespace
}  // namespace weft::metal

/// The library's row, for src/backend/plugin.cpp.
extern "C" __attribute__((visibility("default"))) const weft::BackendEntry* weft_backend_entry_v4() {
  static const std::string description = weft::metal::Device::describe();
  static const weft::BackendEntry entry{"metal", description, weft::metal::Device::available, weft::metal::create,
                                        weft::metal::run_together};
  return &entry;
}
