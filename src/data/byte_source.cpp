// Plain files, memory, and gzip above either.
#include "src/data/byte_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/core/try.h"
#include "src/io/gzip.h"
#include "src/io/regular_file.h"

#ifdef WEFT_HAVE_ZLIB
#include <zlib.h>
#endif

namespace weft::data {
namespace {

using Source = std::unique_ptr<ByteSource>;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class PlainFile final : public ByteSource {
 public:
  PlainFile(std::FILE* file, std::uint64_t size) : file_(file), size_(size) {}
  Result<std::size_t> read(char* to, std::size_t most) override {
    errno = 0;
    const std::size_t got = std::fread(to, 1, most, file_.get());
    if (got == 0 && std::ferror(file_.get()) != 0) {
      return Status(StatusCode::kIo, std::generic_category().message(errno));
    }
    return got;
  }
  std::uint64_t size() const override { return size_; }

 private:
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::uint64_t size_;
};

class Memory final : public ByteSource {
 public:
  explicit Memory(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}
  Result<std::size_t> read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, rest_.size());
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }
  std::uint64_t size() const override { return size_; }

 private:
  std::string_view rest_;
  std::uint64_t size_;
};

#ifdef WEFT_HAVE_ZLIB
class Gzip final : public ByteSource {
 public:
  explicit Gzip(Source packed) : packed_(std::move(packed)), block_(std::size_t{1} << 18) {
    started_ = inflateInit2(&stream_, 15 + 16) == Z_OK;  // the largest window, gzip header and checksum
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override {
    if (started_) inflateEnd(&stream_);
  }

  Result<std::size_t> read(char* to, std::size_t most) override {
    if (!started_) return Status(StatusCode::kResourceExhausted, "gzip: zlib could not start");
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    const auto room = static_cast<uInt>(std::min<std::size_t>(most, std::numeric_limits<uInt>::max()));
    stream_.avail_out = room;
    while (stream_.avail_out == room && !done_) WEFT_RETURN_IF_ERROR(step());
    return static_cast<std::size_t>(room - stream_.avail_out);
  }
  std::uint64_t size() const override { return 0; }

 private:
  Status refill() {
    if (stream_.avail_in > 0 || ended_) return Status();
    WEFT_ASSIGN_OR_RETURN(const std::size_t got, packed_->read(block_.data(), block_.size()));
    given_ += got;
    ended_ = got == 0;
    stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return Status();
  }

  Status step() {
    WEFT_RETURN_IF_ERROR(refill());
    if (between_) {  // members: another one, or the end
      if (ended_ && stream_.avail_in == 0) {
        done_ = true;
        return Status();
      }
      if (*stream_.next_in != 0x1f) return damaged("something behind the end");
      inflateReset(&stream_);
      between_ = false;
    }
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      between_ = true;
      return Status();
    }
    if (code == Z_BUF_ERROR && ended_) return damaged("truncated");
    if (code == Z_OK || code == Z_BUF_ERROR) return Status();
    return damaged(stream_.msg != nullptr ? stream_.msg : "damaged");
  }

  Status damaged(std::string_view what) const {
    return Status(StatusCode::kDataLoss,
                  fmt::format("gzip: {} at byte {}, wanted a whole, undamaged file", what, given_ - stream_.avail_in));
  }

  Source packed_;
  std::vector<char> block_;
  z_stream stream_{};
  std::uint64_t given_ = 0;
  bool started_ = false, ended_ = false, between_ = false, done_ = false;
};
#endif

Result<Source> decompressing([[maybe_unused]] Source packed) {
#ifdef WEFT_HAVE_ZLIB
  return Source(std::make_unique<Gzip>(std::move(packed)));
#else
  return gunzip({}, 0).status();  // says that there is no zlib
#endif
}

}  // namespace

Result<Source> ByteSource::open(const std::filesystem::path& file) {
  WEFT_RETURN_IF_ERROR(check_regular_file(file));
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    return Status(absent ? StatusCode::kNotFound : StatusCode::kIo, std::generic_category().message(errno));
  }
  char start[2] = {};
  const std::size_t got = std::fread(start, 1, sizeof(start), stream);
  std::rewind(stream);
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(file, unknown);
  Source plain = std::make_unique<PlainFile>(stream, unknown ? 0 : bytes);
  if (is_gzip({start, got})) return decompressing(std::move(plain));
  return plain;
}

Result<Source> ByteSource::over(std::string_view bytes) {
  Source plain = std::make_unique<Memory>(bytes);
  if (is_gzip(bytes)) return decompressing(std::move(plain));
  return plain;
}

}  // namespace weft::data
