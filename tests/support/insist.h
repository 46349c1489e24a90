// Insist: a variable of the environment, set for as long as it lives.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace weft::test {

class Insist {
 public:
  /// value null: unset.
  Insist(const char* variable, const char* value) : variable_(variable) {
    if (const char* set = std::getenv(variable); set != nullptr) before_ = set;
    put(value);
  }
  ~Insist() { put(before_.has_value() ? before_->c_str() : nullptr); }
  Insist(const Insist&) = delete;
  Insist& operator=(const Insist&) = delete;

 private:
  void put(const char* value) const { value == nullptr ? unsetenv(variable_) : setenv(variable_, value, 1); }

  const char* variable_;
  std::optional<std::string> before_;
};

}  // namespace weft::test
