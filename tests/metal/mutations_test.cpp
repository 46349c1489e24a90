// Mistakes planted into the backend: each into a copy of one file, compiled into a library of its own, and the workload
// run on that. Whatever does not make the workload fail is a hole in the stand-in or in the tests.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace weft::test {
namespace {

namespace fs = std::filesystem;

struct Mutation {
  const char* name;
  const char* file;
  const char* compiled;
  const char* from;
  const char* to;
  const char* says;
};

void PrintTo(const Mutation& mutation, std::ostream* out) { *out << mutation.name; }

constexpr Mutation kMutations[] = {
#define WEFT_MUTATION(name, ...) {#name, __VA_ARGS__},
#include "tests/metal/mutations/mutations.def"
#undef WEFT_MUTATION
};

constexpr const char* kFolder = "src/backend/metal";

std::string contents(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Ran {
  int status;  // -1: by a signal
  std::string said;
};
Ran run(const std::string& command) {
  FILE* const pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  std::string said;
  char part[4096];
  for (std::size_t n = 0; (n = fread(part, 1, sizeof part, pipe)) > 0;) said.append(part, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said};
}

/// How the build compiles a file of the backend: the command up to the name of what is made, and that name.
struct Compilation {
  std::string command, object;
};
std::map<std::string, Compilation> compilations() {
  std::map<std::string, Compilation> found;
  const fs::path wanted = fs::path(WEFT_TEST_SOURCE) / kFolder;
  for (const auto& entry : nlohmann::json::parse(contents(WEFT_TEST_BUILD "/compile_commands.json"))) {
    const fs::path file = entry["file"].get<std::string>();
    if (file.parent_path() != wanted) continue;
    const std::string command = entry["command"], sign = " -o ";
    const std::size_t at = command.find(sign), name = at + sign.size();
    found[file.filename()] = {command.substr(0, at), fs::path(entry["directory"].get<std::string>()) /
                                                         command.substr(name, command.find(' ', name) - name)};
  }
  return found;
}

class MetalMutation : public testing::TestWithParam<Mutation> {
 protected:
  const Mutation& mutation = GetParam();
  const fs::path folder = fs::path(WEFT_TEST_BUILD) / "mutations" / mutation.name;
  const std::string library = (folder / "libweft_metal.so").string();

  /// Puts the mistake into a copy of the file.
  void plant() {
    std::string text = contents(fs::path(WEFT_TEST_SOURCE) / kFolder / mutation.file);
    const std::string from = mutation.from;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << mutation.file << " has no more: " << from;
    ASSERT_EQ(text.find(from, at + 1), std::string::npos) << mutation.file << " has more than once: " << from;
    text.replace(at, from.size(), mutation.to);
    fs::create_directories(folder / kFolder);
    std::ofstream(folder / kFolder / mutation.file) << text;
  }

  /// Compiles what the mistake is in and links the rest of the build's library to it.
  void build() {
    const std::map<std::string, Compilation> all = compilations();
    ASSERT_TRUE(all.contains(mutation.compiled)) << "the build has no file " << mutation.compiled;
    const bool own = std::string(mutation.file) == mutation.compiled;
    const std::string source = ((own ? folder : fs::path(WEFT_TEST_SOURCE)) / kFolder / mutation.compiled).string();
    const std::string object = (folder / "mutated.o").string();
    // Headers of the copy come first.
    const Ran compiled = run(all.at(mutation.compiled).command + " -I'" + folder.string() + "' -iquote '" +
                             folder.string() + "' -O0 -w -o '" + object + "' -c '" + source + "'");
    ASSERT_EQ(compiled.status, 0) << compiled.said;
    std::string objects = "'" + object + "'";
    for (const auto& [file, compilation] : all)
      if (file != mutation.compiled) objects += " '" + compilation.object + "'";
    const Ran linked = run("'" WEFT_TEST_CXX "' -shared " + objects + " -o '" + library + "'");
    ASSERT_EQ(linked.status, 0) << linked.said;
  }

  static Ran workload(const std::string& settings) {
    return run(settings + " '" WEFT_TEST_METAL_TESTS "' --gtest_filter='*MetalWorkload*' --gtest_brief=1");
  }
};

TEST_P(MetalMutation, MakesTheWorkloadFail) {
  ASSERT_NO_FATAL_FAILURE(plant());
  ASSERT_NO_FATAL_FAILURE(build());
  Ran ran = workload("WEFT_METAL_LIBRARY='" + library + "'");
  if (ran.status == 0) ran = workload("WEFT_STANDIN_MACOS=13 WEFT_METAL_LIBRARY='" + library + "'");
  ASSERT_NE(ran.status, 0) << "nobody notices";
  EXPECT_THAT(ran.said, testing::ContainsRegex(mutation.says));
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(All, MetalMutation, testing::ValuesIn(kMutations),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace weft::test
