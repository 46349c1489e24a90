// Safetensors files: named arrays behind a JSON header (github.com/huggingface/safetensors).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/state.hpp"
#include "weft/status.hpp"

namespace weft {

/// The element types that weft writes.
enum class SafetensorsType : std::uint8_t { kF32, kF64, kU64 };

std::string_view to_string(SafetensorsType type);  // "F32"
std::size_t element_size(SafetensorsType type);

/// Bits of an element of a type that the format knows, "BF16": 16; else 0.
int safetensors_bits(std::string_view type);

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
/// the data do not fill the file from its start to its end, each array aligned; kUnsupported for a type that is known
/// but not read.
Result<SafetensorsFile> read_safetensors(const std::filesystem::path& file);

/// What the header says of an array.
struct SafetensorsEntry {
  std::string name;
  std::string type;                 // one that the format knows: "BF16"
  std::vector<std::int64_t> shape;  // axes may be 0
  std::int64_t elements = 0;
  std::int64_t begin = 0, end = 0;  // bytes, from the start of the data
};

/// A file of whoever wrote it, its arrays read one by one.
class SafetensorsReader {
 public:
  /// Reads and checks the header. Errors: as read_safetensors, but every type of the format is taken, aligned or not.
  static Result<SafetensorsReader> open(const std::filesystem::path& file);

  /// The arrays in the order of the data, which they fill without holes.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// Whether values() reads arrays of a type: F32, F64, U64, and F16 and BF16, which become float32.
  static bool reads(std::string_view type);
  /// The numbers of an array of entries(). Errors: kUnsupported, kIo, kDataLoss, kResourceExhausted, naming the file.
  Result<State::Values> values(const SafetensorsEntry& entry);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit SafetensorsReader(std::filesystem::path file) : file_(std::move(file)) {}
  Status read_header();
  Status failed(const Status& status) const;  // with the file's name before the message

  std::filesystem::path file_;
  std::unique_ptr<std::FILE, CloseFile> stream_;
  std::int64_t data_ = 0;  // where the data begin in the file
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace weft
