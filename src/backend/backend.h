// The contract that a device fills. A backend sees buffers and programs, never modes or layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "src/backend/batch.h"
#include "src/backend/call_run.h"
#include "src/program/buffer.h"
#include "src/program/program.h"
#include "weft/dtype.hpp"
#include "weft/precision.hpp"
#include "weft/status.hpp"

namespace weft {

/// What changes from call to call without rebuilding a program.
struct RunArguments {
  double lr = 0.0;
  std::uint64_t clock = 0;       // resolves the slots of rings
  const void* input = nullptr;   // the call's input and target, in the session's storage type,
  const void* target = nullptr;  // host memory that stays valid during run; null where not used
};

/// One session's memory on one device. Used by one thread at a time; different backends may be used
/// by different threads at once.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Makes memory for every buffer of the table that is new or has grown, zeroed; the others keep
  /// their contents. Errors: kResourceExhausted naming the buffer; then nothing has changed.
  virtual Status reserve(const BufferTable& buffers) = 0;

  /// Copies `bytes` bytes to or from the start of a slot. kReal travels as double, kCounter as uint64.
  virtual Status write(BufferId buffer, std::int64_t slot, const void* data, std::size_t bytes) = 0;
  virtual Status read(BufferId buffer, std::int64_t slot, void* data, std::size_t bytes) = 0;

  /// Runs every instruction whose predicates hold, as if one after the other.
  /// Errors: kDeviceFault; the session then stays failed.
  virtual Status run(const Program& program, const RunArguments& arguments) = 0;

  /// Takes samples in for many runs of calls; a device with memory of its own copies them there. Here: a reference, so
  /// the rows must stay valid. Errors: kResourceExhausted with the bytes wanted.
  virtual Result<std::unique_ptr<HeldRows>> hold(const SampleRows& rows);

  /// Trains on one batch after the other, as if by `run` for each; losses are added to those of `calls`, which say
  /// nothing where the program takes none. What fails with kResourceExhausted or kUnsupported has not run a call. Here:
  /// gathers a batch, runs, reads the loss.
  virtual Status run_calls(const Program& program, const CallRun& calls);

 protected:
  /// Those of one call of a run, for a device that works in this machine's memory. They stay until the next.
  RunArguments arguments(const CallRun& calls, std::int64_t call);

 private:
  Batch inputs_, targets_;
};

/// What a backend is made for.
struct BackendOptions {
  BackendOptions(DType storage_type, int thread_count = 0)  // NOLINT(google-explicit-constructor): mostly one of these
      : storage(storage_type), threads(thread_count) {}
  DType storage;
  int threads;                                // worker threads of a device that has them; 0: the device chooses
  Precision precision = Precision::kFloat32;  // of the products
  int index = 0;                              // which of several devices of the kind
};

/// One member's calls, for BackendEntry::run_together. The backend is of that entry.
struct MemberRun {
  Backend* backend;
  const Program* program;
  const CallRun* calls;
  Status* status;  // out
};

/// A device by name: whether it is here, and how to make a backend of it.
struct BackendEntry {
  std::string_view name;
  std::string_view description;
  Status (*available)();  // ok, or why not, naming where was looked
  Result<std::unique_ptr<Backend>> (*create)(
      const BackendOptions& options);  // kUnsupported where storage or precision is not carried
  /// Runs the calls of several sessions at once; the results are those of run_calls for each. Null: the caller runs
  /// them, one to a thread.
  void (*run_together)(std::span<const MemberRun> members) = nullptr;
};

/// All devices in listing order.
std::span<const BackendEntry> backends();
/// Null for an unknown name.
const BackendEntry* find_backend(std::string_view device);

/// Makes a backend. Errors: kNotFound for an unknown name (listing the known) or an absent device (why).
Result<std::unique_ptr<Backend>> create_backend(std::string_view device, const BackendOptions& options);

}  // namespace weft
