// Weights by name out of files that others wrote.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/io/safetensors_bytes.h"
#include "tests/unit/io/temporary_folder.h"
#include "weft/model_file.hpp"

namespace weft {
namespace {

using test::raw;
using test::safetensors;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 3 -> 2 with a bias, 2 -> 1 without, every weight 9, so that what was not taken can be told.
Model example(DType dtype = DType::kFloat32) {
  Stack model{dense(3, 2, relu, {.bias = true, .dtype = dtype, .name = "fc1"}), dense(2, 1, linear, {.dtype = dtype})};
  model.initialise({.initialiser = Initialiser::kZeros}).value();
  for (Dense* leaf : leaves(model)) {
    std::ranges::fill(leaf->weight.mutable_values<float>(), 9.0f);
    std::ranges::fill(leaf->weight.mutable_values<double>(), 9.0);
    if (leaf->bias) std::ranges::fill(leaf->bias->mutable_values<float>(), 9.0f);
  }
  return model;
}

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) all.push_back(tensor.at(i));
  return all;
}

const Dense& leaf(const Model& model, std::size_t i) { return *leaves(std::get<Stack>(model))[i]; }

// Imports these bytes; the folder goes, so no message may be needed later than the report.
Result<ImportReport> import_bytes(Model& model, const std::string& bytes,
                                  const std::map<std::string, std::string>& renames = {}) {
  const test::TemporaryFolder folder;
  test::spill(folder / "F", bytes);
  auto report = import_weights(model, folder / "F", renames);
  if (!report.ok()) {
    EXPECT_THAT(report.status().message(), HasSubstr((folder / "F").string()));
  }
  return report;
}

std::vector<std::string> fates(const ImportReport& report) {
  std::vector<std::string> all;
  for (const auto& tensor : report.tensors) all.emplace_back(to_string(tensor.fate));
  return all;
}

const std::string kSix = raw<float>({1, 2, 3, 4, 5, 6}), kTwo = raw<float>({7, 8});

TEST(Import, EveryTypeOfNumber) {
  Model model = example();
  const auto report =
      import_bytes(model, safetensors({{"leaf.2.weight", "F64", "[1,2]", raw<double>({0.1, -2})},
                                       {"leaf.1.weight", "F16", "[2,3]",
                                        raw<std::uint16_t>({0x3c00, 0x4000, 0x4200, 0x4400, 0x0001, 0xc600})},
                                       {"leaf.1.bias", "BF16", "[2]", raw<std::uint16_t>({0x3fc0, 0x0001})}}));
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->complete());
  EXPECT_THAT(report->unused, IsEmpty());
  EXPECT_THAT(numbers(leaf(model, 0).weight), ElementsAre(1, 2, 3, 4, 0x1p-24, -6));
  EXPECT_THAT(numbers(*leaf(model, 0).bias), ElementsAre(1.5, 0x1p-133));
  EXPECT_THAT(numbers(leaf(model, 1).weight), ElementsAre(static_cast<double>(0.1f), -2));
  EXPECT_EQ(leaf(model, 1).weight.dtype(), DType::kFloat32);
  const ImportedTensor& first = report->tensors[0];
  EXPECT_EQ(first.name, "leaf.1.weight");
  EXPECT_EQ(first.from, "leaf.1.weight");
  EXPECT_EQ(first.type, "F16");
  EXPECT_EQ(first.wanted, (Shape{2, 3}));
  EXPECT_EQ(first.seen, (Shape{2, 3}));
}

