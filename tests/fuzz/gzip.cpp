// Any bytes as gzip: in one piece and as a stream, which must agree.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/data/byte_source.h"
#include "src/io/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kMost = 1 << 22;
  const std::string_view packed(reinterpret_cast<const char*>(bytes), size);
  if (!weft::is_gzip(packed)) return 0;
  const auto whole = weft::gunzip(packed, kMost);
  auto source = weft::data::ByteSource::over(packed);
  if (!source.ok()) std::abort();
  std::string text;
  char block[1000];
  for (;;) {
    const auto got = (*source)->read(block, sizeof(block));
    if (!got.ok()) {
      if (whole.ok()) std::abort();
      return 0;
    }
    if (*got == 0) break;
    text.append(block, *got);
    if (text.size() > kMost) return 0;
  }
  if (!whole.ok() || *whole != text) std::abort();
  return 0;
}
