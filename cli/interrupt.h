// Interrupt: Ctrl-C and SIGTERM as a question that is asked between two calls.
#pragma once

#include <csignal>

namespace weft::cli {

/// The exit code of a command that was interrupted and has put its affairs in order.
inline constexpr int kExitInterrupted = 130;

/// While it lives the first SIGINT or SIGTERM is only noted; a second one ends the process at once, as without this.
/// A signal that was ignored (a job in the background) stays ignored. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();  // the handlers are what they were
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};  // before
};

}  // namespace weft::cli
