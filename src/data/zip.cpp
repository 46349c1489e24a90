// The central directory at the end tells what there is; local headers only where it begins.
#include "src/data/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#ifdef WEFT_HAVE_ZLIB
#include <zlib.h>
#endif

#include "src/core/names.h"
#include "src/core/try.h"

namespace weft::data {
namespace {

constexpr std::uint32_t kEndSignature = 0x06054b50, kCentralSignature = 0x02014b50, kLocalSignature = 0x04034b50;
constexpr std::size_t kEndSize = 22, kCentralSize = 46, kLocalSize = 30, kLongestComment = 65535;
constexpr std::uint64_t kZip64 = 0xffffffff;

Status lost(std::string message) { return Status(StatusCode::kDataLoss, std::move(message)); }
Status unsupported(std::string message) { return Status(StatusCode::kUnsupported, std::move(message)); }

std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

Result<std::size_t> find_end(std::string_view bytes) {
  if (bytes.size() < kEndSize) return lost(fmt::format("{} bytes, wanted a zip archive", bytes.size()));
  const std::size_t last = bytes.size() - kEndSize;
  for (std::size_t back = 0; back <= std::min(last, kLongestComment); ++back) {
    const std::size_t at = last - back;
    if (number(bytes, at, 4) == kEndSignature && number(bytes, at + 20, 2) == back) return at;
  }
  return lost("no end of a central directory, wanted a whole zip archive; truncated?");
}

// The entry's bytes begin behind its local header, which repeats the name.
Result<std::uint64_t> find_begin(std::string_view bytes, std::uint64_t local, const ZipEntry& entry) {
  if (local > bytes.size() || bytes.size() - local < kLocalSize) return lost("its local header lies outside the file");
  const auto at = static_cast<std::size_t>(local);
  if (number(bytes, at, 4) != kLocalSignature) return lost("no local header where the directory says");
  const std::size_t name = number(bytes, at + 26, 2), extra = number(bytes, at + 28, 2);
  const std::uint64_t begin = local + kLocalSize + name + extra;
  if (begin > bytes.size() || entry.packed > bytes.size() - begin) return lost("its bytes lie outside the file");
  if (bytes.substr(at + kLocalSize, name) != entry.name) return lost("its local header has another name");
  return begin;
}

Result<ZipEntry> read_entry(std::string_view bytes, std::size_t at) {
  ZipEntry entry;
  const std::uint32_t flags = number(bytes, at + 8, 2), method = number(bytes, at + 10, 2);
  const std::uint64_t local = number(bytes, at + 42, 4);
  entry.checksum = number(bytes, at + 16, 4);
  entry.packed = number(bytes, at + 20, 4);
  entry.size = number(bytes, at + 24, 4);
  entry.name = bytes.substr(at + kCentralSize, number(bytes, at + 28, 2));
  const auto failed = [&](const Status& status) {
    return Status(status.code(), fmt::format("{}: {}", quote(entry.name), status.message()));
  };
  if ((flags & 1) != 0) return failed(unsupported("encrypted, wanted a plain entry"));
  if (entry.packed == kZip64 || entry.size == kZip64 || local == kZip64) {
    return failed(unsupported("zip64 (4 GiB and more), wanted an entry of less; .npy files have no such limit"));
  }
  if (method != 0 && method != 8) {
    return failed(unsupported(fmt::format("compression method {}, wanted 0 (stored) or 8 (deflated)", method)));
  }
  entry.deflated = method == 8;
  if (!entry.deflated && entry.packed != entry.size) {
    return failed(lost(fmt::format("stored in {} bytes, wanted its size, {}", entry.packed, entry.size)));
  }
  auto begin = find_begin(bytes, local, entry);
  if (!begin.ok()) return failed(begin.status());
  entry.begin = *begin;
  return entry;
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip(std::string_view bytes) {
  WEFT_ASSIGN_OR_RETURN(const std::size_t end, find_end(bytes));
  const std::uint32_t count = number(bytes, end + 10, 2);
  const std::uint64_t size = number(bytes, end + 12, 4), begin = number(bytes, end + 16, 4);
  if (size == kZip64 || begin == kZip64 || count == 0xffff) {
    return unsupported("zip64 (4 GiB and more), wanted a smaller archive; .npy files have no such limit");
  }
  if (number(bytes, end + 4, 2) != 0 || number(bytes, end + 6, 2) != 0 || number(bytes, end + 8, 2) != count) {
    return unsupported("an archive of several disks, wanted one file");
  }
  if (begin + size != end) {
    return lost(fmt::format("a directory from byte {} to {}, wanted it to end at {}", begin, begin + size, end));
  }
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  auto at = static_cast<std::size_t>(begin);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (end - at < kCentralSize || number(bytes, at, 4) != kCentralSignature) {
      return lost(fmt::format("entry {} of {}: no directory entry at byte {}", i, count, at));
    }
    const std::size_t whole =
        kCentralSize + number(bytes, at + 28, 2) + number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
    if (end - at < whole) return lost(fmt::format("entry {} of {}: cut off", i, count));
    WEFT_ASSIGN_OR_RETURN(ZipEntry entry, read_entry(bytes, at));
    at += whole;
    if (!names.insert(entry.name).second) return lost(fmt::format("two entries of the name {}", quote(entry.name)));
    if (!entry.name.ends_with('/')) entries.push_back(std::move(entry));
  }
  if (at != end) return lost(fmt::format("{} bytes behind the directory's entries, wanted none", end - at));
  return entries;
}

#ifdef WEFT_HAVE_ZLIB

namespace {

// Deflate shrinks by at most this factor, so that a size beyond it is a lie.
constexpr std::uint64_t kMostShrinking = 1032;

Result<std::string> inflate_raw(std::string_view packed, std::size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) return Status(StatusCode::kResourceExhausted, "zlib could not start");
  std::string text(size + 1, '\0');  // the last byte catches what is too much
  // zlib does not write to its input; its interface is older than const. Sizes are below 4 GiB.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int code = inflate(&stream, Z_FINISH);
  const std::size_t got = text.size() - stream.avail_out;
  const std::string message = stream.msg != nullptr ? stream.msg : "truncated";
  const bool all = stream.avail_in == 0;
  inflateEnd(&stream);
  if (got > size) return lost(fmt::format("more than {} bytes inflated, wanted as many", size));
  if (code != Z_STREAM_END) return lost(fmt::format("damaged: {}", message));
  if (got != size || !all) return lost(fmt::format("{} bytes inflated, wanted {} and nothing behind", got, size));
  text.resize(size);
  return text;
}

}  // namespace

Result<std::string> unzip(std::string_view bytes, const ZipEntry& entry, std::uint64_t most) {
  if (entry.size > most) {
    return Status(StatusCode::kResourceExhausted, fmt::format("{} bytes, wanted at most {}", entry.size, most));
  }
  const std::string_view packed =
      bytes.substr(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.packed));
  std::string text;
  if (entry.deflated) {
    if (entry.size > entry.packed * kMostShrinking) {
      return lost(fmt::format("{} bytes out of {}, more than deflate can give", entry.size, entry.packed));
    }
    WEFT_ASSIGN_OR_RETURN(text, inflate_raw(packed, static_cast<std::size_t>(entry.size)));
  } else {
    text = packed;
  }
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  if (checksum != entry.checksum) {
    return lost(fmt::format("checksum {:08x}, wanted {:08x}", checksum, entry.checksum));
  }
  return text;
}

#else

Result<std::string> unzip(std::string_view, const ZipEntry&, std::uint64_t) {
  return unsupported("this build has no zlib; save the arrays as .npy files, or build with zlib");
}

#endif

}  // namespace weft::data
