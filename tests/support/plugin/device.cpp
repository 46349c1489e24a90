// A device library for the tests of the plugin loader: the cpu device under the name cuda.
#include "src/backend/cpu/cpu.h"

extern "C" const weft::BackendEntry* weft_backend_entry_v4() {
  static const weft::BackendEntry entry = [] {
    weft::BackendEntry cpu = weft::cpu_entry();
    cpu.name = "cuda";
    cpu.description = "a stand-in for tests";
    return cpu;
  }();
  return &entry;
}
