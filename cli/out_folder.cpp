// --out, checked.
#include "cli/out_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/atomic_file.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSlack = std::uint64_t{1} << 16;  // model.json, data.json, metrics and the like
constexpr const char* kOld = "old";                       // in the stage: what the files replace

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

/// Whether a name is of a stage, ".weft.PID.tmp", or of a file on its way, ".run.json.PID.N.tmp", of a process that is
/// gone.
bool is_litter(std::string_view name) {
  constexpr std::string_view kEnd = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(kEnd)) return false;
  name.remove_prefix(1);
  name.remove_suffix(kEnd.size());
  const auto rest = [&](std::string_view start) {
    return name.starts_with(start) ? name.substr(start.size()) : std::string_view();
  };
  std::string_view numbers = rest("weft.");
  for (const char* file : kRunFiles) {
    if (numbers.empty()) numbers = rest(fmt::format("{}.", file));
  }
  if (numbers.starts_with("part.")) numbers.remove_prefix(5);  // metrics.jsonl.part
  pid_t process = 0;
  const auto [stop, error] = std::from_chars(numbers.data(), numbers.data() + numbers.size(), process);
  if (error != std::errc() || process <= 0) return false;
  const std::string_view left = numbers.substr(static_cast<std::size_t>(stop - numbers.data()));
  if (left.find_first_not_of(".0123456789") != std::string_view::npos) return false;
  return kill(process, 0) != 0 && errno == ESRCH;
}

/// `with_old`: also stages that hold files which a process was replacing as it died.
void clear_litter(const fs::path& folder, bool with_old) {
  std::vector<fs::path> litter;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (is_litter(entry->path().filename().string()) && (with_old || !fs::exists(entry->path() / kOld, error)))
      litter.push_back(entry->path());
  }
  for (const fs::path& path : litter) fs::remove_all(path, error);
}

}  // namespace

OutFolder::~OutFolder() {
  std::error_code ignored;
  if (!stage_.empty()) fs::remove_all(stage_, ignored);
  if (prepared_) fs::remove(part(), ignored);
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
  for (const char* file : kRunFiles) {
    if (fs::is_directory(path_ / file, error)) return refuse(path_, fmt::format("{} in it is a folder", file));
  }
  return {};
}

Status OutFolder::prepare(std::uint64_t bytes) {
  if (path_.empty()) return {};
  std::error_code error;
  made_ = fs::create_directories(path_, error);
  if (error) return refuse(path_, "cannot make the folder: " + error.message());
  if (const auto probe = AtomicFile::create(path_ / kRunFiles[0]); !probe.ok())
    return refuse(path_, probe.status().message());
  prepared_ = true;
  clear_litter(path_, false);
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

/// Links what is there into the stage, or copies it where that cannot be done.
Status OutFolder::link_old(const std::vector<const char*>& files) const {
  std::error_code error;
  fs::create_directory(stage_ / kOld, error);
  if (error) return refuse(path_, "cannot keep the old files by: " + error.message());
  for (const char* file : files) {
    // Anything else than a file is not replaced: the move will say so.
    if (!fs::is_regular_file(path_ / file, error)) continue;
    fs::create_hard_link(path_ / file, stage_ / kOld / file, error);
    if (error) fs::copy_file(path_ / file, stage_ / kOld / file, error);
    if (error)
      return refuse(path_, fmt::format("cannot keep the old {} by: {}; no file was replaced", file, error.message()));
  }
  return {};
}

/// The files as they were; those that were not there are removed.
Status OutFolder::put_back(const std::vector<const char*>& files) const {
  std::string lost;
  for (const char* file : files) {
    std::error_code error;
    const fs::path old = stage_ / kOld / file;
    if (fs::exists(old, error)) {
      fs::rename(old, path_ / file, error);
    } else {
      fs::remove(path_ / file, error);
    }
    if (error) lost += fmt::format("{}{}", lost.empty() ? "" : ", ", file);
  }
  sync_folder(path_);
  if (lost.empty()) return {};
  return {StatusCode::kIo, lost + " cannot be put back"};
}

/// Moves the old files out of the stage, to a name that is none of a stage, which would be cleared; where that cannot
/// be done the stage stays.
void OutFolder::leave_old() {
  constexpr int kTries = 1000;
  for (int i = 1; i <= kTries && kept_.empty(); ++i) {
    const fs::path folder = path_ / fmt::format("old.{}", i);
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder, error))) continue;
    fs::rename(stage_ / kOld, folder, error);
    if (error) break;
    kept_ = folder;
  }
  if (!kept_.empty()) return;
  kept_ = stage_ / kOld;
  stage_.clear();
}

Status OutFolder::commit(bool keep_old) {
  std::error_code error;
  std::vector<const char*> staged;
  for (const char* file : kRunFiles) {
    if (fs::exists(stage_ / file, error)) staged.push_back(file);
  }
  WEFT_RETURN_IF_ERROR(link_old(staged));
  for (std::size_t i = 0; i < staged.size(); ++i) {
    fs::rename(stage_ / staged[i], path_ / staged[i], error);
    if (!error) {
      if (i == 0) sync_folder(path_);  // its new id is on the disk before the others
      continue;
    }
    const std::string why = fmt::format("cannot put {} in its place: {}", staged[i], error.message());
    staged.resize(i);
    if (const Status status = put_back(staged); !status.ok()) {
      leave_old();
      return refuse(path_,
                    fmt::format("{}; {}: what they were is in {}", why, status.message(), printable(kept_.string())));
    }
    return refuse(path_, why + "; no file was replaced");
  }
  if (keep_old && !fs::is_empty(stage_ / kOld, error)) leave_old();
  sync_folder(path_);
  clear_litter(path_, true);
  return {};
}

}  // namespace weft::cli
