// Counts: what happened since the process began.
#pragma once

#include <atomic>

namespace weft::standin {

struct Counts {
  std::atomic<long> command_buffers{0}, encoders{0}, dispatches{0}, products{0};
  std::atomic<long> libraries{0}, fast_libraries{0};  // compiled exactly, and with fast math
  std::atomic<long> buffers{0}, bytes{0};             // made
  std::atomic<long> bytes_alive{0};
};

inline Counts& counts() {
  static Counts all;
  return all;
}

}  // namespace weft::standin
