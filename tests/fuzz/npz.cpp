// Any bytes as a zip archive of NPY files. Checksums are kept, so every entry is also unzipped for itself.
#include <cstdint>
#include <string_view>

#include "src/data/npz.h"
#include "src/data/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto entries = weft::data::read_zip(text);
  if (!entries.ok()) return 0;
  for (const auto& entry : *entries) (void)weft::data::unzip(text, entry, 1 << 22);
  (void)weft::data::read_npz(text, "npz", {.memory = 1 << 22});
  return 0;
}
