// Fleet: every member gets the bits that it would get alone.
#include "weft/fleet.hpp"

#include <gtest/gtest.h>

#include "src/backend/backend.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

constexpr std::int64_t kSamples = 10, kBatch = 2;

Stack net(std::uint64_t seed) {
  Stack model{dense(5, 7, Activation::kTanh), dense(7, 3)};
  model.initialise({.seed = seed}).value();
  return model;
}

data::Samples samples() {
  return {random_tensor(Shape{1, 5}, kSamples, 1), random_tensor(Shape{1, 3}, kSamples, 2), {}};
}

std::vector<std::vector<float>> weights(Session& session, const Stack& model) {
  session.sync_to_host().value();
  std::vector<std::vector<float>> all;
  for (const Dense* leaf : leaves(model)) {
    const auto values = leaf->weight.values<float>();
    all.emplace_back(values.begin(), values.end());
  }
  return all;
}

class FleetThreadsOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto backend = create_backend(GetParam(), DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  }
};

TEST_P(FleetThreadsOn, TrainsEachMemberAsAlone) {
  const std::vector<std::string> modes{"NormalBP", "TweenSplit", "StepTween", "NormalBP"};
  std::vector<Stack> together, alone;
  std::vector<FitOptions> options;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    together.push_back(net(i));
    alone.push_back(net(i));
    options.push_back({.mode = modes[i], .lr = 0.1 + 0.05 * static_cast<double>(i), .batch = kBatch, .seed = i});
  }
  const data::Samples data = samples();
  Fleet fleet = mount_fleet(std::span(together), {.device = GetParam()}).value();
  const HeldSamples held = fleet.hold(data).value();
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (FitOptions& each : options) each.epoch = epoch;
    EXPECT_EQ(fleet.fit(held, options).value().size(), modes.size());
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    Session session = mount(alone[i], {.device = GetParam()}).value();
    for (int epoch = 0; epoch < 2; ++epoch) {
      options[i].epoch = epoch;
      ASSERT_TRUE(session.fit(data, options[i]).ok());
    }
    EXPECT_EQ(weights(fleet[i], together[i]), weights(session, alone[i])) << "member " << i << ", " << modes[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, FleetThreadsOn, testing::Values("cpu", "native_cpu", "cuda", "metal"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Fleet, NamesTheMemberThatFails) {
  std::vector<Stack> models{net(1), net(2)};
  Fleet fleet = mount_fleet(std::span(models), {.device = "cpu"}).value();
  const data::Samples data = samples();
  const std::vector<FitOptions> options{{.batch = kBatch}, {.batch = 99}};
  const auto result = fleet.fit(fleet.hold(data).value(), options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "fleet: member 1: fit: batch is 99, wanted 1 to the 10 samples in the order");
}

TEST(Fleet, RefusesOptionsForAnotherNumberOfMembers) {
  std::vector<Stack> models{net(1), net(2), net(3)};
  Fleet fleet = mount_fleet(std::span(models), {.device = "cpu"}).value();
  const data::Samples data = samples();
  const std::vector<FitOptions> options(2, FitOptions{.batch = kBatch});
  const auto result = fleet.fit(fleet.hold(data).value(), options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "fleet: 2 fit options, wanted 1 or one for each of 3 members");
}

TEST(Fleet, RefusesNoMembersAndTwoDevices) {
  EXPECT_EQ(Fleet::make({}).status().message(), "fleet: it has no members, wanted 1 or more");
  std::vector<Stack> models{net(1), net(2)};
  std::vector<Session> members;
  members.push_back(mount(models[0], {.device = "cpu"}).value());
  members.push_back(mount(models[1], {.device = "native_cpu"}).value());
  EXPECT_EQ(Fleet::make(std::move(members)).status().message(),
            "fleet: member 1 is on native_cpu 0 (float32), member 0 on cpu 0 (float32); wanted one device");
}

TEST(FleetThreads, ReportsOneAtATime) {
  std::vector<Stack> models;
  for (std::uint64_t i = 0; i < 6; ++i) models.push_back(net(i));
  Fleet fleet = mount_fleet(std::span(models), {.device = "native_cpu"}).value();
  const data::Samples data = samples();
  int reports = 0;  // not atomic
  const std::vector<FitOptions> options{{.batch = kBatch, .report_every = 1, .report = [&](const FitReport&) {
                                           ++reports;
                                           return true;
                                         }}};
  ASSERT_TRUE(fleet.fit(fleet.hold(data).value(), options).ok());
  EXPECT_EQ(reports, 6 * kSamples / kBatch);
}

}  // namespace
}  // namespace weft::test
