// Array: numbers as a binary file holds them: a type, a byte order, a shape, the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data.hpp"

namespace weft::data {

enum class ElementType : std::uint8_t { kBool, kU8, kU16, kU32, kU64, kI8, kI16, kI32, kI64, kF16, kF32, kF64 };

std::size_t size_of(ElementType type);
std::string_view to_string(ElementType type);  // "uint8", numpy's names

struct Array {
  std::string place;  // "npy: x.npy", how messages name it
  ElementType type = ElementType::kU8;
  bool big_endian = false;
  bool fortran = false;  // the first axis varies fastest
  std::vector<std::int64_t> shape;
  std::string bytes;  // the numbers lie in it from `begin` on
  std::size_t begin = 0;

  std::int64_t elements() const;
};

/// That the axes are not negative and their product fits the bytes from `begin` to the end, exactly.
/// Errors: kDataLoss (too few or too many bytes), kInvalidArgument (an axis of 0).
Status check_bytes(const Array& array);

/// The numbers in row-major order. Errors: kInvalidArgument naming the element that is not finite (as float, for the
/// first), kDataLoss for a boolean that is neither 0 nor 1, kResourceExhausted. `append_floats` adds them to others.
Status append_floats(const Array& array, std::vector<float>& to);
Result<std::vector<float>> to_floats(const Array& array);
Result<std::vector<double>> to_doubles(const Array& array);

/// A data set of inputs [n, ...] and labels or targets, `targets` null: there are none. `file_bytes`: what is held of
/// the file beside the arrays. Errors: kInvalidArgument (shapes, labels), kResourceExhausted.
Result<Dataset> dataset_of(const Array& inputs, const Array* targets, const ArrayOptions& options,
                           std::uint64_t file_bytes = 0);

/// The same with a test part of its own behind the rows.
Result<Dataset> dataset_of(const Array& inputs, const Array& targets, const Array& test_inputs,
                           const Array& test_targets, const ArrayOptions& options, std::uint64_t file_bytes = 0);

/// All of a file, plain or gzip, where it is no larger than the budget; "<place>: ..." in messages.
Result<std::string> read_bytes(const std::filesystem::path& file, const std::string& place, std::uint64_t memory);

}  // namespace weft::data
