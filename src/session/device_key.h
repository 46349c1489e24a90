// DeviceKey: which device a session is on, and in which type it stores numbers there.
#pragma once

#include <string>

#include "weft/dtype.hpp"

namespace weft {

/// Sessions of equal keys can share what is held there.
struct DeviceKey {
  std::string name;
  int index = 0;
  DType storage = DType::kFloat32;
  bool operator==(const DeviceKey&) const = default;
};

/// "cuda 0 (float32)"
std::string to_string(const DeviceKey& device);

}  // namespace weft
