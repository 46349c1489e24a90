// weft devices: what can train here, and why the rest cannot.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "weft/device.hpp"

namespace weft::cli {
namespace {

void print_json() {
  auto list = nlohmann::ordered_json::array();
  for (const DeviceInfo& device : devices()) {
    list.push_back({{"name", device.name},
                    {"available", device.available},
                    {"description", device.description},
                    {"reason", device.reason}});
  }
  fmt::print("{}\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table() {
  for (const DeviceInfo& device : devices()) {
    fmt::print("{:<11} {:<9} {}\n", device.name, device.available ? "available" : "absent",
               device.available ? device.description : device.reason);
  }
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("devices", "Say what can train here, and why the rest cannot")->group("Look around");
  command->add_flag("--json", *json, "Print JSON: a list of {name, available, description, reason}");
  command->footer("Example:\n  weft devices --json");
  command->final_callback([json, &action] {
    action = [json] {
      *json ? print_json() : print_table();
      return kExitOk;
    };
  });
}

}  // namespace weft::cli
