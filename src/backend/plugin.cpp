// Plugin: finding and loading a device's shared library.
#include "src/backend/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "src/core/own_folder.h"
#include "src/core/try.h"

namespace weft {
namespace {

constexpr const char* kSymbol = "weft_backend_entry_v4";
using EntryFunction = const BackendEntry* (*)();

struct Plugin {
  std::string_view device;
  const char* variable;  // of the environment: where the library is
  const char* file;
  const BackendEntry* loaded = nullptr;
};

#ifdef __APPLE__
#define WEFT_LIBRARY_SUFFIX ".dylib"
#else
#define WEFT_LIBRARY_SUFFIX ".so"
#endif

Plugin& plugin_of(std::string_view device) {
  static std::array<Plugin, 2> plugins{{{"cuda", "WEFT_CUDA_LIBRARY", "libweft_cuda" WEFT_LIBRARY_SUFFIX},
                                        {"metal", "WEFT_METAL_LIBRARY", "libweft_metal" WEFT_LIBRARY_SUFFIX}}};
  return plugins[device == "cuda" ? 0 : 1];
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::filesystem::path> places(const Plugin& plugin) {
  std::error_code error;
  if (const std::string given = environment(plugin.variable); !given.empty()) {
    // Absolute, or the loader would look for a bare name in places of its own.
    const std::filesystem::path path = std::filesystem::absolute(given, error);
    return {std::filesystem::is_directory(path, error) ? path / plugin.file : path};
  }
  std::vector<std::filesystem::path> found;
  if (const std::filesystem::path beside = own_folder(); !beside.empty()) found.push_back(beside / plugin.file);
  const std::filesystem::path installed = std::filesystem::path(WEFT_INSTALL_LIB_DIR) / plugin.file;
  if (found.empty() || found.front() != installed) found.push_back(installed);
  return found;
}

/// How the library would have come here.
std::string_view advice(const Plugin& plugin) {
  return plugin.device == "metal" ? "; scripts/macos_install.sh in weft's source builds and installs it" : "";
}

/// Metal needs its system; a stand-in for it is only ever used where one is named.
Status platform(const Plugin& plugin) {
#if defined(__APPLE__) && defined(__aarch64__)
  (void)plugin;
  return {};
#else
  if (plugin.device != "metal" || !environment("WEFT_METAL_RUNTIME").empty()) return {};
  utsname machine{};
  const bool known = uname(&machine) == 0;
  return {StatusCode::kUnsupported, fmt::format("Apple Metal needs Apple silicon macOS (this machine: {} {})",
                                                known ? machine.sysname : "unknown", known ? machine.machine : "")};
#endif
}

Result<const BackendEntry*> entry_of(void* library, const std::filesystem::path& file, const Plugin& plugin) {
  const auto refuse = [&](const std::string& why) {
    return Status{StatusCode::kUnsupported,
                  fmt::format("device {}: {} is not its library: {}", plugin.device, file.string(), why)};
  };
  const auto function = reinterpret_cast<EntryFunction>(dlsym(library, kSymbol));
  if (function == nullptr) return refuse(fmt::format("it has no symbol {} (another version of weft?)", kSymbol));
  const BackendEntry* entry = function();
  if (entry == nullptr || entry->available == nullptr || entry->create == nullptr) {
    return refuse(fmt::format("{} gives no usable entry", kSymbol));
  }
  if (entry->name != plugin.device) return refuse(fmt::format("it is device {}", entry->name));
  return entry;
}

Result<const BackendEntry*> find_and_load(const Plugin& plugin) {
  WEFT_RETURN_IF_ERROR(platform(plugin));
  std::string looked;
  for (const std::filesystem::path& file : places(plugin)) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      // Never closed, not even when refused: what a library started on loading may not survive that.
      return entry_of(library, file, plugin);
    }
    const char* said = dlerror();
    std::error_code error;
    const bool there = std::filesystem::exists(file, error);
    looked += fmt::format("; looked at {} ({})", file.string(),
                          !there            ? "it is not there"
                          : said != nullptr ? said
                                            : "no reason given");
  }
  return Status{StatusCode::kNotFound,
                fmt::format("device {}: no library {} could be loaded{}; {} may name it{}", plugin.device, plugin.file,
                            looked, plugin.variable, advice(plugin))};
}

Status available(std::string_view device) {
  WEFT_ASSIGN_OR_RETURN(const BackendEntry* const entry, load_plugin(device));
  return entry->available();
}

Result<std::unique_ptr<Backend>> create(std::string_view device, const BackendOptions& options) {
  WEFT_ASSIGN_OR_RETURN(const BackendEntry* const entry, load_plugin(device));
  WEFT_RETURN_IF_ERROR(entry->available());
  return entry->create(options);
}

/// Only called with backends of that library.
void run_together(std::string_view device, std::span<const MemberRun> members) {
  const auto entry = load_plugin(device);
  if (entry.ok() && (*entry)->run_together != nullptr) return (*entry)->run_together(members);
  for (const MemberRun& member : members) *member.status = member.backend->run_calls(*member.program, *member.calls);
}

}  // namespace

Result<const BackendEntry*> load_plugin(std::string_view device) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Plugin& plugin = plugin_of(device);
  if (plugin.loaded == nullptr) {
    WEFT_ASSIGN_OR_RETURN(plugin.loaded, find_and_load(plugin));
  }
  return plugin.loaded;
}

BackendEntry cuda_entry() {
  return {"cuda", "NVIDIA GPUs", [] { return available("cuda"); },
          [](const BackendOptions& options) { return create("cuda", options); },
          [](std::span<const MemberRun> members) { run_together("cuda", members); }};
}

BackendEntry metal_entry() {
  return {"metal", "Apple GPUs", [] { return available("metal"); },
          [](const BackendOptions& options) { return create("metal", options); },
          [](std::span<const MemberRun> members) { run_together("metal", members); }};
}

}  // namespace weft
