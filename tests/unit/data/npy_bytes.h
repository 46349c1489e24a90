// NPY, IDX and zip files made by hand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#ifdef WEFT_HAVE_ZLIB
#include <zlib.h>
#endif

namespace weft::test {

/// The bytes of a number, `count` of them.
inline std::string bytes_of(std::uint64_t number, int count, bool big_endian = false) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += static_cast<char>((number >> (8 * (big_endian ? count - 1 - i : i))) & 255);
  }
  return bytes;
}

/// An NPY file of version `major` with a header as it is given.
inline std::string npy_with(const std::string& header, const std::string& data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  return bytes + bytes_of(header.size(), major == 1 ? 2 : 4) + header + data;
}

/// An NPY file of a type, "<f4", and a shape, "(2, 3)".
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool fortran = false) {
  const char* order = fortran ? "True" : "False";
  return npy_with("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n", data);
}

inline std::string u8s(const std::vector<int>& numbers) {
  std::string bytes;
  for (const int number : numbers) bytes += static_cast<char>(number);
  return bytes;
}

/// An IDX file of bytes.
inline std::string idx(const std::vector<std::uint32_t>& shape, const std::vector<int>& numbers, int type = 8) {
  std::string bytes("\0\0", 2);
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(shape.size());
  for (const std::uint32_t axis : shape) bytes += bytes_of(axis, 4, true);
  return bytes + u8s(numbers);
}

#ifdef WEFT_HAVE_ZLIB
struct ZipFile {
  std::string name, text;
  bool deflated = false;
  int method = -1;  // as the directory says; -1: what it is
  std::uint32_t flags = 0;
  std::int64_t size = -1;  // as the directory says; -1: what it is
};

inline std::string deflate_raw(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string zip(const std::vector<ZipFile>& files) {
  std::string bytes, directory;
  for (const ZipFile& file : files) {
    const std::string packed = file.deflated ? deflate_raw(file.text) : file.text;
    const auto method = static_cast<std::uint64_t>(file.method >= 0 ? file.method : file.deflated ? 8 : 0);
    const auto size = file.size >= 0 ? static_cast<std::uint64_t>(file.size) : file.text.size();
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(file.text.data()), file.text.size());
    const std::string common = bytes_of(20, 2) + bytes_of(file.flags, 2) + bytes_of(method, 2) + bytes_of(0, 4) +
                               bytes_of(checksum, 4) + bytes_of(packed.size(), 4) + bytes_of(size, 4) +
                               bytes_of(file.name.size(), 2);
    directory += "PK\x01\x02" + bytes_of(20, 2) + common + bytes_of(0, 2 + 2 + 2 + 2) + bytes_of(0, 4) +
                 bytes_of(bytes.size(), 4) + file.name;
    bytes += "PK\x03\x04" + common + bytes_of(0, 2) + file.name + packed;
  }
  return bytes + directory + "PK\x05\x06" + bytes_of(0, 4) + bytes_of(files.size(), 2) + bytes_of(files.size(), 2) +
         bytes_of(directory.size(), 4) + bytes_of(bytes.size(), 4) + bytes_of(0, 2);
}
#endif

}  // namespace weft::test
