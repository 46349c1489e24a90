// Any bytes as a safetensors file, in memory: as weft reads its own, array by array, and as weights for a model.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "src/io/safetensors.h"
#include "weft/model_file.hpp"

namespace {

// Leaves that the files of the corpus have arrays for.
weft::Model model() {
  weft::Stack stack{weft::dense(2, 2, weft::Activation::kRelu, {.bias = true}),
                    weft::dense(2, 1, weft::Activation::kLinear)};
  if (!stack.initialise().ok()) std::abort();
  return stack;
}

// What is taken is finite, what is not taken stays.
void import_from(const std::filesystem::path& path, const std::map<std::string, std::string>& renames) {
  weft::Model changed = model();
  const auto report = weft::import_weights(changed, path, renames);
  if (report.ok() && report->tensors.size() != 3) std::abort();
  const weft::Model fresh = model();
  const auto after = leaves(std::get<weft::Stack>(changed));
  const auto before = leaves(std::get<weft::Stack>(fresh));
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool taken = report.ok() && report->tensors[2 * i].fate == weft::ImportedTensor::Fate::kTaken;
    if (!after[i]->weight.validate().ok()) std::abort();
    for (std::int64_t j = 0; j < after[i]->weight.elements(); ++j) {
      const double number = after[i]->weight.at(j);
      if (!std::isfinite(number) || (!taken && number != before[i]->weight.at(j))) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const int file = memfd_create("safetensors", 0);
  static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(file);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != static_cast<ssize_t>(size)) std::abort();
  const auto own = weft::read_safetensors(path);
  auto reader = weft::SafetensorsReader::open(path);
  if (!reader.ok()) {
    if (own.ok()) std::abort();
    return 0;
  }
  for (const auto& entry : reader->entries()) {
    const auto values = reader->values(entry);
    if (values.ok() != weft::SafetensorsReader::reads(entry.type)) std::abort();
    if (!values.ok()) continue;
    const std::size_t count = std::visit([](const auto& numbers) { return numbers.size(); }, *values);
    if (count != static_cast<std::size_t>(entry.elements)) std::abort();
  }
  import_from(path, {});
  import_from(path, {{"fc1", "leaf.1"}, {"fc2.weight", "leaf.2.weight"}});
  return 0;
}
