// Running clang, and the folder of what was compiled before.
#include "tests/metal/standin/compiler.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/metal/standin/fail.h"
#include "tests/metal/standin/settings.h"
#include "tests/metal/standin/signature.h"

namespace weft::standin {
namespace {

namespace fs = std::filesystem;

/// The address spaces stay apart in the intermediate code: there a variable of the threadgroup is never taken for one
/// of a single thread.
constexpr const char* kFlags =
    "-x cl -cl-std=clc++2021 -cl-no-stdinc -Xclang -ffake-address-space-map -D__METAL_VERSION__=310 "
    "-Wno-unknown-attributes -Wno-unknown-pragmas -fPIC -O2 -I '" WEFT_STANDIN_INCLUDE "'";
// Neither changes a number: fma is one operation, with or without an instruction of its own.
constexpr const char* kProcessor = " -mavx2 -mfma";
constexpr const char* kExact = "-ffp-contract=off";
constexpr const char* kFast = "-ffast-math -ffp-contract=fast";

std::string compiler() {
  const char* const given = std::getenv("WEFT_STANDIN_CLANG");
  return given != nullptr && *given != '\0' ? given : WEFT_STANDIN_CLANG;
}

std::string processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return kProcessor;
#endif
  return {};
}

std::string contents(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// FNV-1a of 64 bits, from two starts.
std::string name_of(const std::string& all) {
  std::uint64_t one = 14695981039346656037u, two = 0x9e3779b97f4a7c15u;
  for (const char c : all) {
    one = (one ^ static_cast<unsigned char>(c)) * 1099511628211u;
    two = (two ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return fmt::format("{:016x}{:016x}", one, two);
}

/// Which compiler it is, without asking it.
std::string identity(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return path;
  return fmt::format("{} {} {}", path, about.st_size, about.st_mtim.tv_sec);
}

/// Runs a command in a folder; empty where it succeeds, else what it said.
std::string run(const fs::path& folder, const std::string& command) {
  const std::string line = fmt::format("cd '{}' && {} > log 2>&1", folder.string(), command);
  const int status = std::system(line.c_str());
  if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string said = contents(folder / "log");
  return said.empty() ? fmt::format("'{}' failed with status {}", command, status) : said;
}

/// The kernels that tell sizes.
std::string sizes_text(const std::vector<Signature>& signatures) {
  std::string text = "\n#line 1 \"stand-in\"\n";
  for (const Signature& signature : signatures) {
    text += fmt::format("kernel void {}{}(__global unsigned long* to) {{\n", kSizes, signature.kernel);
    unsigned next = 0;
    for (const Parameter& parameter : signature.parameters) {
      if (parameter.kind == Parameter::Kind::kPosition) continue;
      text +=
          fmt::format("  to[{}] = sizeof({}); to[{}] = alignof({});\n", next, parameter.type, next + 1, parameter.type);
      next += 2;
    }
    text += "}\n";
  }
  return text;
}

/// Compiles in `folder`; empty, or what is wrong with the text.
std::string build(const fs::path& folder, const std::string& text, const char* arithmetic) {
  // The name that Metal's messages have for a text that came as a string.
  const std::string clang = fmt::format("{} {} {}", compiler(), kFlags + processor(), arithmetic);
  std::ofstream(folder / "program_source") << text;
  if (std::string said = run(folder, clang + " -E -P program_source -o preprocessed"); !said.empty()) return said;
  std::string error;
  const std::vector<Signature> signatures = signatures_of(contents(folder / "preprocessed"), error);
  if (!error.empty()) return "program_source: error: " + error;
  std::ofstream(folder / "program_source", std::ios::app) << sizes_text(signatures);
  if (std::string said = run(folder, clang + " -c program_source -o kernels.o"); !said.empty()) return said;
  std::string said = run(folder, compiler() + " -shared -nostdlib kernels.o -o kernels.so");
  require(said.empty(), "linking kernels: {}", said);
  return {};
}

}  // namespace

Compiled compile(const std::string& text, bool fast_math) {
  const char* const arithmetic = fast_math ? kFast : kExact;
  const fs::path cache = cache_folder();
  std::error_code error;
  fs::create_directories(cache, error);
  require(!error, "folder {}: {}", cache.string(), error.message());
  const std::string shim = contents(WEFT_STANDIN_INCLUDE "/metal_stdlib");
  const fs::path wanted = cache / name_of(fmt::format("{}\n{}\n{}\n{}\n{}", identity(compiler()), kFlags + processor(),
                                                      arithmetic, shim, text));
  if (fs::exists(wanted / "kernels.so", error)) return {wanted.string(), {}};

  // Made beside and renamed as a whole: another process sees all of it or nothing, and the first one's stays.
  std::string made = (cache / "making-XXXXXX").string();
  require(mkdtemp(made.data()) != nullptr, "folder {} cannot be made", made);
  if (std::string said = build(made, text, arithmetic); !said.empty()) {
    fs::remove_all(made, error);
    return {{}, std::move(said)};
  }
  for (const char* rest : {"program_source", "kernels.o", "log"}) fs::remove(fs::path(made) / rest, error);
  fs::rename(made, wanted, error);
  if (error) {
    fs::remove_all(made, error);
    require(fs::exists(wanted / "kernels.so"), "folder {} cannot be made", wanted.string());
  }
  return {wanted.string(), {}};
}

}  // namespace weft::standin
