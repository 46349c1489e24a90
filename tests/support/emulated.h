// Emulated: generated programs compiled as host C++ and run in this process: by one thread for the whole block, or by
// all threads of a block, watched for races.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/generate/kernel_text.h"
#include "src/generate/tile.h"

namespace weft::test {

/// Kernels of several texts in one shared library, made by the compiler that the tests were built with.
class Emulated {
 public:
  /// The texts are for blocks of those lanes; where `block` is one thread, it runs unwatched. Where they do not
  /// compile, there are no kernels and `error` says why. bodies: what the texts call.
  Emulated(const std::vector<std::string>& texts, BlockShape block, std::string_view bodies = kernel_text());
  ~Emulated();
  Emulated(const Emulated&) = delete;
  Emulated& operator=(const Emulated&) = delete;

  const std::string& error() const { return error_; }

  /// Runs kernel `text` with the member; says what two threads did to one place without a barrier between them, empty
  /// where there was nothing. backwards: between barriers the last thread comes first.
  std::string run(std::size_t text, const void* member, int threads, bool backwards = false) const;

 private:
  std::string error_;
  bool many_;
  void* library_ = nullptr;
};

}  // namespace weft::test
