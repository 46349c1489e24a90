// Safetensors files: named arrays behind a JSON header (github.com/huggingface/safetensors).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/state.hpp"
#include "weft/status.hpp"

namespace weft {

/// The element types that weft writes and reads.
enum class SafetensorsType : std::uint8_t { kF32, kF64, kU64 };

std::string_view to_string(SafetensorsType type);  // "F32"
std::size_t element_size(SafetensorsType type);

/// An array to write; the caller keeps the memory until the file is written.
struct SafetensorsView {
  std::string name;
  SafetensorsType type = SafetensorsType::kF32;
  std::vector<std::int64_t> shape;  // axes may be 0
  const void* data = nullptr;       // product of shape elements
};

/// An array that was read. The alternative of `values` is the type.
struct SafetensorsArray {
  std::string name;
  std::vector<std::int64_t> shape;
  State::Values values;
};

struct SafetensorsFile {
  std::vector<SafetensorsArray> arrays;  // in the order of the data
  std::map<std::string, std::string> metadata;
};

/// Writes the arrays, 8-byte types first, else in the order given; the file appears whole or not at all.
/// Errors: kInvalidArgument (two of one name, text that is not UTF-8), kNotFound, kIo.
Status write_safetensors(const std::filesystem::path& file, std::vector<SafetensorsView> arrays,
                         const std::map<std::string, std::string>& metadata);

/// Reads all arrays. Errors: kNotFound, kIo; kDataLoss naming file and field where the header is not valid or
/// the data do not fill the file from its start to its end; kUnsupported for a type that is known but not read.
Result<SafetensorsFile> read_safetensors(const std::filesystem::path& file);

}  // namespace weft
