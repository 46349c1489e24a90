// The loader of device libraries, against real libraries built for it (tests/support/plugin).
#include "src/backend/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "weft/device.hpp"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// The environment that decides where libraries are looked for, put back at the end. What is loaded stays loaded, so
/// cases that load something run in a child process.
class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      before_.push_back(value != nullptr ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (before_[i]) {
        setenv(kNames[i], before_[i]->c_str(), 1);
      } else {
        unsetenv(kNames[i]);
      }
    }
  }

 private:
  static constexpr const char* kNames[] = {"WEFT_CUDA_LIBRARY", "WEFT_METAL_LIBRARY", "WEFT_METAL_RUNTIME"};
  std::vector<std::optional<std::string>> before_;
};

TEST_F(PluginTest, ALibraryThatIsAbsentIsNamedWithItsPlace) {
  setenv("WEFT_CUDA_LIBRARY", "/nowhere/libweft_cuda.so", 1);
  const auto backend = create_backend("cuda", DType::kFloat32);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(backend.status().message(), AllOf(HasSubstr("looked at /nowhere/libweft_cuda.so"),
                                                HasSubstr("it is not there"), HasSubstr("WEFT_CUDA_LIBRARY")));
}

TEST_F(PluginTest, AFolderMeansTheLibraryInIt) {
  setenv("WEFT_CUDA_LIBRARY", testing::TempDir().c_str(), 1);
  EXPECT_THAT(create_backend("cuda", DType::kFloat32).status().message(), HasSubstr("/libweft_cuda."));
}

TEST_F(PluginTest, ARelativeNameIsTakenFromTheCurrentFolderOnly) {
  setenv("WEFT_CUDA_LIBRARY", "libweft_cuda_of_nobody.so", 1);
  EXPECT_THAT(create_backend("cuda", DType::kFloat32).status().message(),
              HasSubstr("looked at " + (std::filesystem::current_path() / "libweft_cuda_of_nobody.so").string()));
}

TEST_F(PluginTest, WithoutAVariableItIsLookedForBesideTheLibraryAndWhereWeftIsInstalled) {
  const auto loaded = load_plugin("cuda");
  if (loaded.ok()) GTEST_SKIP() << "there is a CUDA library beside this weft";
  EXPECT_THAT(loaded.status().message(), ContainsRegex("looked at .*/libweft_cuda\\..*looked at .*/libweft_cuda\\."));
}

TEST_F(PluginTest, AFileThatIsNoLibraryIsRefused) {
  const std::string file = testing::TempDir() + "weft_no_library.so";
  std::ofstream(file) << "not a library";
  setenv("WEFT_CUDA_LIBRARY", file.c_str(), 1);
  const auto backend = create_backend("cuda", DType::kFloat32);
  EXPECT_EQ(backend.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(backend.status().message(), HasSubstr(file));
  std::filesystem::remove(file);
}

TEST_F(PluginTest, ALibraryWithoutADeviceIsRefused) {
  setenv("WEFT_CUDA_LIBRARY", WEFT_TEST_NO_PLUGIN, 1);
  const auto backend = create_backend("cuda", DType::kFloat32);
  EXPECT_EQ(backend.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(backend.status().message(), AllOf(HasSubstr(WEFT_TEST_NO_PLUGIN), HasSubstr("weft_backend_entry_v4")));
}

TEST_F(PluginTest, ALibraryOfAnotherDeviceIsRefused) {
  setenv("WEFT_METAL_RUNTIME", "stand-in", 1);
  setenv("WEFT_METAL_LIBRARY", WEFT_TEST_PLUGIN, 1);
  const auto backend = create_backend("metal", DType::kFloat32);
  EXPECT_EQ(backend.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(backend.status().message(), HasSubstr("it is device cuda"));
}

#if !(defined(__APPLE__) && defined(__aarch64__))
TEST_F(PluginTest, MetalNeedsItsSystem) {
  const auto backend = create_backend("metal", DType::kFloat32);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(backend.status().message(), StartsWith("Apple Metal needs Apple silicon macOS (this machine: "));
}

TEST_F(PluginTest, ANamedStandInForMetalMakesTheLibraryBeLookedFor) {
  setenv("WEFT_METAL_RUNTIME", "stand-in", 1);
  setenv("WEFT_METAL_LIBRARY", "/nowhere/libweft_metal.so", 1);
  const auto backend = create_backend("metal", DType::kFloat32);
  EXPECT_EQ(backend.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(backend.status().message(), AllOf(HasSubstr("looked at /nowhere/libweft_metal.so"),
                                                HasSubstr("scripts/macos_install.sh in weft's source")));
}
#endif

/// A program that loads the library, counts to one on its device and reads the count back; exits 0 where all went well.
[[noreturn]] void use_plugin() {
  setenv("WEFT_CUDA_LIBRARY", WEFT_TEST_PLUGIN, 1);
  const auto backend = create_backend("cuda", DType::kFloat32);
  if (!backend.ok()) _exit(1);
  BufferTable buffers;
  const BufferId counter = buffers.require("c", Element::kCounter, Role::kRule, 1);
  Program program;
  program.code.push_back({.op = Opcode::kCount, .out = {Operand{counter}}});
  std::uint64_t count = 0;
  if (!(*backend)->reserve(buffers).ok() || !(*backend)->run(program, {}).ok()) _exit(2);
  if (!(*backend)->read(counter, 0, &count, sizeof count).ok() || count != 1) _exit(3);
  const DeviceInfo cuda = devices()[2];
  if (!cuda.available || cuda.description != "a stand-in for tests") _exit(4);
  setenv("WEFT_CUDA_LIBRARY", "/nowhere", 1);  // once loaded it stays
  _exit(create_backend("cuda", DType::kFloat32).ok() ? 0 : 5);
}

TEST_F(PluginTest, ALibraryIsLoadedAtFirstUseAndItsDeviceRuns) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) use_plugin();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace weft::test
