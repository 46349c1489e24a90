// weft version: what this build is.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/build_info.h"
#include "cli/command.h"
#include "weft/device.hpp"
#include "weft/version.hpp"

namespace weft::cli {
namespace {

/// cpu and native_cpu are part of the library; the GPUs' libraries count where they are found.
std::vector<std::string> usable_devices() {
  std::vector<std::string> names;
  for (const DeviceInfo& device : devices()) {
    if (device.available) names.push_back(device.name);
  }
  return names;
}

void print_json() {
  const nlohmann::ordered_json version_of{
      {"version", version()}, {"compiler", compiler()}, {"build_type", build_type()}, {"devices", usable_devices()}};
  fmt::print("{}\n", version_of.dump(2));
}

void print_text() {
  fmt::print("weft {}\ncompiler    {}\nbuild type  {}\ndevices     {}\n", version(), compiler(), build_type(),
             fmt::join(usable_devices(), ", "));
}

}  // namespace

void add_version(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("version", "Print version, compiler, build type and devices")->group("Look around");
  command->add_flag("--json", *json, "Print JSON: {version, compiler, build_type, devices}");
  command->footer("Example:\n  weft version --json");
  command->final_callback([json, &action] {
    action = [json] {
      *json ? print_json() : print_text();
      return kExitOk;
    };
  });
}

}  // namespace weft::cli
