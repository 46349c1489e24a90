// Device: the GPU of the process, with the kernels of src/kernels compiled for it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "src/backend/metal/library.h"
#include "src/backend/metal/owned.h"

namespace weft::metal {

class Device {
 public:
  /// Whether there is a GPU. Errors: kNotFound.
  static Status available();
  /// "Apple M2, 10.7 GiB for the GPU"; without a GPU, what the library is for.
  static std::string describe();
  /// The process's one, its kernels compiled; kept to the end. Any thread may ask. Errors: kNotFound, kInternal.
  static Result<Device*> get();

  Id id() const { return id_.get(); }
  Library& kernels() { return *kernels_; }
  /// The text compiled; whoever asks with the same text gets the same library for as long as anyone holds it. Any
  /// thread may ask. Errors: kInternal with what the compiler said; `title` names the text.
  Result<std::shared_ptr<Library>> library(std::string_view title, const std::string& text);

  /// A buffer in memory that the host and the GPU share, of that many bytes or a few more; what is in it is not known.
  /// `replaced` bytes of another go when it is there. Errors: kResourceExhausted starting with `what`, with what the
  /// GPU allows and has in use.
  Result<Owned> new_buffer(std::size_t bytes, std::string_view what, std::size_t replaced = 0) const;

 private:
  explicit Device(Owned id) : id_(std::move(id)) {}
  static Result<std::unique_ptr<Device>> open();

  Owned id_;
  std::unique_ptr<Library> kernels_;
  std::mutex mutex_;  // of libraries_; held while compiling, so that nothing is compiled twice
  std::map<std::string, std::weak_ptr<Library>> libraries_;  // by text
};

}  // namespace weft::metal
