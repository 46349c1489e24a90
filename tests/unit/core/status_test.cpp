// Status, Result and the macros of early return.
#include "weft/status.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "src/core/try.h"
#include "weft/version.hpp"

namespace weft {
namespace {

TEST(Status, OkByDefault) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.message(), "");
  EXPECT_NO_THROW(status.value());
}

TEST(Status, ValueThrowsAnErrorWithCodeAndMessage) {
  const Status status(StatusCode::kNotFound, "read 'x': gone");
  try {
    status.value();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kNotFound);
    EXPECT_STREQ(error.what(), "read 'x': gone");
  }
}

TEST(Status, EveryCodeHasItsOwnWords) {
  std::set<std::string> words;
  for (int code = 0; code <= static_cast<int>(StatusCode::kInternal); ++code)
    words.insert(to_string(static_cast<StatusCode>(code)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(StatusCode::kInternal) + 1);
  EXPECT_EQ(words.count("unknown status code"), 0u);
}

TEST(Result, HoldsAValueOrAStatus) {
  Result<std::unique_ptr<int>> good(std::make_unique<int>(7));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(**good, 7);
  const std::unique_ptr<int> moved = std::move(good).value();
  EXPECT_EQ(*moved, 7);
  const Result<int> bad(Status(StatusCode::kIo, "no"));
  EXPECT_FALSE(bad.ok());
  EXPECT_THROW((void)bad.value(), Error);
}

Result<int> half(int x) {
  if (x % 2 != 0) return Status(StatusCode::kInvalidArgument, "half: odd");
  return x / 2;
}

Result<int> quarter(int x) {
  WEFT_ASSIGN_OR_RETURN(const int once, half(x));
  WEFT_ASSIGN_OR_RETURN(const int twice, half(once));
  WEFT_RETURN_IF_ERROR(Status());
  return twice;
}

TEST(Try, ReturnsEarly) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).status().message(), "half: odd");
  EXPECT_EQ(quarter(5).status().code(), StatusCode::kInvalidArgument);
}

TEST(Version, IsThreeNumbers) {
  const std::string text = version();
  EXPECT_EQ(std::count(text.begin(), text.end(), '.'), 2);
  EXPECT_EQ(text.find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace weft
