// Decoding arrays.
#include "src/data/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include "src/core/half.h"
#include "src/core/try.h"
#include "src/data/blocks.h"
#include "src/data/byte_source.h"
#include "src/data/memory.h"

namespace weft::data {
namespace {

template <typename Bits>
Bits read_bits(const char* from, bool big_endian) {
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    const std::size_t shift = 8 * (big_endian ? sizeof(Bits) - 1 - i : i);
    bits = static_cast<Bits>(bits | static_cast<Bits>(Bits{static_cast<unsigned char>(from[i])} << shift));
  }
  return bits;
}

template <typename Number, typename Bits>
Number number(const char* from, bool big_endian) {
  return std::bit_cast<Number>(read_bits<Bits>(from, big_endian));
}

// Calls use(i, value) for element i in the order of the file.
template <typename Use>
void each(const Array& a, Use use) {
  const std::size_t size = size_of(a.type);
  const auto count = static_cast<std::size_t>(a.elements());
  const char* from = a.bytes.data() + a.begin;
  const auto run = [&](auto read) {
    for (std::size_t i = 0; i < count; ++i) use(i, read(from + i * size));
  };
  const bool big = a.big_endian;
  switch (a.type) {
    case ElementType::kBool:
    case ElementType::kU8: return run([](const char* p) { return static_cast<unsigned char>(*p); });
    case ElementType::kI8: return run([](const char* p) { return static_cast<signed char>(*p); });
    case ElementType::kU16: return run([=](const char* p) { return read_bits<std::uint16_t>(p, big); });
    case ElementType::kU32: return run([=](const char* p) { return read_bits<std::uint32_t>(p, big); });
    case ElementType::kU64: return run([=](const char* p) { return read_bits<std::uint64_t>(p, big); });
    case ElementType::kI16: return run([=](const char* p) { return number<std::int16_t, std::uint16_t>(p, big); });
    case ElementType::kI32: return run([=](const char* p) { return number<std::int32_t, std::uint32_t>(p, big); });
    case ElementType::kI64: return run([=](const char* p) { return number<std::int64_t, std::uint64_t>(p, big); });
    case ElementType::kF16: return run([=](const char* p) { return from_half(read_bits<std::uint16_t>(p, big)); });
    case ElementType::kF32: return run([=](const char* p) { return number<float, std::uint32_t>(p, big); });
    case ElementType::kF64: return run([=](const char* p) { return number<double, std::uint64_t>(p, big); });
  }
}

// "[3, 0, 7]": the place of an element in the file, as an index of its axes.
std::string index_of(const Array& a, std::size_t element) {
  std::vector<std::int64_t> index(a.shape.size());
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t k = 0; k < index.size(); ++k) {
    const std::size_t axis = a.fortran ? k : index.size() - 1 - k;
    index[axis] = rest % a.shape[axis];
    rest /= a.shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

template <typename To>
void row_major(const std::vector<To>& from, const std::vector<std::int64_t>& shape, To* to) {
  std::vector<std::int64_t> index(shape.size(), 0);
  for (const To value : from) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + index[axis];
    to[at] = value;
    for (std::size_t axis = 0; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
  }
}

// Adds the numbers to those that are there.
template <typename To>
Status decode(const Array& a, std::vector<To>& to) {
  const std::size_t first = to.size();
  try {
    to.resize(first + static_cast<std::size_t>(a.elements()));
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, fmt::format("{}: no memory for {} numbers", a.place, a.elements()));
  }
  To* values = to.data() + first;
  const std::size_t count = to.size() - first;
  std::size_t bad = count;
  each(a, [&](std::size_t i, auto value) {
    values[i] = static_cast<To>(value);
    if (a.type == ElementType::kBool ? value > 1 : !std::isfinite(values[i])) bad = std::min(bad, i);
  });
  if (bad < count) {
    std::string seen;
    each(a, [&](std::size_t i, auto value) {
      if (i == bad) seen = fmt::format("{}", value);
    });
    const bool boolean = a.type == ElementType::kBool;
    return Status(boolean ? StatusCode::kDataLoss : StatusCode::kInvalidArgument,
                  fmt::format("{}: element {}: {}, wanted {}", a.place, index_of(a, bad), seen,
                              boolean ? "0 or 1, a boolean" : "a finite number of size at most 3.4e38"));
  }
  if (a.fortran && a.shape.size() > 1) {
    try {
      row_major(std::vector<To>(values, values + count), a.shape, values);
    } catch (const std::bad_alloc&) {
      return Status(StatusCode::kResourceExhausted, fmt::format("{}: no memory to turn it about", a.place));
    }
  }
  return Status();
}

}  // namespace

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kBool:
    case ElementType::kU8:
    case ElementType::kI8: return 1;
    case ElementType::kU16:
    case ElementType::kI16:
    case ElementType::kF16: return 2;
    case ElementType::kU32:
    case ElementType::kI32:
    case ElementType::kF32: return 4;
    case ElementType::kU64:
    case ElementType::kI64:
    case ElementType::kF64: return 8;
  }
  return 1;
}

