// Fingerprint: of bytes, to tell files and trainings apart. It guards against mishaps, not against forgers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::cli {

/// FNV-1a, 64 bits: the same on every machine.
class Fingerprint {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (const unsigned char* end = at + bytes; at != end; ++at) value_ = (value_ ^ *at) * kPrime;
  }
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  static constexpr std::uint64_t kStart = 0xcbf29ce484222325, kPrime = 0x100000001b3;

  std::uint64_t value_ = kStart;
};

std::string fingerprint(std::string_view text);

}  // namespace weft::cli
