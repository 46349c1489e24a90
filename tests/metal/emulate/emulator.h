// Emulator: makes src/kernels the code of many threads of a GPU. To be included before any other header of kernels;
// what runs the threads (one host thread by turns, or one each) fills in these functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::test {

/// The place of the calling thread.
struct Here {
  std::uint32_t rank, size, group, groups;
};
Here here();

/// A barrier of the group at that place of the source (barrier_sites.h).
void meet(const char* file, int line);

/// What the group shares; never more than kMostScratch.
inline constexpr std::size_t kMostScratch = 4096;
float* group_scratch(std::size_t floats);

}  // namespace weft::test

#define WEFT_BARRIER() ::weft::test::meet(__FILE__, __LINE__)
#define WEFT_SCRATCH(name, floats) float* const name = ::weft::test::group_scratch(floats)
#define WEFT_TEAM(scratch)                                                                                         \
  Team {                                                                                                           \
    ::weft::test::here().rank, ::weft::test::here().size, ::weft::test::here().group, ::weft::test::here().groups, \
        scratch                                                                                                    \
  }
