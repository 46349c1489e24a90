// Status and Result: how weft reports errors without exceptions.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace weft {

enum class StatusCode {
  kOk = 0,
  kInvalidArgument,     // a value, shape, name or option that cannot be used
  kFailedPrecondition,  // right call, wrong moment: closed session, samples in the pipe
  kUnsupported,         // known by name, not carried out by this build, device or mode
  kNotFound,            // a file, device or library that is not there
  kDataLoss,            // a file that is damaged or truncated
  kResourceExhausted,   // would need more memory than can be had
  kIo,                  // the operating system refused a read or write
  kDeviceFault,         // the device failed; the session stays failed
  kInternal,            // a bug in weft
};

/// Names a code in lower case words ("invalid argument").
const char* to_string(StatusCode code);

/// The outcome of a call: ok, or a code with a message that starts with the place
/// ("mount: dense 'fc2' ...") and names the value seen and the value wanted.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  /// Throws weft::Error unless ok.
  void value() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

/// Thrown by value() for programs that like exceptions; nothing else in weft throws it.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status) : std::runtime_error(status.message()), code_(status.code()) {}
  StatusCode code() const { return code_; }

 private:
  StatusCode code_;
};

inline void Status::value() const {
  if (!ok()) throw Error(*this);
}

/// A T or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  // By value, so that what is taken out of a temporary may be looped over.
  T operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  /// The value; throws weft::Error where there is none.
  T& value() & { return status_.value(), *value_; }
  const T& value() const& { return status_.value(), *value_; }
  T value() && { return status_.value(), std::move(*value_); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace weft
