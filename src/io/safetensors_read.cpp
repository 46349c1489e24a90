// Reading safetensors, trusting nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/json_cursor.h"
#include "src/io/safetensors.h"
#include "src/io/strict_json.h"

namespace weft {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 50;
constexpr int kMaxDepth = 8;
constexpr std::array kOtherTypes{"BOOL", "U8",  "I8",   "F8_E4M3", "F8_E5M2", "F8_E8M0", "I16",
                                 "U16",  "F16", "BF16", "I32",     "U32",     "I64",     "C64"};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct Entry {
  std::string name;
  SafetensorsType type = SafetensorsType::kF32;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
  std::int64_t begin = 0, end = 0;  // bytes, from the start of the data
};

Status lost(std::string message) { return Status(StatusCode::kDataLoss, std::move(message)); }

Result<SafetensorsType> read_type(const JsonCursor& field) {
  WEFT_ASSIGN_OR_RETURN(const std::string name, field.text());
  for (auto type : {SafetensorsType::kF32, SafetensorsType::kF64, SafetensorsType::kU64}) {
    if (name == to_string(type)) return type;
  }
  const Status wrong = field.wrong("F32, F64 or U64");
  const bool known = std::find(kOtherTypes.begin(), kOtherTypes.end(), name) != kOtherTypes.end();
  return known ? Status(StatusCode::kUnsupported, wrong.message()) : wrong;
}

Result<Entry> read_entry(const std::string& name, const JsonCursor& field) {
  WEFT_RETURN_IF_ERROR(field.keys({"dtype", "shape", "data_offsets"}, {}));
  Entry entry;
  entry.name = name;
  WEFT_ASSIGN_OR_RETURN(entry.type, read_type(field["dtype"]));
  WEFT_ASSIGN_OR_RETURN(const auto axes, field["shape"].elements());
  entry.elements = 1;
  for (const JsonCursor& axis : axes) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t size, axis.integer(0, kMaxOffset));
    if (size != 0 && entry.elements > kMaxOffset / size) return axis.error("the product of the shape exceeds 2^50");
    entry.elements *= size;
    entry.shape.push_back(size);
  }
  WEFT_ASSIGN_OR_RETURN(const auto offsets, field["data_offsets"].elements());
  if (offsets.size() != 2) return field["data_offsets"].wrong("a list of 2");
  WEFT_ASSIGN_OR_RETURN(entry.begin, offsets[0].integer(0, kMaxOffset));
  WEFT_ASSIGN_OR_RETURN(entry.end, offsets[1].integer(entry.begin, kMaxOffset));
  const std::int64_t wanted = entry.elements * static_cast<std::int64_t>(element_size(entry.type));
  if (entry.end - entry.begin != wanted) {
    return field.error(
        fmt::format("data_offsets span {} bytes, wanted {} for dtype and shape", entry.end - entry.begin, wanted));
  }
  return entry;
}

// Sorts by place and checks that the arrays fill the data without holes or overlaps.
Status check_layout(std::vector<Entry>& entries, std::uint64_t data_bytes) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::int64_t at = 0;
  for (const Entry& entry : entries) {
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
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
};

Result<Header> read_header(std::string_view text, std::uint64_t data_bytes) {
  if (!text.starts_with('{')) return lost("the header does not start with '{'");
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
      WEFT_ASSIGN_OR_RETURN(Entry entry, read_entry(item.key(), field));
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
Result<State::Values> read_values(std::FILE* file, std::int64_t elements) {
  std::vector<T> values;
  try {
    values.resize(static_cast<std::size_t>(elements));
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, fmt::format("no memory for {} elements", elements));
  }
  WEFT_RETURN_IF_ERROR(read_exactly(file, values.data(), values.size() * sizeof(T)));
  return State::Values(std::move(values));
}

Result<State::Values> read_values(std::FILE* file, const Entry& entry) {
  switch (entry.type) {
    case SafetensorsType::kF32: return read_values<float>(file, entry.elements);
    case SafetensorsType::kF64: return read_values<double>(file, entry.elements);
    case SafetensorsType::kU64: return read_values<std::uint64_t>(file, entry.elements);
  }
  return lost("unknown type");
}

Result<SafetensorsFile> read_all(std::FILE* file, std::uint64_t file_bytes) {
  std::uint64_t header_bytes = 0;
  if (file_bytes < sizeof(header_bytes)) return lost(fmt::format("{} bytes, wanted at least 8", file_bytes));
  WEFT_RETURN_IF_ERROR(read_exactly(file, &header_bytes, sizeof(header_bytes)));
  const std::uint64_t rest = file_bytes - sizeof(header_bytes);
  if (header_bytes > std::min(rest, kMaxHeader)) {
    return lost(fmt::format("a header of {} bytes, wanted at most {}", header_bytes, std::min(rest, kMaxHeader)));
  }
  std::string text(static_cast<std::size_t>(header_bytes), '\0');
  WEFT_RETURN_IF_ERROR(read_exactly(file, text.data(), text.size()));
  WEFT_ASSIGN_OR_RETURN(Header header, read_header(text, rest - header_bytes));
  SafetensorsFile result;
  result.metadata = std::move(header.metadata);
  for (Entry& entry : header.entries) {
    WEFT_ASSIGN_OR_RETURN(State::Values values, read_values(file, entry));
    result.arrays.push_back({std::move(entry.name), std::move(entry.shape), std::move(values)});
  }
  return result;
}

}  // namespace

Result<SafetensorsFile> read_safetensors(const std::filesystem::path& file) {
  const auto place = [&](const Status& status) {
    // What a header says wrongly is damage to the file.
    const bool damage = status.code() == StatusCode::kInvalidArgument;
    return Status(damage ? StatusCode::kDataLoss : status.code(),
                  fmt::format("read '{}': {}", file.string(), status.message()));
  };
  const File stream(std::fopen(file.c_str(), "rb"));
  if (!stream) {
    const int code = errno;
    const bool absent = code == ENOENT || code == ENOTDIR;
    return place(Status(absent ? StatusCode::kNotFound : StatusCode::kIo, std::generic_category().message(code)));
  }
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(file, error);
  if (error) return place(Status(StatusCode::kIo, error.message()));
  auto result = read_all(stream.get(), bytes);
  if (!result.ok()) return place(result.status());
  return result;
}

}  // namespace weft