TEST(Import, IntoDoubles) {
  Model model = example(DType::kFloat64);
  const auto report =
      import_bytes(model, safetensors({{"leaf.1.weight", "F32", "[2,3]", kSix},
                                       {"leaf.1.bias", "F64", "[2]", raw<double>({0.1, 1e300})},
                                       {"leaf.2.weight", "BF16", "[1,2]", raw<std::uint16_t>({0x3f80, 0xbf80})}}));
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(leaf(model, 0).weight.dtype(), DType::kFloat64);
  EXPECT_THAT(numbers(leaf(model, 0).weight), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(numbers(*leaf(model, 0).bias), ElementsAre(0.1, 1e300));
  EXPECT_THAT(numbers(leaf(model, 1).weight), ElementsAre(1, -1));
}

TEST(Import, WhatDoesNotFitIsReportedAndLeft) {
  Model model = example();
  const auto report = import_bytes(model, safetensors({{"leaf.1.weight", "F32", "[3,2]", kSix},
                                                       {"leaf.1.bias", "I64", "[2]", raw<std::int64_t>({1, 2})},
                                                       {"steps", "U64", "[]", raw<std::uint64_t>({1})},
                                                       {"deep", "BOOL", "[1,1,1,1,1,1,1,1,1]", "x"}}));
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_FALSE(report->complete());
  EXPECT_THAT(fates(*report), ElementsAre("other shape", "other type", "missing"));
  EXPECT_EQ(report->tensors[0].seen, (Shape{3, 2}));
  EXPECT_EQ(report->tensors[1].type, "I64");
  EXPECT_EQ(report->tensors[2].from, "");
  EXPECT_EQ(report->tensors[2].wanted, (Shape{1, 2}));
  EXPECT_THAT(report->unused, ElementsAre("steps", "deep"));
  EXPECT_THAT(numbers(leaf(model, 0).weight), ElementsAre(9, 9, 9, 9, 9, 9));
  EXPECT_THAT(numbers(*leaf(model, 0).bias), ElementsAre(9, 9));
  EXPECT_THAT(numbers(leaf(model, 1).weight), ElementsAre(9, 9));
}

TEST(Import, NumbersThatAreNotFinite) {
  const auto fate = [](const std::string& type, const std::string& data) {
    Model model = example();
    const auto report = import_bytes(model, safetensors({{"leaf.2.weight", type, "[1,2]", data}}));
    EXPECT_EQ(numbers(leaf(model, 1).weight)[0] == 9, report->tensors[2].fate != ImportedTensor::Fate::kTaken);
    return std::string(to_string(report->tensors[2].fate));
  };
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(fate("F32", raw<float>({1, std::nanf("")})), "not finite");
  EXPECT_EQ(fate("F32", raw<float>({1, -inf})), "not finite");
  EXPECT_EQ(fate("F64", raw<double>({std::nan(""), 1})), "not finite");
  EXPECT_EQ(fate("F64", raw<double>({1e39, 1})), "too large for float32");
  EXPECT_EQ(fate("F64", raw<double>({1e300, std::nan("")})), "not finite");
  EXPECT_EQ(fate("F64", raw<double>({1e38, 1})), "taken");
  EXPECT_EQ(fate("F16", raw<std::uint16_t>({0x7c00, 0})), "not finite");
  EXPECT_EQ(fate("F16", raw<std::uint16_t>({0x3c00, 0x7e00})), "not finite");
  EXPECT_EQ(fate("F16", raw<std::uint16_t>({0x3c00, 0x7bff})), "taken");
  EXPECT_EQ(fate("BF16", raw<std::uint16_t>({0x3f80, 0xff80})), "not finite");
  EXPECT_EQ(fate("BF16", raw<std::uint16_t>({0x3f80, 0x7fc0})), "not finite");
}

TEST(Import, Renames) {
  const std::string bytes = safetensors({{"fc1.weight", "F32", "[2,3]", kSix},
                                         {"fc1.bias", "F32", "[2]", kTwo},
                                         {"body.fc2.weight", "F32", "[1,2]", kTwo},
                                         {"fc10.weight", "F32", "[1,2]", kTwo}});
  Model model = example();
  const auto report = import_bytes(model, bytes, {{"fc1", "leaf.1"}, {"body.fc2.weight", "leaf.2.weight"}});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->complete());
  EXPECT_THAT(report->unused, ElementsAre("fc10.weight"));  // "fc1" ends at a point
  EXPECT_EQ(report->tensors[2].from, "body.fc2.weight");
  EXPECT_THAT(numbers(leaf(model, 1).weight), ElementsAre(7, 8));
  // The longest part that is renamed decides.
  Model other = example();
  const auto longest = import_bytes(other, bytes, {{"body", "b"}, {"body.fc2", "leaf.2"}, {"fc1.bias", "leaf.1.bias"}});
  ASSERT_TRUE(longest.ok()) << longest.status().message();
  EXPECT_THAT(fates(*longest), ElementsAre("missing", "taken", "taken"));
}

