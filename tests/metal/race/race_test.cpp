// Barriers: kernels run without races as they are, and each of their barriers is missed where it is left out.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "src/generate/kernel_text.h"
#include "tests/metal/emulate/barrier_sites.h"
#include "tests/metal/emulate/case_run.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct Ended {
  int code;
  std::string said;
};

/// The program whose threads are watched.
Ended watched(const std::string& arguments) {
  const std::string command = "TSAN_OPTIONS=exitcode=66:halt_on_error=1 '" WEFT_WATCHED "' " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string said;
  char part[4096];
  for (std::size_t count; (count = fread(part, 1, sizeof part, pipe)) > 0;) said.append(part, count);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said};
}

/// Whether the header is part of the kernels that are started by name: each begins with a line of its own.
bool in_entries(const std::string& file) {
  std::ifstream header(std::string(WEFT_KERNELS) + "/" + file);
  std::string line;
  std::getline(header, line);
  return entries_text().find(line) != std::string_view::npos;
}

std::vector<BarrierSite> sites_of_entries() {
  std::vector<BarrierSite> sites;
  for (BarrierSite& site : barrier_sites(WEFT_KERNELS))
    if (in_entries(site.file)) sites.push_back(std::move(site));
  return sites;
}

/// What is wrong with the numbers of kernels that have barriers, by turns on one thread; empty where nothing is.
std::string wrong_on_fibers() {
  for (const StepKernel& kernel : step_kernels()) {
    if (kernel.spread != Spread::kTiles && kernel.spread != Spread::kOneGroup) continue;
    for (const KernelCase& made : kernel_cases(static_cast<Opcode>(kernel.op))) {
      const CaseResult wanted = run_on_cpu(made);
      for (const bool backwards : {false, true}) {
        std::string wrong;
        const CaseResult seen = run_emulated(made, kernel, {1, 33}, backwards, wrong);
        if (wrong.empty()) wrong = difference(made, seen, wanted);
        if (!wrong.empty()) return made.name + ": " + wrong;
      }
    }
  }
  return "";
}

TEST(Race, KernelsHaveNone) {
  const Ended ended = watched("");
  EXPECT_EQ(ended.code, 0) << ended.said.substr(0, 4000);
  EXPECT_THAT(ended.said, HasSubstr("runs of 29 kernels"));
}

TEST(Race, AllBarriersOfTheTextAreKnown) {
  std::size_t in_text = 0;
  for (const std::string_view call : {"team.barrier();", "{ WEFT_BARRIER(); }"})
    for (std::size_t at = entries_text().find(call); at != std::string_view::npos;
         at = entries_text().find(call, at + 1))
      ++in_text;
  const std::vector<BarrierSite> sites = sites_of_entries();
  EXPECT_EQ(sites.size() + 1, in_text) << "the one more is in the definition of Team::barrier";
  EXPECT_EQ(wrong_on_fibers(), "");
  EXPECT_EQ(sites_met(), sites.size());
  for (const BarrierSite& site : sites) EXPECT_TRUE(was_met(site)) << to_string(site) << " is never come to";
}

class MissingBarrier : public testing::TestWithParam<BarrierSite> {
 protected:
  void TearDown() override { leave_out(nullptr); }
};

TEST_P(MissingBarrier, IsNoticed) {
  leave_out(&GetParam());
  const std::string numbers = wrong_on_fibers();
  const Ended ended = watched("--without " + to_string(GetParam()));
  const bool race = ended.code == 66 && ended.said.find("ThreadSanitizer: data race") != std::string::npos;
  RecordProperty("numbers", numbers);
  RecordProperty("race", race ? "seen" : "not seen");
  EXPECT_TRUE(race || !numbers.empty()) << "exit code " << ended.code << '\n' << ended.said.substr(0, 2000);
}

INSTANTIATE_TEST_SUITE_P(All, MissingBarrier, testing::ValuesIn(sites_of_entries()), [](const auto& info) {
  std::string name = to_string(info.param);
  for (char& c : name)
    if (c == '.' || c == ':') c = '_';
  return name;
});

}  // namespace
}  // namespace weft::test
