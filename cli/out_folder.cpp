// --out, checked.
#include "cli/out_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

#include <fmt/format.h>

#include "src/core/names.h"
#include "src/io/atomic_file.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSlack = std::uint64_t{1} << 16;  // model.json, data.json, metrics and the like
constexpr const char* kFiles[] = {"model.json", "weights.safetensors", "data.json", "run.json", "metrics.jsonl"};

Status refuse(const fs::path& out, std::string_view why) {
  return {StatusCode::kIo, fmt::format("--out {}: {}", printable(out.string()), why)};
}

/// Renames in it are on the disk.
void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  return bytes < 10'000'000 ? fmt::format("{:.0f} kB", number / 1e3) : fmt::format("{:.0f} MB", number / 1e6);
}

}  // namespace

OutFolder::~OutFolder() {
  std::error_code ignored;
  if (!stage_.empty()) fs::remove_all(stage_, ignored);
  if (made_) fs::remove(path_, ignored);  // refused where it is not empty
}

Status OutFolder::check() const {
  if (path_.empty()) return {};
  std::error_code error;
  fs::path folder = fs::absolute(path_, error);
  while (!fs::exists(folder, error) && folder.has_parent_path() && folder != folder.parent_path())
    folder = folder.parent_path();
  const std::string name = printable(folder.string());
  if (!fs::is_directory(folder, error)) return refuse(path_, name + " is no folder");
  if (access(folder.c_str(), W_OK) != 0) return refuse(path_, name + " cannot be written");
  for (const char* file : kFiles) {
    if (fs::is_directory(path_ / file, error)) return refuse(path_, fmt::format("{} in it is a folder", file));
  }
  return {};
}

Status OutFolder::prepare(std::uint64_t bytes) {
  if (path_.empty()) return {};
  std::error_code error;
  made_ = fs::create_directories(path_, error);
  if (error) return refuse(path_, "cannot make the folder: " + error.message());
  if (const auto probe = AtomicFile::create(path_ / kFiles[0]); !probe.ok())
    return refuse(path_, probe.status().message());
  const fs::space_info space = fs::space(path_, error);
  if (!error && space.available < bytes + kSlack)
    return refuse(path_, fmt::format("{} free, wanted {} for the model", bytes_text(space.available),
                                     bytes_text(bytes + kSlack)));
  return {};
}

Result<fs::path> OutFolder::stage() {
  std::error_code error;
  stage_ = path_ / fmt::format(".weft.{}.tmp", getpid());
  fs::remove_all(stage_, error);  // of a process that had our number
  fs::create_directory(stage_, error);
  if (error) return refuse(path_, "cannot make a folder in it: " + error.message());
  return stage_;
}

Status OutFolder::commit() {
  for (const char* file : kFiles) {
    std::error_code error;
    if (!fs::exists(stage_ / file, error)) continue;
    fs::rename(stage_ / file, path_ / file, error);
    if (error) return refuse(path_, fmt::format("cannot put {} in its place: {}", file, error.message()));
  }
  sync_folder(path_);
  return {};
}

}  // namespace weft::cli
