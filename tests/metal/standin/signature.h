// Signature: what a kernel's declaration says of its parameters, read from preprocessed text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::standin {

struct Parameter {
  enum class Kind {
    kBuffer,       // device T*: a place in a buffer
    kConstant,     // constant T& or T*: a place in a buffer, or bytes
    kThreadgroup,  // threadgroup T*: memory of the group, as long as the encoder says
    kPosition,     // a number that is the GPU's own: [[thread_position_in_grid]], ...
  } kind;
  unsigned index = 0;     // of buffers or of threadgroup memory
  std::string type;       // T, or the position's own
  std::string attribute;  // of positions
  std::string name;
};

struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
  unsigned most_threads = 1024;  // [[max_total_threads_per_threadgroup(n)]]
};

/// Every `kernel void name(...) {` of the text. Where one of them is what Metal's compiler refuses, `error` says why.
std::vector<Signature> signatures_of(std::string_view preprocessed, std::string& error);

}  // namespace weft::standin
