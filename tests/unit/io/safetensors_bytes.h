// Safetensors files made by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace weft::test {

/// A file with a header as it is given.
inline std::string safetensors_with(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &size, 8);
  return bytes + header + data;
}

/// "name":{"dtype":...}; dtype, shape and offsets as JSON.
inline std::string safetensors_entry(const std::string& name, const std::string& dtype, const std::string& shape,
                                     const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

/// Numbers as they lie in a file.
template <typename T>
std::string raw(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

/// An array by its bytes.
struct MadeArray {
  std::string name, dtype, shape, data;
};

/// A whole file as others write it.
inline std::string safetensors(const std::vector<MadeArray>& arrays) {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}", data;
  for (const MadeArray& array : arrays) {
    const std::string offsets =
        "[" + std::to_string(data.size()) + "," + std::to_string(data.size() + array.data.size()) + "]";
    header += "," + safetensors_entry(array.name, "\"" + array.dtype + "\"", array.shape, offsets);
    data += array.data;
  }
  return safetensors_with(header + "}", data);
}

}  // namespace weft::test
