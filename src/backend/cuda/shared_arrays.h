// SharedArrays: arrays of the caller's for a GPU, in the GPU's type; those that are the same place in memory go once.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "src/backend/cuda/device_array.h"
#include "src/backend/cuda/upload.h"

namespace weft::cuda {

template <typename From, typename To>
class SharedArrays {
 public:
  void clear() { places_.clear(), size_ = 0; }
  void add(std::span<const From> array) {
    if (places_.emplace(key(array), size_).second) size_ += array.size();
  }
  /// Makes room for what was added. Errors: as DeviceArray::reserve.
  Status reserve(std::string_view what) { return there_.reserve(size_, what); }
  /// Starts copying the elements [first, first + count) of each array, as many as it has. Errors: as Upload::send.
  Status send(std::size_t first, std::size_t count, Upload& upload, std::string_view what, cudaStream_t stream) const {
    for (const auto& [array, at] : places_) {
      const std::span<const From> all(array.first, array.second);
      const std::size_t from = std::min(first, all.size());
      WEFT_RETURN_IF_ERROR(
          upload.send(all.subspan(from, std::min(count, all.size() - from)), there_.data() + at + from, what, stream));
    }
    return {};
  }
  /// Where the GPU has one.
  const To* at(std::span<const From> array) const { return there_.data() + places_.at(key(array)); }

 private:
  using Key = std::pair<const From*, std::size_t>;
  static Key key(std::span<const From> array) { return {array.data(), array.size()}; }

  std::map<Key, std::size_t> places_;
  std::size_t size_ = 0;  // elements of all
  DeviceArray<To> there_;
};

}  // namespace weft::cuda
