// Dispatch: a kernel started on groups of threads, as a GPU does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weft::test {

struct LaunchShape {
  std::uint32_t groups, threads;  // of each group
};

/// Calls `kernel` by every thread. backwards: another legal order. Empty, or in what way threads did not meet.
std::string dispatch(LaunchShape shape, bool backwards, const std::function<void()>& kernel);

}  // namespace weft::test
