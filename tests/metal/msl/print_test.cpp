// The program that prints Metal source: what it prints is the text itself, and it says what it cannot print.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "src/generate/kernel_text.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct Printed {
  int code;
  std::string text;
};

Printed print(const std::string& arguments) {
  FILE* pipe = popen(("'" WEFT_PRINT_METAL_SOURCE "' " + arguments).c_str(), "r");
  std::string text;
  char part[4096];
  for (std::size_t count; (count = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, count);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

TEST(PrintMetalSource, PrintsTheFixedKernelsToTheByte) {
  const Printed printed = print("");
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.text, entries_text());
}

TEST(PrintMetalSource, PrintsAProgramOfItsSizes) {
  const Printed printed = print("--program StepBP --model 4-6-5 --batch 3");
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.text, HasSubstr("WEFT_TRAIN(weft::chip::Chip"));
  EXPECT_THAT(printed.text, HasSubstr("grad_input, delta: 3 x 6"));
  EXPECT_NE(printed.text, print("--program NormalBP --model 4-6-5 --batch 3").text);
}

TEST(PrintMetalSource, ListsKernelsAndModes) {
  const Printed printed = print("--list");
  EXPECT_EQ(printed.code, 0);
  for (const char* name : {"step_Forward\n", "gather\n", "MeshTween\n"}) EXPECT_THAT(printed.text, HasSubstr(name));
}

TEST(PrintMetalSource, SaysWhatItCannotPrint) {
  const auto expect = [](const std::string& arguments, int code, const char* said) {
    const Printed printed = print("2>&1 " + arguments);
    EXPECT_EQ(printed.code, code) << printed.text;
    EXPECT_THAT(printed.text, HasSubstr(said));
  };
  expect("--program NoSuchMode", 2, "unknown name 'NoSuchMode'");
  expect("--program StepBP --model 4", 2, "--model: seen '4'");
  expect("--program StepBP --model 512-512-512", 1, "a block has 32768");
  expect("--lanes 3", 2, "3 not in");
  expect("--nothing", 2, "--nothing");
  expect("> /dev/full", 1, "could not be written");
}

}  // namespace
}  // namespace weft::test
