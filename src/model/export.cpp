// Weights as an .npz file.
#include <fmt/format.h>

#include <list>
#include <utility>

#include "src/data/npy_header_write.h"
#include "src/io/zip_write.h"
#include "src/model/leaf_tensors.h"
#include "weft/model_file.hpp"

namespace weft {

Status export_npz(const Model& model, const std::filesystem::path& file) {
  const auto placed = [](std::string_view place, const Status& status) {
    return Status(status.code(), fmt::format("export: {}{}", place, status.message()));
  };
  std::list<std::string> headers;  // stay where they are while the archive refers to them
  std::vector<ZipSource> entries;
  for (const auto& entry : std::visit([](const auto& kind) { return leaf_tensors(leaves(kind)); }, model)) {
    if (const Status status = check_values(entry); !status.ok()) return placed(entry.place + ": ", status);
    const char* descr = entry.tensor->dtype() == DType::kFloat64 ? "<f8" : "<f4";
    const std::string& header = headers.emplace_back(data::npy_header(descr, entry.wanted.axes()));
    entries.push_back(
        {entry.name + ".npy", {{header.data(), header.size()}, {entry.tensor->data(), entry.tensor->bytes()}}});
  }
  const Status status = write_zip(file, entries);
  return status.ok() ? status : placed("", status);
}

}  // namespace weft
