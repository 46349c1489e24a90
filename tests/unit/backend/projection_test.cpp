// Projection against its definition, an element at a time, whatever the sizes and threads.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include "src/backend/native_cpu/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace weft::test {
namespace {

TEST(NativeProjectionThreads, IsTheMeanOfEachElementsRange) {
  for (const std::int64_t given : {1, 2, 3, 7, 10, 64, 100, 1280, 40000}) {
    for (const std::int64_t wanted : {1, 2, 3, 7, 10, 64, 100, 1281, 65537}) {
      std::vector<float> x(static_cast<std::size_t>(given)), y(static_cast<std::size_t>(wanted) + 1, -7.0F);
      for (std::int64_t i = 0; i < given; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>((i * 37) % 101);
      for (const int threads : {1, 3}) {
        native_cpu::Team team(threads);
        native_cpu::project(team, given, wanted, 0.5F, x.data(), y.data());
        for (std::int64_t i = 0; i < wanted; ++i) {
          const std::int64_t lo = i * given / wanted, hi = std::max(lo + 1, (i + 1) * given / wanted);
          double sum = 0.0;
          for (std::int64_t j = lo; j < hi; ++j) sum += static_cast<double>(x[static_cast<std::size_t>(j)]);
          const float mean = static_cast<float>(sum / static_cast<double>(hi - lo));
          ASSERT_EQ(y[static_cast<std::size_t>(i)], 0.5F * mean)
              << given << " to " << wanted << ", element " << i << ", " << threads << " threads";
        }
        ASSERT_EQ(y.back(), -7.0F);
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
#endif
