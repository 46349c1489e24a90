// Zip archives, as .npz files are: stored and deflated entries (pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/status.hpp"

namespace weft::data {

struct ZipEntry {
  std::string name;
  std::uint64_t begin = 0, packed = 0, size = 0;  // where its bytes lie, packed and unpacked
  std::uint32_t checksum = 0;
  bool deflated = false;
};

/// The entries of an archive, folders left out. Errors, without a place: kDataLoss; kUnsupported for zip64, encryption,
/// several disks, and other methods.
Result<std::vector<ZipEntry>> read_zip(std::string_view bytes);

/// The bytes of an entry, its checksum compared. Errors, without a place: kDataLoss, kResourceExhausted for more than
/// `most`, kUnsupported in a build without zlib.
Result<std::string> unzip(std::string_view bytes, const ZipEntry& entry, std::uint64_t most);

}  // namespace weft::data
