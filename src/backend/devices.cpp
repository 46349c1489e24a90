// devices(): what this machine can train on, for people.
#include "weft/device.hpp"

#include "src/backend/backend.h"
#include "src/backend/plugin.h"

namespace weft {

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> infos;
  for (const BackendEntry& entry : backends()) {
    const Status status = entry.available();
    DeviceInfo info{std::string(entry.name), status.ok(), std::string(entry.description), status.message()};
    // A loaded library knows better than the registry which processor it found.
    if (status.ok() && (entry.name == "cuda" || entry.name == "metal")) {
      if (const auto loaded = load_plugin(entry.name); loaded.ok())
        info.description = std::string((*loaded)->description);
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace weft
