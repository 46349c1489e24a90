// A training call allocates nothing after the first of its shape.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/support/models.h"
#include "tests/support/sanitizers.h"

namespace {

thread_local std::int64_t allocations = 0;

}  // namespace

#if !WEFT_SANITIZED  // a sanitizer has these of its own
// Counts every allocation of this program; the arrays' and nothrow forms come through here too. Not inlined, or
// the compiler sees malloc paired with delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace weft::test {
namespace {

class Allocation : public testing::TestWithParam<ModeParam> {};

TEST_P(Allocation, NoneAfterTheFirstCallsOfAShape) {
  if (WEFT_SANITIZED) GTEST_SKIP() << "the sanitizer counts allocations its own way";
  const Mode mode = GetParam().mode;
  for (const char* device : {"cpu", "native_cpu"}) {
    Trainer trainer(random_model(mode, 3), {.device = device});
    const Tensor input = trainer.input(1), target = trainer.target(1);
    const TrainOptions options{.mode = mode, .lr = 0.01, .ticks = trainer.model().ticks};
    // The line has a program for each stage of its filling.
    for (int call = 0; call < kManyCalls; ++call) ASSERT_TRUE(trainer.session().train(input, target, options).ok());
    const std::int64_t before = allocations;
    bool ok = true;
    for (int call = 0; call < 50; ++call) ok = ok && trainer.session().train(input, target, options).ok();
    EXPECT_EQ(allocations - before, 0) << device;
    EXPECT_TRUE(ok);
  }
}

WEFT_FOR_EVERY_MODE(Allocation);

}  // namespace
}  // namespace weft::test
