// The command `weft` with --device metal, on the stand-in.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/metal/standin_here.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Ran {
  int status;
  std::string said;
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream stream(said);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
};

/// `settings` are variables of the environment, "A=b C=d".
Ran weft(const std::string& arguments, const std::string& settings = "") {
  const std::string command = settings + " '" WEFT_CLI "' " + arguments + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string said;
  char part[4096];
  for (std::size_t n = 0; (n = fread(part, 1, sizeof part, pipe)) > 0;) said.append(part, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said};
}

/// "mode=NormalBP ... loss=6.79e-06 ...": what stands before the loss, the loss, what stands behind.
struct DemoLine {
  std::string before, behind;
  double loss = 0.0;
  explicit DemoLine(const std::string& line) {
    const std::size_t at = line.find("loss=");
    if (at == std::string::npos) return;
    char* end = nullptr;
    loss = std::strtod(line.c_str() + at + 5, &end);
    before = line.substr(0, at);
    behind = end;
  }
};

TEST(MetalCommand, DemoPrintsTheLinesOfCpu) {
  const Ran cpu = weft("demo --mode all --device cpu");
  ASSERT_EQ(cpu.status, 0) << cpu.said;
  ASSERT_EQ(cpu.lines().size(), 29u) << cpu.said;
  for (const char* settings : {"", "WEFT_METAL_WAY=chip", "WEFT_STANDIN_ORDER=backwards WEFT_STANDIN_EXECUTE=thread",
                               "WEFT_STANDIN_THREADS=96"}) {
    SCOPED_TRACE(settings);
    const Ran metal = weft("demo --mode all --device metal", std::string("WEFT_STANDIN_LEAKS=1 ") + settings);
    EXPECT_EQ(metal.status, 0) << metal.said;
    ASSERT_EQ(metal.lines().size(), 29u) << metal.said;
    for (std::size_t i = 0; i < 29; ++i) {
      const DemoLine seen(metal.lines()[i]), wanted(cpu.lines()[i]);
      EXPECT_EQ(seen.before, wanted.before);
      EXPECT_EQ(seen.behind, wanted.behind);
      EXPECT_LE(golden_loss_share(seen.loss, wanted.loss), 1.0) << metal.lines()[i];
    }
  }
}

TEST(MetalCommand, DevicesNamesIt) {
  EXPECT_THAT(weft("devices").said, HasSubstr("metal       available Metal stand-in, 8.0 GiB for the GPU"));
}

TEST(MetalCommand, SaysThatThereIsNoGpu) {
  const Ran ran = weft("demo --device metal", "WEFT_STANDIN_NO_DEVICE=1");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, HasSubstr("device metal: Metal gives no default device"));
  EXPECT_THAT(weft("devices", "WEFT_STANDIN_NO_DEVICE=1").said, HasSubstr("metal       absent"));
}

TEST(MetalCommand, SaysWhatTheCompilerOfKernelsSaid) {
  // A compiler that takes no text: as when Apple's finds a mistake.
  const Ran ran = weft("demo --device metal", "WEFT_STANDIN_CLANG='echo mistake in line 7; false'");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, AllOf(HasSubstr("metal: the text of src/kernels is not compiled"),
                              HasSubstr("mistake in line 7"), HasSubstr("(code 3)")));
}

TEST(MetalCommand, SaysThatTheGpuFailed) {
  const Ran ran = weft("demo --device metal", "WEFT_STANDIN_FAIL_COMMAND=3");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, AllOf(HasSubstr("failed: Caused GPU Hang Error"), Not(HasSubstr("stand-in:"))));
}

TEST(MetalCommand, SaysWhatIsMissingWithoutARuntime) {
  const Ran ran = weft("demo --device metal", "WEFT_METAL_RUNTIME=/nowhere/libobjc.so");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, HasSubstr("/nowhere/libobjc.so cannot be loaded"));
}

TEST(MetalCommand, RefusesAWayThatIsNone) {
  const Ran ran = weft("demo --device metal", "WEFT_METAL_WAY=quickest");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.said, HasSubstr("WEFT_METAL_WAY: seen 'quickest', wanted fastest, steps or chip"));
}

}  // namespace
}  // namespace weft::test
