// --out beside what is read.
#include "cli/input_files.h"

#include <fmt/format.h>

#include "src/core/names.h"
#include "src/data/source_file.h"

namespace weft::cli {

Status check_out(const std::filesystem::path& out, const std::vector<std::filesystem::path>& inputs) {
  for (const std::filesystem::path& input : inputs) {
    if (!data::same_file(out, input)) continue;
    const bool other = out != input;
    return {StatusCode::kInvalidArgument,
            fmt::format("--out: seen {}, which is read{}, wanted another file", quote(out.string()),
                        other ? fmt::format(" as {}", quote(input.string())) : "")};
  }
  return {};
}

}  // namespace weft::cli
