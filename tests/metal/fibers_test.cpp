// Fibers: everybody's turn comes, in both orders; and what does not meet is told.
#include "tests/support/fibers.h"

#include <gmock/gmock.h>

#include <functional>
#include <thread>

namespace weft::test {
namespace {

using testing::HasSubstr;

std::string run(Fibers& fibers, std::uint32_t threads, std::function<void(std::uint32_t)> body,
                FiberOrder order = FiberOrder::kForwards) {
  const auto call = [](void* context) { (*static_cast<std::function<void(std::uint32_t)>*>(context))(Fibers::rank()); };
  return fibers.run(threads, order, call, &body);
}

TEST(Fibers, ReversedSumNeedsItsBarriers) {
  for (const FiberOrder order : {FiberOrder::kForwards, FiberOrder::kBackwards}) {
    for (const std::uint32_t threads : {1u, 2u, 31u, 256u, 1024u}) {
      Fibers fibers;
      std::vector<double> shared(threads);
      const std::string why = run(
          fibers, threads,
          [&](std::uint32_t rank) {
            double mine = rank;  // lives on the fiber's stack and in registers through all turns
            for (int round = 0; round < 3; ++round) {
              shared[rank] = mine;
              Fibers::barrier();
              mine += shared[(rank + 1) % threads];
              Fibers::barrier();
            }
            shared[rank] = mine;
          },
          order);
      EXPECT_EQ(why, "");
      const auto at = [&](std::uint32_t rank) { return static_cast<double>(rank % threads); };
      for (std::uint32_t i = 0; i < threads; ++i)
        EXPECT_EQ(shared[i], at(i) + 3 * at(i + 1) + 3 * at(i + 2) + at(i + 3)) << threads << " threads, " << i;
    }
  }
}

TEST(Fibers, OrderIsAsAsked) {
  for (const FiberOrder order : {FiberOrder::kForwards, FiberOrder::kBackwards}) {
    Fibers fibers;
    std::vector<std::uint32_t> seen;
    EXPECT_EQ(run(
                  fibers, 70, [&](std::uint32_t rank) { seen.push_back(rank); }, order),
              "");
    std::vector<std::uint32_t> wanted(70);
    for (std::uint32_t i = 0; i < 70; ++i) wanted[i] = order == FiberOrder::kForwards ? i : 69 - i;
    EXPECT_EQ(seen, wanted);
  }
}

TEST(Fibers, ToldWhereSomeEnd) {
  Fibers fibers;
  const std::string why = run(fibers, 64, [](std::uint32_t rank) {
    Fibers::barrier();
    if (rank != 40) Fibers::barrier();
  });
  EXPECT_EQ(why, "thread 40 has ended after 1 barriers while thread 0 waits at its barrier 2");
  // The stacks that were left serve again.
  int ran = 0;
  EXPECT_EQ(run(fibers, 64, [&](std::uint32_t) { Fibers::barrier(), ++ran; }), "");
  EXPECT_EQ(ran, 64);
}

TEST(Fibers, ToldWhereBarriersDiffer) {
  Fibers fibers;
  const int one = 0, other = 0;
  EXPECT_EQ(run(fibers, 8, [&](std::uint32_t rank) { Fibers::barrier(rank < 5 ? &one : &other); }),
            "threads 0 and 5 wait at different barriers (their 1)");
}

TEST(Fibers, LanesMeetWithoutTheOthers) {
  for (const FiberOrder order : {FiberOrder::kForwards, FiberOrder::kBackwards}) {
    Fibers fibers;
    std::vector<std::uint32_t> sums(96);
    const std::string why = run(
        fibers, 96,
        [&](std::uint32_t rank) {
          std::uint32_t sum = rank;
          for (std::uint32_t distance = 1; distance < 32; distance *= 2) sum += Fibers::exchange(sum, rank ^ distance);
          if (rank < 32) Fibers::meet_lanes();
          sums[rank] = sum;
        },
        order);
    EXPECT_EQ(why, "");
    for (std::uint32_t i = 0; i < 96; ++i) EXPECT_EQ(sums[i], i / 32 * 1024 + 496) << i;
  }
}

TEST(Fibers, ToldWhereLanesDoNotMeet) {
  Fibers fibers;
  EXPECT_EQ(run(fibers, 64, [](std::uint32_t rank) { rank == 33 ? Fibers::barrier() : Fibers::meet_lanes(); }),
            "lanes meet without thread 33, which waits at a barrier");
  EXPECT_THAT(run(fibers, 20, [](std::uint32_t rank) { Fibers::exchange(rank, rank ^ 16); }),
              HasSubstr("which is not there"));
}

TEST(FibersThreads, EachThreadHasItsOwn) {
  std::vector<std::thread> threads;
  std::vector<int> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      Fibers fibers;
      for (int time = 0; time < 20; ++time)
        EXPECT_EQ(run(fibers, 64, [&](std::uint32_t) { Fibers::barrier(), ++sums[t], Fibers::barrier(); }), "");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(sums, testing::Each(20 * 64));
}

}  // namespace
}  // namespace weft::test
