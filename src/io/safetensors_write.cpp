// Writing safetensors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/atomic_file.h"
#include "src/io/safetensors.h"

namespace weft {
namespace {

constexpr std::size_t kAlignment = 8;  // of the data: the header is filled with spaces

Status invalid(const std::filesystem::path& file, std::string_view message) {
  return Status(StatusCode::kInvalidArgument, fmt::format("write '{}': {}", file.string(), message));
}

std::uint64_t bytes_of(const SafetensorsView& array) {
  std::uint64_t bytes = element_size(array.type);
  for (std::int64_t axis : array.shape) bytes *= static_cast<std::uint64_t>(axis);
  return bytes;
}

Result<std::string> header_text(const std::filesystem::path& file, const std::vector<SafetensorsView>& arrays,
                                const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::set<std::string> names;
  std::uint64_t at = 0;
  for (const SafetensorsView& array : arrays) {
    if (array.name == "__metadata__" || !names.insert(array.name).second) {
      return invalid(file, fmt::format("the name {} is taken, wanted another", quote(array.name)));
    }
    const std::uint64_t end = at + bytes_of(array);
    header[array.name] = {
        {"dtype", to_string(array.type)}, {"shape", array.shape}, {"data_offsets", std::array{at, end}}};
    at = end;
  }
  try {
    std::string text = header.dump();
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    return text;
  } catch (const nlohmann::json::exception&) {
    return invalid(file, "a name or a metadata entry is not UTF-8");
  }
}

}  // namespace

Status write_safetensors(const std::filesystem::path& file, std::vector<SafetensorsView> arrays,
                         const std::map<std::string, std::string>& metadata) {
  // The widest types first, so that every array starts at a multiple of its element's size.
  std::stable_sort(arrays.begin(), arrays.end(), [](const SafetensorsView& a, const SafetensorsView& b) {
    return element_size(a.type) > element_size(b.type);
  });
  WEFT_ASSIGN_OR_RETURN(const std::string header, header_text(file, arrays, metadata));
  WEFT_ASSIGN_OR_RETURN(AtomicFile out, AtomicFile::create(file));
  const std::uint64_t header_bytes = header.size();
  WEFT_RETURN_IF_ERROR(out.write(&header_bytes, sizeof(header_bytes)));
  WEFT_RETURN_IF_ERROR(out.write(header.data(), header.size()));
  for (const SafetensorsView& array : arrays) WEFT_RETURN_IF_ERROR(out.write(array.data, bytes_of(array)));
  return out.commit();
}

}  // namespace weft
