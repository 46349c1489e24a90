// Any text as a model; one that is read is written and read back the same. Scalings and schemas too.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weft/data.hpp"
#include "weft/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto model = weft::model_from_json(text); model.ok()) {
    const std::string written = weft::to_json(*model);
    const auto back = weft::model_from_json(written);
    if (!back.ok() || weft::to_json(*back) != written) std::abort();
  }
  if (const auto scaling = weft::data::scaling_from_json(text); scaling.ok()) {
    const auto back = weft::data::scaling_from_json(weft::data::to_json(*scaling));
    if (!back.ok() || !(*back == *scaling)) std::abort();
  }
  if (const auto schema = weft::data::schema_from_json(text); schema.ok()) {
    const auto back = weft::data::schema_from_json(weft::data::to_json(*schema));
    if (!back.ok() || !(*back == *schema)) std::abort();
  }
  return 0;
}
