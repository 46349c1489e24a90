// Every golden case on every device that is here, and the example's printed losses digit by digit.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "src/io/read_file.h"
#include "src/io/strict_json.h"
#include "src/verify/golden_run.h"
#include "src/verify/seed_example.h"

namespace weft::verify {
namespace {

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(WEFT_TEST_DATA_DIR) / (name + ".json");
}

struct Subject {
  std::string file;
  std::size_t cases;  // none may get lost in reading
  std::string device;
};

void PrintTo(const Subject& subject, std::ostream* stream) { *stream << subject.file << " on " << subject.device; }

class Golden : public testing::TestWithParam<Subject> {};

TEST_P(Golden, AllCasesHold) {
  const Subject& subject = GetParam();
  if (const Status status = probe_device(subject.device); status.code() == StatusCode::kNotFound)
    GTEST_SKIP() << status.message();
  const Result<GoldenFile> file = read_golden_file(data_file(subject.file));
  ASSERT_TRUE(file.ok()) << file.status().message();
  const FileResult result = run_file(*file, subject.device);
  EXPECT_EQ(result.cases.size(), subject.cases);
  double share = 0.0;
  for (const CaseResult& each : result.cases) {
    EXPECT_EQ(each.verdict, Verdict::kPass) << each.name << ": " << each.detail;
    share = std::max(share, each.share());
  }
  RecordProperty("share_of_tolerance", fmt::format("{:.3f}", share));
}

std::vector<Subject> subjects() {
  const std::vector<std::pair<std::string, std::size_t>> files{
      {"seed_example", 33}, {"stack_dense", 56}, {"line_dense", 14},    {"mesh_dense", 22},          {"mesh_ring", 3},
      {"spec_modes", 43},   {"cameral", 78},     {"cameral_mixes", 13}, {"reference_deviations", 8},
  };
  std::vector<Subject> list;
  for (const auto& [file, cases] : files) {
    for (const char* device : {"cpu", "native_cpu", "cuda"}) list.push_back({file, cases, device});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(subjects()), [](const testing::TestParamInfo<Subject>& info) {
  return info.param.file + "_on_" + info.param.device;
});

/// The loss of the last of the example's calls, on cpu.
double demo_loss(Mode mode) {
  Model model = seed_model(mode, seed_weights());
  Session session = std::visit([](auto& root) { return mount(root, {.device = "cpu"}); }, model).value();
  const Tensor input({2, 4}, seed_input()), target(Shape{2, 4});
  double loss = 0.0;
  for (int call = 0; call < kSeedCalls; ++call) {
    loss = session.train(input, target, {.mode = mode, .lr = kSeedLearningRate, .ticks = kSeedTicks}).value().loss;
  }
  return loss;
}

/// The modes whose arithmetic differs from the reference's, on purpose: the line's Split family and Alt.
bool differs_from_reference(Mode mode) {
  return mode.schedule == Schedule::kLine && mode.rule != Rule::kBP && mode.rule != Rule::kTween &&
         mode.rule != Rule::kTweenChain;
}

TEST(SeedExample, PrintsTheReferencesDigits) {
  const auto text = read_file(data_file("seed_example"));
  ASSERT_TRUE(text.ok()) << text.status().message();
  const auto document = parse_strict_json(*text, 64);
  ASSERT_TRUE(document.ok()) << document.status().message();
  int eight_digits = 0, six_digits = 0;
  for (const auto& entry : document->at("modes")) {
    const Mode mode = parse_mode(entry.at("mode").get<std::string>()).value();
    if (id(mode) > kPublishedModeCount) continue;
    const double loss = demo_loss(mode);
    if (differs_from_reference(mode)) {
      EXPECT_EQ(fmt::format("{:.6g}", loss), fmt::format("{:.6g}", entry.at("final_loss").get<double>()))
          << to_string(mode);
      ++six_digits;
    } else {
      EXPECT_EQ(fmt::format("{:.8g}", loss), fmt::format("{:.8g}", entry.at("reference_printed").get<double>()))
          << to_string(mode);
      ++eight_digits;
    }
  }
  EXPECT_EQ(eight_digits, 21);
  EXPECT_EQ(six_digits, 8);
}

}  // namespace
}  // namespace weft::verify
