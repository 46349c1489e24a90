// Asking the loader for the file that holds this function.
#include "src/core/own_folder.h"

#include <dlfcn.h>

#include <system_error>

namespace weft {

std::filesystem::path own_folder() {
  Dl_info info{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
#ifdef __linux__
  // A program started by its bare name is not found under that name.
  if (error) file = std::filesystem::read_symlink("/proc/self/exe", error);
#endif
  return error ? std::filesystem::path{} : file.parent_path();
}

}  // namespace weft
