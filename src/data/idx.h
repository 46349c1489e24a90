// IDX files, the format of MNIST (yann.lecun.com/exdb/mnist): a magic number, the axes, the numbers, all big-endian.
#pragma once

#include <string>

#include "src/data/array.h"

namespace weft::data {

/// Reads the bytes of an IDX file. Errors: kDataLoss, kInvalidArgument (an axis of 0), "<place>: ...".
Result<Array> read_idx(std::string bytes, std::string place);

/// The same from a file, plain or gzip.
Result<Array> read_idx_file(const std::filesystem::path& file, std::uint64_t memory);

/// Whether the bytes start as an IDX file does.
bool is_idx(std::string_view bytes);

}  // namespace weft::data
