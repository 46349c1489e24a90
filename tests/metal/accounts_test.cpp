// What the metal device uses of the GPU: command buffers, encoders and dispatches of a call, and that everything it
// took is given back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/metal/standin_here.h"
#include "tests/support/fitted.h"
#include "tests/support/insist.h"
#include "tests/support/sanitizers.h"

namespace weft::test {
namespace {

struct Used {
  long commands = standin_count("command buffers"), encoders = standin_count("encoders"),
       dispatches = standin_count("dispatches"), buffers = standin_count("buffers");
  Used since(const Used& before) const {
    Used difference = *this;
    difference.commands -= before.commands, difference.encoders -= before.encoders;
    difference.dispatches -= before.dispatches, difference.buffers -= before.buffers;
    return difference;
  }
};

TEST(MetalAccounts, ACallIsOneCommandBufferWithOneEncoder) {
  const Insist way("WEFT_METAL_WAY", "steps");
  for (const char* name : {"NormalBP", "TweenSplit", "MeshTween"}) {
    SCOPED_TRACE(name);
    const Mode mode = parse_mode(name).value();
    const TestModel model = Fitted::net(mode.schedule);
    Trainer trainer(model, {.device = "metal"});
    trainer.train(mode, 1);
    const Used before;
    trainer.train(mode, 2);
    const Used used = Used().since(before);
    EXPECT_EQ(used.commands, 1);
    EXPECT_EQ(used.encoders, 1);
    EXPECT_EQ(used.buffers, 0);  // nothing is allocated after the first call of a shape
    const CallCost cost =
        trainer.session()
            .cost(model.input.with_batch(3), model.target.with_batch(3), {.mode = mode, .ticks = model.ticks})
            .value();
    EXPECT_EQ(used.dispatches, cost.instructions);
  }
}

TEST(MetalAccounts, ARunIsOneCommandBufferForEachCall) {
  const Insist way("WEFT_METAL_WAY", "steps");
  const TestModel model = Fitted::net(Schedule::kStack);
  Trainer trainer(model, {.device = "metal"});
  const data::Samples data = Fitted::samples(model);
  const HeldSamples held = trainer.session().hold(data).value();
  trainer.session().fit(held, {.batch = Fitted::kBatch}).value();
  const Used before;
  const std::int64_t calls = trainer.session().fit(held, {.batch = Fitted::kBatch, .epoch = 1}).value().calls;
  const Used used = Used().since(before);
  EXPECT_EQ(used.commands, calls);
  EXPECT_EQ(used.encoders, calls);
  EXPECT_EQ(used.buffers, 0);
  const CallCost cost = trainer.session().cost(model.input.with_batch(4), model.target.with_batch(4), {}).value();
  EXPECT_EQ(used.dispatches, calls * (cost.instructions + 3));  // inputs and targets gathered, the loss noted
}

TEST(MetalAccounts, OnChipARunIsOneDispatch) {
  const Insist way("WEFT_METAL_WAY", "chip");
  const TestModel model = Fitted::net(Schedule::kStack);
  Trainer trainer(model, {.device = "metal"});
  const data::Samples data = Fitted::samples(model);
  const HeldSamples held = trainer.session().hold(data).value();
  trainer.session().fit(held, {.batch = Fitted::kBatch}).value();
  const Used before;
  trainer.session().fit(held, {.batch = Fitted::kBatch, .epoch = 1}).value();
  const Used used = Used().since(before);
  EXPECT_EQ(used.commands, 1);
  EXPECT_EQ(used.encoders, 1);
  EXPECT_EQ(used.dispatches, 1);
  EXPECT_EQ(used.buffers, 0);
}

/// Bytes of this process in memory.
long resident() {
  long whole = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> whole >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(MetalAccounts, AThousandMountsLeaveNothing) {
  const TestModel model = random_stack(3);
  const auto mount_once = [&] {
    Trainer trainer(model, {.device = "metal"});
    const Tensor input = trainer.input(2), target = trainer.target(2);
    const data::Samples data{input, target, {}};
    trainer.train(Mode{}, 1);
    trainer.session().fit(trainer.session().hold(data).value(), {.batch = 1}).value();
    trainer.forward(input);
  };
  // The first ones make what a process keeps, and the stand-in remembers the last few thousand objects that are gone.
  for (int warm = 0; warm < 100; ++warm) mount_once();
  const long objects = standin_alive(), before = resident();
  for (int mounts = 0; mounts < 1000; ++mounts) mount_once();
  EXPECT_EQ(standin_alive(), objects);
  for (const char* each : {"MTLBuffer", "MTLCommandBuffer", "MTLComputeCommandEncoder", "MTLCommandQueue", "NSString",
                           "NSError", "MTLFunction", "MTLCompileOptions"})
    EXPECT_EQ(standin_alive(each), 0) << each;
  EXPECT_EQ(standin_alive("MTLDevice"), 1);
  EXPECT_EQ(standin_count("bytes alive"), 0);
#if !WEFT_SANITIZED
  EXPECT_LT(resident() - before, 4 << 20);
#else
  static_cast<void>(before);
#endif
}

TEST(MetalAccounts, NothingIsCompiledWithFastMath) {
  for (const char* way : {"steps", "chip"}) {
    const Insist insist("WEFT_METAL_WAY", way);
    Trainer trainer(Fitted::net(Schedule::kStack), {.device = "metal"});
    trainer.train(Mode{}, 1);
  }
  EXPECT_GT(standin_count("libraries"), 1);
  EXPECT_EQ(standin_count("fast libraries"), 0);
}

}  // namespace
}  // namespace weft::test
