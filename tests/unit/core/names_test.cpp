// Names: folding, the nearest known ones, and every parser's round trip and complaint.
#include "src/core/names.h"

#include <gmock/gmock.h>

#include <vector>

#include "weft/activation.hpp"
#include "weft/dtype.hpp"
#include "weft/initialise.hpp"
#include "weft/loss.hpp"
#include "weft/op.hpp"
#include "weft/optimizer.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Names, FoldingIgnoresCaseAndSeparators) {
  EXPECT_EQ(fold_name("Step-Tween_SPLIT"), "steptweensplit");
  EXPECT_EQ(lower_case("Q4_K-\xC4"), "q4_k-\xC4");
}

TEST(Names, QuotesShortenAndClean) {
  EXPECT_EQ(quote("a\nb\x7f"), "'a?b?'");
  EXPECT_EQ(quote(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Names, QuotesAreCutBetweenCharacters) {
  // The 60th byte is inside a character: of two, three and four bytes.
  EXPECT_EQ(quote(std::string(59, 'x') + "\xc3\xa4yz"), "'" + std::string(59, 'x') + "...'");
  EXPECT_EQ(quote(std::string(58, 'x') + "\xe2\x82\xacyz"), "'" + std::string(58, 'x') + "...'");
  EXPECT_EQ(quote(std::string(57, 'x') + "\xf0\x9f\x98\x80yz"), "'" + std::string(57, 'x') + "...'");
  EXPECT_EQ(quote(std::string(58, 'x') + "\xc3\xa4yz"), "'" + std::string(58, 'x') + "\xc3\xa4...'");
  EXPECT_EQ(quote(std::string(58, 'x') + "\xc3\xa4"), "'" + std::string(58, 'x') + "\xc3\xa4'");
}

TEST(Names, PrintableTextHasNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\t\x7f\xc2\x9b"
                      "2J\xc2\xa0\xc3\xa4"),
            "a?[31mb?????2J\xc2\xa0\xc3\xa4");
  EXPECT_EQ(printable(std::string(100, 'x')), std::string(100, 'x'));
  // What is no UTF-8: alone, cut off, too long a form, a surrogate; in the middle of what is.
  EXPECT_EQ(printable("\xc2"), "?");
  EXPECT_EQ(printable("a\x9b\xff\xc3\xa4\xe2\x82z"), "a??\xc3\xa4??z");
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "?????");
  EXPECT_EQ(printable("\xf0\x9f\x98\x80\xe2\x82\xac"), "\xf0\x9f\x98\x80\xe2\x82\xac");
}

TEST(Names, WithoutTheNoun) {
  EXPECT_EQ(without_noun(parse_loss("x").status().message()),
            "unknown name 'x'; nearest known: ce, mse, cross_entropy, cross-entropy");
  EXPECT_EQ(without_noun("seen 'a: unknown name b'"), "seen 'a: unknown name b'");
  EXPECT_EQ(without_noun("nothing"), "nothing");
}

TEST(Names, FewKnownNamesAreAllListedNearestFirst) {
  const std::vector<KnownName> known{{"alpha", "alpha"}, {"beta", "beta"}, {"gamma", "gamma"}};
  const Status status = unknown_name("thing", "gama", known);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "thing: unknown name 'gama'; nearest known: gamma, beta, alpha");
}

TEST(Names, OfManyTheThreeNearestAndNoneTwice) {
  std::vector<KnownName> known;
  for (const char* name : {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"})
    known.push_back({name, name});
  known.push_back({"sevn", "seven"});
  EXPECT_EQ(unknown_name("n", "sevne", known).message(), "n: unknown name 'sevne'; nearest known: seven, one, five");
}

TEST(Names, SwappedNeighboursAreOneEdit) {
  const std::vector<KnownName> known{{"form", "form"}, {"fxxm", "fxxm"}, {"from", "from"}};
  EXPECT_THAT(unknown_name("n", "fomr", known).message(), HasSubstr("nearest known: form,"));
}

TEST(Names, VeryLongNamesDoNotMatter) {
  const Status status = parse_dtype(std::string(1'000'000, 'z')).status();
  EXPECT_THAT(status.message(), HasSubstr("dtype: unknown name 'zzz"));
  EXPECT_LT(status.message().size(), 200u);
}

TEST(Parsers, EveryDtypeAndFormatRoundTrips) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(*parse_dtype(to_string(dtype)), dtype) << to_string(dtype);
  }
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    EXPECT_EQ(*parse_format(lower_case(to_string(format))), format) << to_string(format);
  }
  EXPECT_EQ(static_cast<int>(*parse_dtype("UINT3")), 33);
  EXPECT_EQ(static_cast<int>(*parse_format("q4_k")), 8);
  EXPECT_THAT(parse_dtype("flaot32").status().message(), HasSubstr("'flaot32'; nearest known: float32,"));
  EXPECT_THAT(parse_format("q4k").status().message(), HasSubstr("Q4_K"));
}

TEST(Parsers, OnlyTensorDtypesHaveASize) {
  EXPECT_EQ(element_size(DType::kFloat32), 4u);
  EXPECT_EQ(element_size(DType::kFloat64), 8u);
  EXPECT_EQ(element_size(DType::kBfloat16), 0u);
}

TEST(Parsers, SmallTablesRoundTripAndListTheirNames) {
  for (auto loss : {Loss::kMse, Loss::kCrossEntropy}) EXPECT_EQ(*parse_loss(to_string(loss)), loss);
  EXPECT_EQ(to_string(Loss::kCrossEntropy), "ce");
  EXPECT_EQ(*parse_loss("Cross_Entropy"), Loss::kCrossEntropy);
  EXPECT_EQ(*parse_loss("cross-entropy"), Loss::kCrossEntropy);
  EXPECT_THAT(parse_loss("msa").status().message(), HasSubstr("loss: unknown name 'msa'; nearest known: mse, ce"));

  for (auto kind : {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kNesterov, OptimizerKind::kAdamW}) {
    EXPECT_EQ(*parse_optimizer(to_string(kind)), kind);
  }
  EXPECT_THAT(parse_optimizer("adam").status().message(), HasSubstr("nearest known: adamw"));

  for (auto kind : {Initialiser::kUniform, Initialiser::kXavier, Initialiser::kHe, Initialiser::kZeros}) {
    EXPECT_EQ(*parse_initialiser(to_string(kind)), kind);
  }
  EXPECT_THAT(parse_initialiser("").status().message(), HasSubstr("initialiser: unknown name ''"));

  for (auto kind : {Combine::kAdd, Combine::kAvg, Combine::kConcat, Combine::kFilter}) {
    EXPECT_EQ(*parse_combine(to_string(kind)), kind);
  }
  EXPECT_THAT(parse_combine("sum").status().message(), HasSubstr("add"));
}

TEST(Parsers, AnUnknownActivationNamesAllKnownOnes) {
  const std::string message = parse_activation("rleu").status().message();
  EXPECT_THAT(message, HasSubstr("nearest known: relu,"));
  for (int i = 0; i < kActivationCount; ++i) {
    const auto activation = static_cast<Activation>(i);
    EXPECT_EQ(*parse_activation(to_string(activation)), activation);
    EXPECT_THAT(message, HasSubstr(std::string(to_string(activation))));
  }
  EXPECT_THAT(message, Not(HasSubstr("unknown activation")));
}

}  // namespace
}  // namespace weft
