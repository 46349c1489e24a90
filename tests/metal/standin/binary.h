// Binary: compiled kernels, loaded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/metal/standin/signature.h"

namespace weft::standin {

/// A kernel's code and what it needs.
struct KernelCode {
  struct Range {
    char* begin;
    std::size_t bytes;
  };

  Signature signature;
  std::vector<std::size_t> sizes, alignments;  // by parameter, of what it points to; 0 for positions
  void* code = nullptr;
  std::vector<Range> threadgroup;  // its variables of the threadgroup
  std::size_t threadgroup_bytes() const;
};

/// Stays loaded: a library that is unloaded may leave things of a thread behind.
class Binary {
 public:
  Binary(const std::string& library, const std::string& preprocessed);

  /// Null where there is none of the name.
  const KernelCode* find(const std::string& kernel) const;

 private:
  std::map<std::string, KernelCode> kernels_;
};

}  // namespace weft::standin
