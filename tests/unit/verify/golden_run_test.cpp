// Running golden cases: a wrong expectation of any kind must be noticed.
#include "src/verify/golden_run.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::verify {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// y = x w with w = 1, x = 2, t = 1: loss 1, gradient 4, and w = 0.6 after a step at 0.1.
json by_hand() {
  return json::parse(R"({
    "name": "by hand", "model": {"type": "stack", "ops": [{"type": "dense", "in": 1, "out": 1, "w": [1]}]},
    "mode": "NormalBP", "lr": 0.1, "input_shape": [1, 1], "target_shape": [1, 1], "inputs": [[2]], "targets": [[1]],
    "expect": {"losses": [1], "weights": [[0.6]], "forward_in": [10], "forward_out": [6]}})");
}

CaseResult run(const json& document) { return run_case("by hand", read_golden_case(Field(document, "")), "cpu"); }

TEST(GoldenRun, PassesWhatHolds) {
  const CaseResult result = run(by_hand());
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.detail;
  EXPECT_LT(result.share(), 0.05);
}

TEST(GoldenRun, FailsEachWrongExpectation) {
  json document = by_hand();
  document["expect"]["losses"][0] = 1.0001;
  CaseResult result = run(document);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.detail, HasSubstr("loss of call 0: got 1, wanted 1.0001"));
  EXPECT_GT(result.share(), 1.0);

  document = by_hand();
  document["expect"]["weights"][0][0] = 0.6001;
  result = run(document);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.detail, HasSubstr("leaf 1 weight[0]: got 0.6"));

  document = by_hand();
  document["expect"]["forward_out"][0] = 6.001;
  result = run(document);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.detail, HasSubstr("forward_out[0]"));

  document = by_hand();
  document["expect"]["forward_out_shape"] = {1, 1, 1};
  EXPECT_EQ(run(document).verdict, Verdict::kFail);
}

TEST(GoldenRun, FailsWhatCannotBeTrained) {
  json document = by_hand();
  document["mode"] = "MeshBP";  // a stack has no clock
  EXPECT_EQ(run(document).verdict, Verdict::kFail);
}

TEST(GoldenRun, RunsFloat64) {
  json document = by_hand();
  document["model"]["ops"][0]["dtype"] = "float64";
  EXPECT_EQ(run(document).verdict, Verdict::kPass) << run(document).detail;
}

class GoldenFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(GoldenFiles, AreRecognisedByContent) {
  const auto list = read_golden_file(write("any name.json", json::array({by_hand(), by_hand()}).dump()));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->entries.size(), 2U);

  const auto lone = read_golden_file(write("lone.json", by_hand().dump()));
  ASSERT_TRUE(lone.ok());
  EXPECT_EQ(lone->entries.size(), 1U);

  const auto other = read_golden_file(write("settings.json", R"({"colour": "blue"})"));
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other->entries.empty());
}

TEST_F(GoldenFiles, CountWhatTheyHoldBeyondTraining) {
  const json layer = {{"name", "cnn"}, {"kind", "cnn1"}, {"config", json::object()}};
  const auto file = read_golden_file(write("mixed.json", json::array({by_hand(), layer}).dump()));
  ASSERT_TRUE(file.ok());
  const FileResult result = run_file(*file, "cpu");
  EXPECT_EQ(result.count(Verdict::kPass), 1U);
  EXPECT_EQ(result.count(Verdict::kUnsupported), 1U);
  EXPECT_THAT(result.cases[1].detail, HasSubstr("cnn1"));
}

TEST_F(GoldenFiles, SayWhatCannotBeRead) {
  EXPECT_EQ(read_golden_file(folder_ / "absent.json").status().code(), StatusCode::kNotFound);
  const auto broken = read_golden_file(write("broken.json", "[{"));
  EXPECT_EQ(broken.status().code(), StatusCode::kDataLoss);
  EXPECT_THAT(broken.status().message(), HasSubstr("broken.json"));
  EXPECT_EQ(golden_files(folder_ / "absent").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace weft::verify
