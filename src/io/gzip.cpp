// gzip through zlib, where the build has it.
#include "src/io/gzip.h"

#include <fmt/format.h>

#ifdef WEFT_HAVE_ZLIB
#include <zlib.h>

#include <algorithm>
#include <limits>
#endif

namespace weft {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

#ifdef WEFT_HAVE_ZLIB

namespace {

constexpr int kGzipOnly = 15 + 16;  // the largest window, gzip header and checksum

// Frees zlib's state on every way out.
struct Inflater {
  z_stream stream{};
  int started = inflateInit2(&stream, kGzipOnly);
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (started == Z_OK) inflateEnd(&stream);
  }
};

Status damaged(std::string_view what, std::size_t at) {
  return Status(StatusCode::kDataLoss, fmt::format("gzip: {} at byte {}, wanted a whole, undamaged file", what, at));
}

}  // namespace

Result<std::string> gunzip(std::string_view bytes, std::uint64_t most) {
  Inflater inflater;
  if (inflater.started != Z_OK) return Status(StatusCode::kResourceExhausted, "gzip: zlib could not start");
  z_stream& stream = inflater.stream;
  std::string text;
  char block[1 << 16];
  std::size_t given = 0;
  const auto consumed = [&] { return given - stream.avail_in; };
  for (;;) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min<std::size_t>(bytes.size() - given, std::numeric_limits<uInt>::max());
      // zlib does not write to its input; its interface is older than const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + given));
      stream.avail_in = static_cast<uInt>(part);
      given += part;
    }
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof(block);
    const int code = inflate(&stream, Z_NO_FLUSH);
    text.append(block, sizeof(block) - stream.avail_out);
    if (text.size() > most) return damaged(fmt::format("more than {} bytes decompressed", most), consumed());
    if (code == Z_STREAM_END) {
      if (consumed() == bytes.size()) return text;
      if (!is_gzip(bytes.substr(consumed()))) return damaged("something behind the end", consumed());
      inflateReset(&stream);
    } else if (code == Z_BUF_ERROR && consumed() == bytes.size()) {
      return damaged("truncated", consumed());
    } else if (code != Z_OK) {
      return damaged(stream.msg != nullptr ? stream.msg : "damaged", consumed());
    }
  }
}

#else

Result<std::string> gunzip(std::string_view, std::uint64_t) {
  return Status(StatusCode::kUnsupported,
                "gzip: this build has no zlib; decompress the file first, or build with zlib");
}

#endif

}  // namespace weft
