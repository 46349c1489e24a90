// Writing zip archives of stored entries, as .npz files are (pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/status.hpp"

namespace weft {

/// Bytes of the caller's, who keeps them until the archive is written.
struct ZipPart {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// An entry, its parts one behind the other.
struct ZipSource {
  std::string name;
  std::vector<ZipPart> parts;
};

/// Writes an archive that depends on its entries alone: stored, in the order given, dated 1980-01-01. The file appears
/// whole or not at all. Errors: kInvalidArgument (two entries of one name, a name that is empty or too long),
/// kUnsupported (what only zip64 can hold: an entry or a whole of 4 GiB, 65535 entries; a build without zlib),
/// kNotFound, kIo.
Status write_zip(const std::filesystem::path& file, const std::vector<ZipSource>& entries);

}  // namespace weft
