// Flight: command buffers that the GPU has and that were not waited for yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "src/backend/metal/owned.h"
#include "weft/status.hpp"

namespace weft::metal {

/// How the kernels of a command buffer run: each after the one before, or all at the same time.
enum class Order : std::uint8_t { kInTurn, kAtOnce };

/// A command buffer that is being written: kernels, in one encoder but where something else comes between them.
class Command {
 public:
  /// Errors: kDeviceFault.
  static Result<Command> begin(Id queue, Id label, Order order = Order::kInTurn);
  Command(Command&&) noexcept = default;
  Command& operator=(Command&&) = delete;
  ~Command();

  /// Where kernels are launched.
  Id encoder();
  /// The command buffer, for what writes encoders of its own into it.
  Id between_encoders();
  /// Hands it to the GPU; nothing can be added any more. Null where an encoder could not be had.
  Owned commit();

 private:
  Command(Owned buffer, Order order) : buffer_(std::move(buffer)), order_(order) {}

  void end_encoder();

  Owned buffer_, encoder_;
  Order order_;
  bool failed_ = false;
};

class Flight {
 public:
  explicit Flight(std::string title) : title_(std::move(title)) {}  // of messages
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// Hands the command to the GPU. Waits for the oldest where there are kMost already. Errors: kDeviceFault of any that
  /// was waited for.
  Status add(Command command);
  /// Waits for all. Errors: kDeviceFault, the first that any of them met.
  Status land();

 private:
  /// While one runs and the next waits for its turn, a third is written.
  static constexpr std::size_t kMost = 3;

  Status wait_for_oldest();

  std::string title_;
  std::deque<Owned> commands_;
};

}  // namespace weft::metal
