// Reading safetensors, trusting nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "src/core/half.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/json_cursor.h"
#include "src/io/regular_file.h"
#include "src/io/safetensors.h"
#include "src/io/strict_json.h"

namespace weft {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 50;
constexpr int kMaxDepth = 8;
constexpr const char* kWantedTypes = "F32, F64 or U64";
constexpr std::size_t kBlock = 1 << 16;  // numbers of 16 bits that are read at a time

Status lost(std::string message) { return Status(StatusCode::kDataLoss, std::move(message)); }

Result<SafetensorsEntry> read_entry(const std::string& name, const JsonCursor& field) {
  WEFT_RETURN_IF_ERROR(field.keys({"dtype", "shape", "data_offsets"}, {}));
  SafetensorsEntry entry;
  entry.name = name;
  WEFT_ASSIGN_OR_RETURN(entry.type, field["dtype"].text());
  const std::int64_t bits = safetensors_bits(entry.type);
  if (bits == 0) return field["dtype"].wrong(kWantedTypes);
  WEFT_ASSIGN_OR_RETURN(const auto axes, field["shape"].elements());
  entry.elements = 1;
  for (const JsonCursor& axis : axes) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t size, axis.integer(0, kMaxOffset));
    if (size != 0 && entry.elements > kMaxOffset / size)
      return axis.error("the product of the shape exceeds 2^50, wanted at most that");
    entry.elements *= size;
    entry.shape.push_back(size);
  }
  WEFT_ASSIGN_OR_RETURN(const auto offsets, field["data_offsets"].elements());
  if (offsets.size() != 2) return field["data_offsets"].wrong("a list of 2");
  WEFT_ASSIGN_OR_RETURN(entry.begin, offsets[0].integer(0, kMaxOffset));
  WEFT_ASSIGN_OR_RETURN(entry.end, offsets[1].integer(entry.begin, kMaxOffset));
  const std::int64_t wanted = (entry.elements * bits + 7) / 8;
  if (entry.end - entry.begin != wanted) {
    return field.error(
        fmt::format("data_offsets span {} bytes, wanted {} for dtype and shape", entry.end - entry.begin, wanted));
  }
  return entry;
}

// Sorts by place and checks that the arrays fill the data without holes or overlaps.
Status check_layout(std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes) {
  std::stable_sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::int64_t at = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != at) {
      return lost(fmt::format("{}: data start at byte {}, wanted {}: they {}", quote(entry.name), entry.begin, at,
                              entry.begin < at ? "overlap" : "leave a hole"));
    }
    at = entry.end;
  }
  if (static_cast<std::uint64_t>(at) != data_bytes) {
    return lost(fmt::format("{} bytes of data, wanted {}", data_bytes, at));
  }
  return Status();
}

struct Header {
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

Result<Header> read_header(std::string_view text, std::uint64_t data_bytes) {
  if (!text.starts_with('{'))
    return lost(fmt::format("the header starts with {}, wanted '{{'", quote(text.substr(0, 8))));
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parse_strict_json(text, kMaxDepth));
  Header header;
  for (const auto& item : json.items()) {
    const std::string label = quote(item.key());
    const JsonCursor field(item.value(), label);
    if (item.key() == "__metadata__") {
      if (!item.value().is_object()) return field.wrong("an object");
      for (const auto& note : item.value().items()) {
        const JsonCursor value(note.value(), fmt::format("{}.{}", label, quote(note.key())));
        WEFT_ASSIGN_OR_RETURN(header.metadata[note.key()], value.text());
      }
    } else {
      WEFT_ASSIGN_OR_RETURN(SafetensorsEntry entry, read_entry(item.key(), field));
      header.entries.push_back(std::move(entry));
    }
  }
  WEFT_RETURN_IF_ERROR(check_layout(header.entries, data_bytes));
  return header;
}

Status read_exactly(std::FILE* file, void* to, std::size_t bytes) {
  if (bytes == 0 || std::fread(to, 1, bytes, file) == bytes) return Status();
  if (std::ferror(file) != 0) return Status(StatusCode::kIo, std::generic_category().message(errno));
  return lost("the file ended early");
}

template <typename T>
Result<std::vector<T>> make_values(std::int64_t elements) {
  try {
    return std::vector<T>(static_cast<std::size_t>(elements));
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, fmt::format("no memory for {} elements", elements));
  }
}

template <typename T>
Result<State::Values> read_values(std::FILE* file, std::int64_t elements) {
  WEFT_ASSIGN_OR_RETURN(std::vector<T> values, make_values<T>(elements));
  WEFT_RETURN_IF_ERROR(read_exactly(file, values.data(), values.size() * sizeof(T)));
  return State::Values(std::move(values));
}