TEST(Import, TwoLeavesChangePlaces) {
  Stack model{dense(1, 1), dense(1, 1)};
  model.initialise().value();
  Model either = model;
  const auto report = import_bytes(either,
                                   safetensors({{"leaf.1.weight", "F32", "[1,1]", raw<float>({1})},
                                                {"leaf.2.weight", "F32", "[1,1]", raw<float>({2})}}),
                                   {{"leaf.1", "leaf.2"}, {"leaf.2", "leaf.1"}});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(leaf(either, 0).weight.at(0), 2.0);
  EXPECT_EQ(leaf(either, 1).weight.at(0), 1.0);
}

TEST(Import, RenamesThatAreRefused) {
  const std::string bytes =
      safetensors({{"fc1.weight", "F32", "[2,3]", kSix}, {"leaf.1.weight", "F32", "[2,3]", kSix}});
  const auto complaint = [&](const std::map<std::string, std::string>& renames) {
    Model model = example();
    const auto report = import_bytes(model, bytes, renames);
    EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(numbers(leaf(model, 0).weight)[0], 9.0);
    return report.status().message();
  };
  EXPECT_THAT(complaint({{"fc1", "leaf.1"}}),
              HasSubstr("'fc1.weight' and 'leaf.1.weight' both come to 'leaf.1.weight', wanted one"));
  EXPECT_THAT(complaint({{"fc2", "leaf.1"}}),
              HasSubstr("F': rename: unknown name 'fc2'; nearest known: 'fc1.weight', 'leaf.1.weight'"));
  EXPECT_THAT(complaint({{"fc", "leaf.1"}}), HasSubstr("unknown name 'fc'"));
  EXPECT_THAT(complaint({{"", "leaf.1"}}), HasSubstr("rename '' to 'leaf.1', wanted two names"));
}

TEST(Import, FilesThatAreDamagedChangeNothing) {
  Model model = example();
  const std::string good = safetensors({{"leaf.1.weight", "F32", "[2,3]", kSix}, {"leaf.1.bias", "F32", "[2]", kTwo}});
  for (std::size_t n = 0; n < good.size(); ++n) {
    const auto report = import_bytes(model, good.substr(0, n));
    ASSERT_EQ(report.status().code(), StatusCode::kDataLoss) << n;
    EXPECT_THAT(report.status().message(), HasSubstr("import: read '"));
  }
  EXPECT_EQ(numbers(leaf(model, 0).weight)[0], 9.0);
  EXPECT_EQ(import_weights(model, "/nonexistent/file").status().code(), StatusCode::kNotFound);
  Model sixteen = Stack{dense(2, 2, linear, {.dtype = DType::kBfloat16})};
  const Status status = import_weights(sixteen, "/nonexistent/file").status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("import: dense (leaf 1): dtype bfloat16, wanted float32 or float64"));
}

TEST(Import, WhatWasSavedComesBack) {
  const test::TemporaryFolder folder;
  Stack model{dense(3, 2, relu, {.bias = true}), dense(2, 2)};
  model.initialise({.seed = 4}).value();
  ASSERT_TRUE(save(model, folder.path()).ok());
  Model other = Stack{dense(3, 2, relu, {.bias = true}), dense(2, 2)};  // without weights
  const auto report = import_weights(other, folder / "weights.safetensors");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->complete());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(numbers(leaf(other, i).weight), numbers(leaf(Model(model), i).weight));
}

}  // namespace
}  // namespace weft
