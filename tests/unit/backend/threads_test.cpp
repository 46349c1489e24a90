// Backends of different threads run at the same time and give what each gives alone.
#include <thread>

#include "tests/unit/backend/device_test.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

class BackendThreads : public DeviceTest {
 protected:
  /// W after 20 updates of a small layer, on a backend made here.
  static std::vector<double> trained(Device device, std::uint64_t seed) {
    constexpr std::int64_t m = 17, n = 31, k = 23;
    Random random(seed);
    const auto values = [&](std::int64_t count) {
      std::vector<double> made(static_cast<std::size_t>(count));
      for (double& value : made) value = random.uniform(-1, 1);
      return made;
    };
    Bench bench(device.name, device.storage);
    const Operand x = bench.values("x", values(m * k)), w = bench.values("W", values(n * k));
    const Operand z = bench.values("z", values(m * n)), y = bench.values("y", values(m * n));
    Instruction forward = instruction(Opcode::kForward, m, n, k, {x, w}, {z, y});
    forward.activation = Activation::kTanh;
    const Instruction update = instruction(Opcode::kUpdate, m, n, k, {y, x}, {w});
    for (int i = 0; i < 20; ++i) bench.run({forward, update}, {.lr = 0.01}).value();
    return bench.read(w);
  }
};
WEFT_ON_EVERY_DEVICE(BackendThreads);

TEST_P(BackendThreads, RunAtTheSameTime) {
  std::vector<std::vector<double>> together(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = trained(GetParam(), i); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i], trained(GetParam(), i));
}

}  // namespace
}  // namespace weft::test
