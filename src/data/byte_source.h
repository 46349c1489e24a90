// ByteSource: the bytes of a file from first to last, decompressed on the way where the file is gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "weft/status.hpp"

namespace weft::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills up to `most` bytes and returns how many; 0 at the end alone. Errors: kIo, kDataLoss for damaged gzip.
  virtual Result<std::size_t> read(char* to, std::size_t most) = 0;

  /// How many bytes there are in all, 0 where that is not known before the end.
  virtual std::uint64_t size() const = 0;

  /// Errors: kNotFound, kIo, kInvalidArgument for what is no file, kUnsupported for gzip in a build without zlib.
  static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& file);

  /// Over memory of the caller, who keeps it alive; gzip is decompressed too.
  static Result<std::unique_ptr<ByteSource>> over(std::string_view bytes);
};

}  // namespace weft::data
