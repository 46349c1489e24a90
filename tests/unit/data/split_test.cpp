// Parts by class, the same for one seed; scaling and filling by the training part alone.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/data/complaint.h"

namespace weft {
namespace {

using data::Dataset;
using data::ScalingKind;
using data::SplitOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// One feature, the row's number; `counts[c]` rows of class c, mixed.
Dataset rows_of(std::vector<int> counts) {
  Dataset d;
  d.source = "test";
  std::vector<float> values;
  for (std::size_t c = 0; c < counts.size(); ++c) d.classes.push_back(std::to_string(c));
  for (bool any = true; any;) {
    any = false;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (counts[c]-- <= 0) continue;
      any = true;
      d.labels.push_back(static_cast<std::int32_t>(c));
      values.push_back(static_cast<float>(values.size()));
    }
  }
  const auto n = static_cast<std::int64_t>(values.size());
  d.inputs = Tensor(Shape{n, 1}, std::move(values));
  return d;
}

std::vector<std::int64_t> count(const data::Samples& samples, std::size_t classes) {
  std::vector<std::int64_t> counts(classes, 0);
  for (const auto label : samples.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

std::string complaint(const Dataset& dataset, const SplitOptions& options) {
  const auto split = data::split(dataset, options);
  return split.ok() ? "ok" : split.status().message();
}

TEST(Split, EachClassHasItsShare) {
  const Dataset d = rows_of({100, 50, 10});
  const auto s = data::split(d, {.validation = 0.1, .test = 0.2, .scaling = ScalingKind::kNone});
  ASSERT_TRUE(s.ok()) << s.status().message();
  EXPECT_THAT(count(s->test, 3), ElementsAre(20, 10, 2));
  EXPECT_THAT(count(s->validation, 3), ElementsAre(10, 5, 1));
  EXPECT_THAT(count(s->train, 3), ElementsAre(70, 35, 7));
  // Every row is in one part, with its label, in the order of the source.
  std::vector<float> all;
  for (const auto* part : {&s->train, &s->validation, &s->test}) {
    const auto values = test::numbers(part->inputs);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(part->labels[i], d.labels[static_cast<std::size_t>(values[i])]);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(part->targets.at(static_cast<std::int64_t>(3 * i + c)),
                  static_cast<std::size_t>(part->labels[i]) == c ? 1.0 : 0.0);
      }
    }
    all.insert(all.end(), values.begin(), values.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, test::numbers(d.inputs));
}

TEST(Split, SmallClassesSumUpAndStayInTraining) {
  const auto s = data::split(rows_of({1, 1, 1, 3, 3, 3, 3, 3, 3, 3}), {.test = 0.25});
  ASSERT_TRUE(s.ok()) << s.status().message();
  EXPECT_EQ(s->test.size(), 6);
  const auto kept = count(s->train, 10);
  EXPECT_EQ(*std::min_element(kept.begin(), kept.end()), 1);
}

TEST(Split, TheSeedDecides) {
  const Dataset d = rows_of({40, 40});
  const auto test_of = [&](std::uint64_t seed) {
    return test::numbers(data::split(d, {.seed = seed, .scaling = ScalingKind::kNone})->test.inputs);
  };
  EXPECT_EQ(test_of(1), test_of(1));
  EXPECT_NE(test_of(1), test_of(2));
  EXPECT_EQ(test_of(1).size(), 16u);  // 0.2 where nothing is said
}

TEST(Split, ATestPartOfTheSource) {
  Dataset d = rows_of({10, 10});
  d.test_rows = 4;
  const auto s = data::split(d, {.validation = 0.25, .scaling = ScalingKind::kNone});
  ASSERT_TRUE(s.ok()) << s.status().message();
  EXPECT_THAT(test::numbers(s->test.inputs), ElementsAre(16, 17, 18, 19));
  EXPECT_EQ(s->validation.size(), 4);
  EXPECT_EQ(s->train.size(), 12);
  EXPECT_EQ(complaint(d, {.test = 0.1}), "split: test share: 0.1, wanted none: test has 4 test rows of its own");
}

TEST(Split, NoTestPart) {
  const auto s = data::split(rows_of({5, 5}), {.test = 0.0});
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->test.size(), 0);
  EXPECT_EQ(s->validation.size(), 0);
  EXPECT_EQ(s->train.size(), 10);
}

TEST(Split, Regression) {
  Dataset d;
  d.task = data::Task::kRegression;
  d.inputs = Tensor(Shape{10, 1}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  d.targets = Tensor(Shape{10, 1}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto s = data::split(d, {.test = 0.3, .scaling = ScalingKind::kNone, .target_scaling = ScalingKind::kNone});
  ASSERT_TRUE(s.ok()) << s.status().message();
  EXPECT_EQ(s->test.size(), 3);
  EXPECT_EQ(test::numbers(s->test.inputs), test::numbers(s->test.targets));
  EXPECT_THAT(s->test.labels, IsEmpty());
}

// Four targets 1e5 and more, of two kinds.
Dataset prices() {
  Dataset d;
  d.source = "prices";
  d.task = data::Task::kRegression;
  d.inputs = Tensor(Shape{4, 1}, std::vector<float>{0, 1, 2, 3});
  d.targets = Tensor(Shape{4, 2}, std::vector<float>{100000, 7, 200000, 7, 300000, 7, 400000, 7});
  return d;
}

TEST(Split, TargetsOfARegressionAreScaled) {
  Dataset d = prices();
  d.test_rows = 1;
  const auto s = data::split(d);
  ASSERT_TRUE(s.ok()) << s.status().message();
  // By the training part alone; a constant target is only shifted.
  EXPECT_EQ(s->target_scaling.kind, ScalingKind::kStandardise);
  EXPECT_THAT(s->target_scaling.offset, ElementsAre(200000, 7));
  EXPECT_DOUBLE_EQ(s->target_scaling.factor[0], 1.0 / (100000 * std::sqrt(2.0 / 3.0)));
  EXPECT_EQ(s->target_scaling.factor[1], 1.0);
  const float unit = static_cast<float>(std::sqrt(1.5));
  EXPECT_THAT(test::numbers(s->train.targets), ElementsAre(-unit, 0, 0, 0, unit, 0));
  EXPECT_THAT(test::numbers(s->test.targets), ElementsAre(::testing::FloatEq(2 * unit), 0));
  Tensor back = s->test.targets;
  ASSERT_TRUE(s->target_scaling.undo(back).ok());
  EXPECT_THAT(test::numbers(back), ElementsAre(400000, 7));
  const auto raw = data::split(d, {.target_scaling = ScalingKind::kNone});
  EXPECT_THAT(test::numbers(raw->test.targets), ElementsAre(400000, 7));
  EXPECT_EQ(data::split(rows_of({5, 5}))->target_scaling, data::Scaling());  // classes are not scaled
}

TEST(Split, InPlaceIsTheSameAndKeepsToTheMemory) {
  for (Dataset d : {rows_of({40, 30}), prices()}) {
    const SplitOptions options{.validation = 0.25, .test = 0.25};
    const auto copied = data::split(d, options);
    ASSERT_TRUE(copied.ok()) << copied.status().message();
    Dataset gone = d;
    const auto moved = data::split_in_place(gone, options);
    ASSERT_TRUE(moved.ok()) << moved.status().message();
    EXPECT_EQ(gone.size(), 0);
    EXPECT_EQ(gone.classes, d.classes);
    EXPECT_EQ(moved->checksum, copied->checksum);
    for (const auto& [a, b] :
         {std::pair(&moved->train, &copied->train), std::pair(&moved->validation, &copied->validation),
          std::pair(&moved->test, &copied->test)}) {
      EXPECT_EQ(test::numbers(a->inputs), test::numbers(b->inputs));
      EXPECT_EQ(test::numbers(a->targets), test::numbers(b->targets));
      EXPECT_EQ(a->labels, b->labels);
    }
  }
  // 80 rows of a feature, 24 of them copied, 2 targets each and 24 bytes: 104 x 4 + 160 x 4 + 1920.
  Dataset d = rows_of({40, 40});
  d.memory = 2975;
  const auto refused = data::split_in_place(d, {.test = 0.3});
  EXPECT_EQ(refused.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("split: 80 rows x 1 features x 4 bytes, 24 of them copied for validation and test, and 2 "
                        "targets each = 2.976e-06 GB of memory, wanted at most 2.975e-06 GB"));
  d.memory = 2976;
  EXPECT_TRUE(data::split_in_place(d, {.test = 0.3}).ok());
}

TEST(Split, TheChecksumIsOfAllNumbers) {
  const Dataset d = rows_of({4, 4});
  const auto sum = [](const Dataset& dataset) { return data::split(dataset)->checksum; };
  EXPECT_EQ(sum(d), sum(Dataset(d)));
  Dataset other = d;
  other.inputs.mutable_values<float>()[7] = 100;
  EXPECT_NE(sum(d), sum(other));
  other = d;
  std::swap(other.inputs.mutable_values<float>()[0], other.inputs.mutable_values<float>()[1]);
  EXPECT_NE(sum(d), sum(other));
  other = d;
  std::swap(other.labels[0], other.labels[1]);
  EXPECT_NE(sum(d), sum(other));
  other = prices();
  other.targets.mutable_values<float>()[5] = 8;
  EXPECT_NE(sum(prices()), sum(other));
}

TEST(Split, ErrorsNameColumns) {
  const auto read = [](const std::string& text) {
    return test::read_text(text, {.missing = data::Missing::kMean}).value();
  };
  Dataset d = read("size,b,y\n1,,0\n2,,1\n3,,0\n4,5,1\n");
  d.source = "csv: F";
  d.test_rows = 1;
  EXPECT_EQ(complaint(d, {}), "csv: F: scaling: feature 1 'b' has no value in the training part, wanted one");
  d = read("size,b,y\n1,1,0\n2,2,1\n3,3,0\n,5,1\n");
  d.source = "csv: F";
  d.test_rows = 1;
  EXPECT_EQ(complaint(d, {}), "csv: F:5: feature 0 'size': missing, wanted a number: the training part lacks none");
  d.first_line = 0;
  EXPECT_EQ(complaint(d, {}),
            "csv: F: row 3, feature 0 'size': missing, wanted a number: the training part lacks none");
}

TEST(Split, WhatCannotBe) {
  const Dataset d = rows_of({4, 4});
  EXPECT_EQ(complaint(d, {.validation = 1.0}), "split: validation share: 1, wanted at least 0 and less than 1");
  EXPECT_THAT(complaint(d, {.test = -0.1}), HasSubstr("test share: -0.1, wanted"));
  EXPECT_THAT(complaint(d, {.test = std::nan("")}), HasSubstr("test share: nan, wanted"));
  EXPECT_THAT(complaint(d, {.validation = 0.5, .test = 0.5}),
              HasSubstr("shares 0.5 for validation and 0.5 for testing"));
  EXPECT_THAT(complaint(d, {.test = 0.01}), HasSubstr("test share: 0.01 of 8 rows leaves none"));
  Dataset unlabelled = d;
  unlabelled.labels.clear();
  EXPECT_EQ(complaint(unlabelled, {}), "split: test has 8 rows, wanted rows with a label each");
  EXPECT_THAT(complaint(Dataset(), {}), HasSubstr("has 0 rows, wanted rows with a label"));
}

// ---- scaling ----

Tensor table(std::vector<float> values, std::int64_t features = 2) {
  const auto n = static_cast<std::int64_t>(values.size()) / features;
  return Tensor(Shape{n, features}, std::move(values));
}

TEST(Scaling, IsFittedOnTheTrainingPartAlone) {
  // Rows for testing lie far outside; the training part fills [0, 1] itself.
  Dataset d = rows_of({6, 6});
  auto values = d.inputs.mutable_values<float>();
  d.test_rows = 2;
  values[10] = 1000.0f;
  const auto s = data::split(d, {.scaling = ScalingKind::kUnit});
  ASSERT_TRUE(s.ok()) << s.status().message();
  const auto train = test::numbers(s->train.inputs);
  EXPECT_EQ(*std::min_element(train.begin(), train.end()), 0.0f);
  EXPECT_EQ(*std::max_element(train.begin(), train.end()), 1.0f);
  EXPECT_FLOAT_EQ(test::numbers(s->test.inputs)[0], 1000.0f / 9.0f);
  EXPECT_THAT(s->scaling.offset, ElementsAre(0.0));
}

TEST(Scaling, PerFeatureOrForAll) {
  const Tensor inputs = table({0, 10, 4, 30});
  auto each = data::fit_scaling(ScalingKind::kUnit, inputs, false);
  EXPECT_THAT(each->offset, ElementsAre(0.0, 10.0));
  EXPECT_THAT(each->factor, ElementsAre(0.25, 0.05));
  auto all = data::fit_scaling(ScalingKind::kUnit, inputs, true);
  EXPECT_THAT(all->offset, ElementsAre(0.0));
  EXPECT_THAT(all->factor, ElementsAre(1.0 / 30.0));
  Tensor scaled = inputs;
  ASSERT_TRUE(each->apply(scaled).ok());
  EXPECT_THAT(test::numbers(scaled), ElementsAre(0, 0, 1, 1));
  scaled = inputs;
  ASSERT_TRUE(all->apply(scaled).ok());
  EXPECT_THAT(test::numbers(scaled), ElementsAre(0, 10.0f / 30.0f, 4.0f / 30.0f, 1));
}

TEST(Scaling, StandardiseAndConstants) {
  Tensor inputs = table({1, 7, 3, 7, 5, 7});
  const auto s = data::fit_scaling(ScalingKind::kStandardise, inputs, false);
  EXPECT_THAT(s->offset, ElementsAre(3.0, 7.0));
  EXPECT_DOUBLE_EQ(s->factor[0], 1.0 / std::sqrt(8.0 / 3.0));
  EXPECT_EQ(s->factor[1], 1.0);
  ASSERT_TRUE(s->apply(inputs).ok());
  EXPECT_FLOAT_EQ(test::numbers(inputs)[0], static_cast<float>(-2.0 / std::sqrt(8.0 / 3.0)));
  EXPECT_EQ(test::numbers(inputs)[1], 0.0f);
}

TEST(Scaling, MissingValuesBecomeTheMean) {
  Tensor inputs = table({1, kMissing, 3, 4, kMissing, 6});
  const auto s = data::fit_scaling(ScalingKind::kNone, inputs, false);
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(s->fill, ElementsAre(2.0, 5.0));
  ASSERT_TRUE(s->apply(inputs).ok());
  EXPECT_THAT(test::numbers(inputs), ElementsAre(1, 5, 3, 4, 2, 6));
  Tensor unknown = table({1, kMissing});
  EXPECT_THAT(data::Scaling().apply(unknown).message(), HasSubstr("scaling: row 0, feature 1: missing"));
  EXPECT_THAT(data::fit_scaling(ScalingKind::kNone, table({1, kMissing, 2, kMissing}), false).status().message(),
              HasSubstr("scaling: feature 1 has no value in the training part"));
}

TEST(Scaling, WhatCannotBe) {
  Tensor inputs = table({1, 2, 3}, 3);
  const auto s = data::fit_scaling(ScalingKind::kUnit, table({1, 2, 3, 4}), false);
  EXPECT_EQ(s->apply(inputs).message(), "scaling: made for 2 features, the inputs have 3");
  Tensor doubles(Shape{1, 2}, DType::kFloat64);
  EXPECT_THAT(s->apply(doubles).message(), HasSubstr("of float64, wanted [rows, features] of float32"));
  const std::vector<float> memory = {1, 2};
  Tensor view = Tensor::view(Shape{1, 2}, std::span<const float>(memory));
  EXPECT_THAT(s->apply(view).message(), HasSubstr("a view, wanted a tensor that owns"));
  Tensor huge = table({3e38f, 1});
  const data::Scaling wide{ScalingKind::kUnit, {0.0}, {10.0}, {}};
  EXPECT_THAT(wide.apply(huge).message(), HasSubstr("row 0, feature 0: 3.0"));
  EXPECT_THAT(data::fit_scaling(ScalingKind::kUnit, Tensor(Shape{0, 2}), false).status().message(),
              HasSubstr("no training rows"));
}

TEST(Scaling, TheWayBack) {
  const data::Scaling scaling{ScalingKind::kStandardise, {1e5, 3}, {1e-4, 1}, {}};
  Tensor outputs = table({0, 0, 1.5f, -2});
  ASSERT_TRUE(scaling.undo(outputs).ok());
  EXPECT_THAT(test::numbers(outputs), ElementsAre(100000, 3, 115000, 1));
  ASSERT_TRUE(data::Scaling().undo(outputs).ok());  // of the kind none
  EXPECT_THAT(test::numbers(outputs), ElementsAre(100000, 3, 115000, 1));
  Tensor huge = table({1, 2, 3e38f, 1});
  EXPECT_THAT(scaling.undo(huge).message(), HasSubstr("scaling: row 1, feature 0: 3.00000000"));
  Tensor narrow = table({1}, 1);
  EXPECT_THAT(scaling.undo(narrow).message(), HasSubstr("made for 2 features, the inputs have 1"));
}

TEST(Scaling, LargeAndConstantTargets) {
  Tensor targets = table({3e38f, 16777216, -3e38f, 16777216});
  const auto s = data::fit_scaling(ScalingKind::kStandardise, targets, false);
  ASSERT_TRUE(s.ok()) << s.status().message();
  ASSERT_TRUE(s->apply(targets).ok());
  EXPECT_THAT(test::numbers(targets), ElementsAre(1, 0, -1, 0));
  ASSERT_TRUE(s->undo(targets).ok());
  EXPECT_THAT(test::numbers(targets), ElementsAre(3e38f, 16777216, -3e38f, 16777216));
}

TEST(Scaling, AsJson) {
  const data::Scaling scaling{ScalingKind::kStandardise, {0.1, -3e-300}, {1.0 / 3.0, 2.0}, {1.0, 2.5}};
  const auto back = data::scaling_from_json(to_json(scaling));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, scaling);
  const auto wrong = [](const char* text) { return data::scaling_from_json(text).status().message(); };
  EXPECT_EQ(wrong(R"({"kind":"unit","offset":[0],"factor":["1"],"fill":[]})"),
            "scaling.factor[0]: '1', wanted a finite number");
  EXPECT_THAT(wrong(R"({"kind":"unit","offset":[0],"factor":[1],"fill":[],"x":1})"),
              HasSubstr("scaling: unknown key 'x'"));
  EXPECT_THAT(wrong(R"({"kind":"unit","offset":[0],"factor":[1]})"), HasSubstr("the key 'fill' is missing"));
  EXPECT_THAT(wrong(R"({"kind":"zebra","offset":[0],"factor":[1],"fill":[]})"),
              HasSubstr("scaling.kind: 'zebra', wanted none"));
  EXPECT_THAT(wrong(R"({"kind":"unit","offset":[0],"factor":[1,2],"fill":[]})"),
              HasSubstr("scaling.factor: a list of 2, wanted"));
  EXPECT_THAT(wrong(R"({"kind":"none","offset":[0],"factor":[1],"fill":[]})"),
              HasSubstr("wanted none for the kind none"));
  EXPECT_THAT(wrong("{"), HasSubstr("scaling: parse error"));
}

}  // namespace
}  // namespace weft
