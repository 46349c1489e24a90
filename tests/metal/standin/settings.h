// Settings: what a test can ask of the stand-in, by environment variables or (faults) by weft_standin_fail.
#pragma once

#include <string>

namespace weft::standin {

/// Faults on purpose. Each is made once, at the n-th time that there is an occasion: WEFT_STANDIN_FAIL_COMMAND=3 lets
/// the third command buffer of the process fail.
enum class Fault { kCommand, kBuffer, kQueue, kCount };

/// Whether this is the time.
bool strikes(Fault fault);
/// From now on: at the n-th time. 0: never.
void arm(Fault fault, long times);

/// WEFT_STANDIN_NO_DEVICE=1: there is no GPU.
bool has_device();

/// WEFT_STANDIN_EXECUTE: when a command buffer is carried out.
enum class Execution {
  kAtWait,    // "wait", as late as Metal may: when the host waits for it or for a later one of its queue
  kOnThread,  // "thread": by another thread, soon after commit
};
Execution execution();

/// WEFT_STANDIN_ORDER=backwards: the last thread of a group comes first.
bool backwards();

/// WEFT_STANDIN_MEMORY: bytes of all buffers together; more are not given.
unsigned long memory_limit();

/// WEFT_STANDIN_THREADS: the most threads of a group that a pipeline allows; 1024 where nothing is said. A GPU allows
/// fewer for kernels that need many registers.
unsigned long thread_limit();

/// WEFT_STANDIN_MACOS: the version that it is like, 15 where nothing is said; compile options have more from 15 on.
long macos();

/// WEFT_STANDIN_LEAKS=1: at the end of the process no buffer, queue, command buffer or encoder may be alive.
bool checks_leaks();

/// WEFT_STANDIN_CACHE: the folder of compiled texts; else one below the temporary directory.
std::string cache_folder();

}  // namespace weft::standin
