// What this machine can train on.
#pragma once

#include <string>
#include <vector>

#include "weft/status.hpp"

namespace weft {

struct DeviceInfo {
  std::string name;  // "cpu", "native_cpu", "cuda", "metal"
  bool available = false;
  std::string description;  // what it is: "reference, slow"; the processor or GPU
  std::string reason;       // why it is not available, naming where was looked
};

/// Every device weft knows, in this order: cpu, native_cpu, cuda, metal.
std::vector<DeviceInfo> devices();

}  // namespace weft
