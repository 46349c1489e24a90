// Local headers with their bytes, then the directory that repeats them.
#include "src/io/zip_write.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>

#ifdef WEFT_HAVE_ZLIB
#include <zlib.h>
#endif

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/atomic_file.h"

namespace weft {

#ifdef WEFT_HAVE_ZLIB

namespace {

constexpr std::uint64_t kZip64 = 0xffffffff;  // stands for a size that only zip64 can say
constexpr std::size_t kMostEntries = 0xffff;
constexpr std::size_t kLongestName = 0xffff;
constexpr std::uint64_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint64_t kVersion = 20;          // 2.0, the least that readers ask for
constexpr std::uint64_t kUtf8 = 0x0800;         // the name is UTF-8
constexpr std::uint64_t kDate = (0 << 9) | 33;  // 1980-01-01, the first day that the format can say
constexpr std::uint64_t kFileMode = 0100644u << 16;

void put(std::string& bytes, std::uint64_t number, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((number >> (8 * i)) & 255);
}

// An entry as both headers say it.
struct Described {
  const ZipSource* source;
  std::uint64_t size = 0, begin = 0;  // begin: where its local header lies
  std::uint64_t checksum = 0;
};

Status refuse(StatusCode code, const std::filesystem::path& file, std::string_view message) {
  return Status(code, fmt::format("write '{}': {}", file.string(), message));
}

// Places the entries. Nothing is read before all is known to fit.
Result<std::vector<Described>> lay_out(const std::filesystem::path& file, const std::vector<ZipSource>& entries) {
  const auto zip64 = [&](std::string_view what) {
    return refuse(StatusCode::kUnsupported, file, fmt::format("{}; zip64 is not written", what));
  };
  if (entries.size() >= kMostEntries) {
    return zip64(fmt::format("{} entries, wanted fewer than {}", entries.size(), kMostEntries));
  }
  std::vector<Described> described;
  std::set<std::string> names;
  std::uint64_t at = 0, directory = 0;
  for (const ZipSource& entry : entries) {
    if (entry.name.empty() || entry.name.size() > kLongestName) {
      return refuse(StatusCode::kInvalidArgument, file,
                    fmt::format("a name of {} bytes, wanted 1 to {}", entry.name.size(), kLongestName));
    }
    if (!names.insert(entry.name).second) {
      return refuse(StatusCode::kInvalidArgument, file,
                    fmt::format("two entries of the name {}, wanted one", quote(entry.name)));
    }
    Described d{&entry};
    d.begin = at;
    for (const ZipPart& part : entry.parts) d.size += part.bytes;
    if (d.size >= kZip64) {
      return zip64(fmt::format("{} has {} bytes, wanted less than 4 GiB", quote(entry.name), d.size));
    }
    at += kLocalSize + entry.name.size() + d.size;
    directory += kCentralSize + entry.name.size();
    described.push_back(d);
  }
  if (at + directory + kEndSize >= kZip64) {
    return zip64(fmt::format("{} bytes in all, wanted less than 4 GiB", at + directory + kEndSize));
  }
  return described;
}

// What both headers have from the version on to the name's length.
void put_common(std::string& bytes, const Described& d) {
  put(bytes, kVersion, 2);
  put(bytes, kUtf8, 2);
  put(bytes, 0, 2);  // stored
  put(bytes, 0, 2);  // midnight
  put(bytes, kDate, 2);
  put(bytes, d.checksum, 4);
  put(bytes, d.size, 4);  // packed
  put(bytes, d.size, 4);
  put(bytes, d.source->name.size(), 2);
  put(bytes, 0, 2);  // nothing extra
}

std::string local_header(const Described& d) {
  std::string bytes = "PK\x03\x04";
  put_common(bytes, d);
  return bytes + d.source->name;
}

std::string directory_of(const std::vector<Described>& entries, std::uint64_t begin) {
  std::string bytes;
  for (const Described& d : entries) {
    bytes += "PK\x01\x02";
    put(bytes, kVersion | 3 << 8, 2);  // made on Unix
    put_common(bytes, d);
    put(bytes, 0, 2 + 2 + 2);  // no comment, disk 0, bytes
    put(bytes, kFileMode, 4);
    put(bytes, d.begin, 4);
    bytes += d.source->name;
  }
  const std::uint64_t size = bytes.size();
  bytes += "PK\x05\x06";
  put(bytes, 0, 2 + 2);  // disks
  put(bytes, entries.size(), 2);
  put(bytes, entries.size(), 2);
  put(bytes, size, 4);
  put(bytes, begin, 4);
  put(bytes, 0, 2);  // no comment
  return bytes;
}

}  // namespace

Status write_zip(const std::filesystem::path& file, const std::vector<ZipSource>& entries) {
  WEFT_ASSIGN_OR_RETURN(std::vector<Described> described, lay_out(file, entries));
  WEFT_ASSIGN_OR_RETURN(AtomicFile out, AtomicFile::create(file));
  std::uint64_t at = 0;
  for (Described& d : described) {
    uLong checksum = 0;
    for (const ZipPart& part : d.source->parts) {
      checksum = crc32_z(checksum, static_cast<const Bytef*>(part.data), part.bytes);
    }
    d.checksum = checksum;
    const std::string header = local_header(d);
    WEFT_RETURN_IF_ERROR(out.write(header.data(), header.size()));
    for (const ZipPart& part : d.source->parts) WEFT_RETURN_IF_ERROR(out.write(part.data, part.bytes));
    at = d.begin + header.size() + d.size;
  }
  const std::string directory = directory_of(described, at);
  WEFT_RETURN_IF_ERROR(out.write(directory.data(), directory.size()));
  return out.commit();
}

#else

Status write_zip(const std::filesystem::path& file, const std::vector<ZipSource>&) {
  return Status(StatusCode::kUnsupported,
                fmt::format("write '{}': this build has no zlib, which a zip archive's checksums need", file.string()));
}

#endif

}  // namespace weft