std::string_view to_string(ElementType type) {
  switch (type) {
    case ElementType::kBool: return "bool";
    case ElementType::kU8: return "uint8";
    case ElementType::kU16: return "uint16";
    case ElementType::kU32: return "uint32";
    case ElementType::kU64: return "uint64";
    case ElementType::kI8: return "int8";
    case ElementType::kI16: return "int16";
    case ElementType::kI32: return "int32";
    case ElementType::kI64: return "int64";
    case ElementType::kF16: return "float16";
    case ElementType::kF32: return "float32";
    case ElementType::kF64: return "float64";
  }
  return "?";
}

std::int64_t Array::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t axis : shape) product *= axis;
  return product;
}

Status check_bytes(const Array& a) {
  const auto have = static_cast<std::int64_t>(a.bytes.size() - a.begin);
  std::int64_t wanted = static_cast<std::int64_t>(size_of(a.type));
  bool over = false;
  for (const std::int64_t axis : a.shape) {
    if (axis < 1) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: empty: shape [{}], wanted axes of at least 1", a.place, fmt::join(a.shape, ", ")));
    }
    over = over || wanted > (std::int64_t{1} << 60) / axis;
    if (!over) wanted *= axis;
  }
  if (over || have < wanted) {
    return Status(
        StatusCode::kDataLoss,
        fmt::format("{}: truncated: {} bytes of numbers, wanted {} for shape [{}] of {}", a.place, have,
                    over ? "more than 2^60" : fmt::to_string(wanted), fmt::join(a.shape, ", "), to_string(a.type)));
  }
  if (have > wanted) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("{}: {} bytes behind the numbers, wanted none: shape [{}] of {} "
                              "fills {}",
                              a.place, have - wanted, fmt::join(a.shape, ", "), to_string(a.type), wanted));
  }
  return Status();
}

Status append_floats(const Array& array, std::vector<float>& to) { return decode(array, to); }

namespace {

template <typename To>
Result<std::vector<To>> decoded(const Array& array) {
  std::vector<To> numbers;
  WEFT_RETURN_IF_ERROR(decode(array, numbers));
  return numbers;
}

}  // namespace

Result<std::vector<float>> to_floats(const Array& array) { return decoded<float>(array); }
Result<std::vector<double>> to_doubles(const Array& array) { return decoded<double>(array); }

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

Status too_large(std::string_view what, std::uint64_t budget) {
  return Status(
      StatusCode::kResourceExhausted,
      fmt::format("{}, wanted at most {} (the memory option; by default half of the machine's)", what, budget));
}

// To the end, where that is not known before.
Result<std::string> read_growing(ByteSource& source, std::uint64_t budget) {
  Blocks<char> blocks;
  const Status full(StatusCode::kResourceExhausted, "no memory for what it holds");
  for (;;) {
    char* to = blocks.room(kBlock);
    if (to == nullptr) return full;
    WEFT_ASSIGN_OR_RETURN(const std::size_t got, source.read(to, kBlock));
    blocks.keep(got);
    if (blocks.size() > budget) return too_large(fmt::format("more than {} bytes decompressed", budget), budget);
    if (got > 0) continue;
    std::string bytes;
    if (!blocks.join(bytes)) return full;
    return bytes;
  }
}

Result<std::string> read_all(const std::filesystem::path& file, std::uint64_t budget) {
  WEFT_ASSIGN_OR_RETURN(const auto source, ByteSource::open(file));
  const std::uint64_t size = source->size();
  if (size == 0) return read_growing(*source, budget);
  if (size > budget) return too_large(fmt::format("{} bytes", size), budget);
  std::string bytes;
  try {
    bytes.resize(static_cast<std::size_t>(size) + 1);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, fmt::format("no memory for {} bytes", size));
  }
  std::size_t end = 0;
  for (std::size_t got = 1; got > 0 && end < bytes.size(); end += got) {
    WEFT_ASSIGN_OR_RETURN(got, source->read(bytes.data() + end, bytes.size() - end));
  }
  if (end > size)
    return Status(StatusCode::kIo, fmt::format("more than its {} bytes: it grows while it is read", size));
  bytes.resize(end);
  return bytes;
}

}  // namespace

Result<std::string> read_bytes(const std::filesystem::path& file, const std::string& place, std::uint64_t memory) {
  auto bytes = read_all(file, memory_budget(memory));
  if (bytes.ok()) return bytes;
  return Status(bytes.status().code(), fmt::format("{}: {}", place, bytes.status().message()));
}

}  // namespace weft::data
