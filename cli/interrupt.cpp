// SIGINT and SIGTERM noted.
#include "cli/interrupt.h"

#include <atomic>

namespace weft::cli {
namespace {

// Lock-free, so that a handler may touch it.
std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void weft_cli_note_signal(int number) {
  if (!noted.exchange(true)) return;
  // Blocked until this returns, then it ends the process.
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void note(int number, struct sigaction& before) {
  struct sigaction action {};
  action.sa_handler = weft_cli_note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // reads and writes under way go on
  sigaction(number, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  noted = false;
  note(SIGINT, interrupt_);
  note(SIGTERM, terminate_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interrupt::asked() const { return noted.load(std::memory_order_relaxed); }

}  // namespace weft::cli