Result<State::Values> read_short_values(std::FILE* file, std::int64_t elements, float (*widen)(std::uint16_t)) {
  WEFT_ASSIGN_OR_RETURN(std::vector<float> values, make_values<float>(elements));
  std::vector<std::uint16_t> block(std::min(kBlock, values.size()));
  for (std::size_t at = 0; at < values.size(); at += block.size()) {
    const std::size_t count = std::min(block.size(), values.size() - at);
    WEFT_RETURN_IF_ERROR(read_exactly(file, block.data(), count * sizeof(block[0])));
    std::transform(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count),
                   values.begin() + static_cast<std::ptrdiff_t>(at), widen);
  }
  return State::Values(std::move(values));
}

}  // namespace

Status SafetensorsReader::failed(const Status& status) const {
  // What a header says wrongly is damage to the file.
  const bool damage = status.code() == StatusCode::kInvalidArgument;
  return Status(damage ? StatusCode::kDataLoss : status.code(),
                fmt::format("read '{}': {}", file_.string(), status.message()));
}

Status SafetensorsReader::read_header() {
  if (const Status status = check_regular_file(file_); !status.ok()) return Status(StatusCode::kIo, status.message());
  stream_.reset(std::fopen(file_.c_str(), "rb"));
  if (!stream_) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    return Status(absent ? StatusCode::kNotFound : StatusCode::kIo, std::generic_category().message(errno));
  }
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(file_, error);
  if (error) return Status(StatusCode::kIo, error.message());
  std::uint64_t header_bytes = 0;
  if (file_bytes < sizeof(header_bytes)) return lost(fmt::format("{} bytes, wanted at least 8", file_bytes));
  WEFT_RETURN_IF_ERROR(read_exactly(stream_.get(), &header_bytes, sizeof(header_bytes)));
  const std::uint64_t rest = file_bytes - sizeof(header_bytes);
  if (header_bytes > std::min(rest, kMaxHeader)) {
    return lost(fmt::format("a header of {} bytes, wanted at most {}", header_bytes, std::min(rest, kMaxHeader)));
  }
  std::string text(static_cast<std::size_t>(header_bytes), '\0');
  WEFT_RETURN_IF_ERROR(read_exactly(stream_.get(), text.data(), text.size()));
  WEFT_ASSIGN_OR_RETURN(Header header, weft::read_header(text, rest - header_bytes));
  entries_ = std::move(header.entries);
  metadata_ = std::move(header.metadata);
  data_ = static_cast<std::int64_t>(sizeof(header_bytes) + header_bytes);
  return Status();
}

Result<SafetensorsReader> SafetensorsReader::open(const std::filesystem::path& file) {
  SafetensorsReader reader(file);
  if (const Status status = reader.read_header(); !status.ok()) return reader.failed(status);
  return reader;
}

bool SafetensorsReader::reads(std::string_view type) {
  return type == "F32" || type == "F64" || type == "U64" || type == "F16" || type == "BF16";
}

Result<State::Values> SafetensorsReader::values(const SafetensorsEntry& entry) {
  const auto read = [&]() -> Result<State::Values> {
    if (::fseeko(stream_.get(), static_cast<off_t>(data_ + entry.begin), SEEK_SET) != 0) {
      return Status(StatusCode::kIo, std::generic_category().message(errno));
    }
    if (entry.type == "F32") return read_values<float>(stream_.get(), entry.elements);
    if (entry.type == "F64") return read_values<double>(stream_.get(), entry.elements);
    if (entry.type == "U64") return read_values<std::uint64_t>(stream_.get(), entry.elements);
    if (entry.type == "F16") return read_short_values(stream_.get(), entry.elements, from_half);
    if (entry.type == "BF16") return read_short_values(stream_.get(), entry.elements, from_bfloat16);
    return Status(StatusCode::kUnsupported,
                  fmt::format("{}.dtype: '{}', wanted F32, F64, U64, F16 or BF16", quote(entry.name), entry.type));
  };
  auto values = read();
  if (!values.ok()) return failed(values.status());
  return values;
}

Result<SafetensorsFile> read_safetensors(const std::filesystem::path& file) {
  WEFT_ASSIGN_OR_RETURN(SafetensorsReader reader, SafetensorsReader::open(file));
  for (const SafetensorsEntry& entry : reader.entries()) {
    if (entry.type != "F32" && entry.type != "F64" && entry.type != "U64") {
      return Status(StatusCode::kUnsupported, fmt::format("read '{}': {}.dtype: '{}', wanted {}", file.string(),
                                                          quote(entry.name), entry.type, kWantedTypes));
    }
    // weft writes every array aligned; others need not, which costs nothing where bytes are copied.
    const std::int64_t bytes = safetensors_bits(entry.type) / 8;
    if (entry.begin % bytes != 0) {
      return lost(fmt::format("read '{}': {}: data start at byte {}, wanted a multiple of {}, the size of an {}",
                              file.string(), quote(entry.name), entry.begin, bytes, entry.type));
    }
  }
  SafetensorsFile result;
  result.metadata = reader.metadata();
  for (const SafetensorsEntry& entry : reader.entries()) {
    WEFT_ASSIGN_OR_RETURN(State::Values values, reader.values(entry));
    result.arrays.push_back({entry.name, entry.shape, std::move(values)});
  }
  return result;
}

}  // namespace weft
