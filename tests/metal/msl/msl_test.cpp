// The texts that Metal's compiler is handed, read by clang and by a lint of ours; and each mistake that these are there
// for is planted into the text and must be found.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "src/generate/kernel_text.h"
#include "tests/metal/msl/passes.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Msl : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(clang.missing(), ""); }
  Clang clang{WEFT_CLANG};
};

TEST_F(Msl, FixedKernelsAreTaken) { EXPECT_EQ(to_string(complaints(clang, entries_text())), ""); }

TEST_F(Msl, FixedKernelsAreAllThere) {
  const Said said = clang.functions(entries_text());
  ASSERT_TRUE(said.ok) << said.errors;
  for (const char* name : {
#define WEFT_KERNEL(identifier, spread, items) "step_" #identifier,
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL
           "finish_forward", "gather", "note"})
    EXPECT_THAT(said.output, HasSubstr(std::string("define dso_local spir_kernel void @") + name + "(")) << name;
}

/// A file of tests/metal/msl/mistakes: "// pass: lint" and "// says: a lambda" come first.
struct Mistake {
  std::string name, pass, says, text;
};

std::string after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("// " + key + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 5;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<Mistake> mistakes() {
  std::vector<Mistake> all;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_MSL_MISTAKES)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    all.push_back({entry.path().stem(), after(text.str(), "pass"), after(text.str(), "says"), text.str()});
  }
  std::sort(all.begin(), all.end(), [](const Mistake& a, const Mistake& b) { return a.name < b.name; });
  return all;
}

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class MslMistake : public Msl, public testing::WithParamInterface<Mistake> {};

TEST_P(MslMistake, IsFound) {
  const Mistake& mistake = GetParam();
  const std::vector<Complaint> all = complaints(clang, std::string(entries_text()) + mistake.text);
  if (mistake.pass == "none") {
    EXPECT_EQ(to_string(all), "");
    return;
  }
  ASSERT_NE(mistake.says, "") << mistake.name << " does not say what is wanted";
  const bool found = std::any_of(all.begin(), all.end(), [&](const Complaint& complaint) {
    return complaint.pass == mistake.pass && complaint.text.find(mistake.says) != std::string::npos;
  });
  EXPECT_TRUE(found) << "wanted from " << mistake.pass << ": " << mistake.says << "\nseen: " << to_string(all);
}

INSTANTIATE_TEST_SUITE_P(All, MslMistake, testing::ValuesIn(mistakes()),
                         [](const auto& info) { return info.param.name; });

TEST(MslMistakes, AreManyAndEveryPassHasSome) {
  std::set<std::string> passes;
  for (const Mistake& mistake : mistakes()) passes.insert(mistake.pass);
  EXPECT_THAT(passes, testing::UnorderedElementsAre("calls", "lint", "none", "spaces", "types"));
  EXPECT_GE(mistakes().size(), 35u);
}

TEST(MslTools, AMissingCompilerIsToldWithItsPackage) {
  EXPECT_THAT(Clang("/nowhere/clang-14").missing(), HasSubstr("Install Debian's package clang-14"));
}

}  // namespace
}  // namespace weft::test
