// Running clang-14 on a text in a folder of its own.
#include "tests/metal/msl/clang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weft::test {
namespace {

// spir64 has all address spaces. OpenCL's own headers stay out: WEFT_MSL_INCLUDE has what Metal has.
constexpr std::string_view kLanguage =
    "-x cl -cl-std=clc++2021 -cl-no-stdinc -nostdinc -target spir64 -D__METAL_VERSION__=310 -I" WEFT_MSL_INCLUDE;
constexpr std::string_view kWithout =
    "-Xclang -cl-ext=-cl_khr_fp64,-__opencl_c_fp64,-__opencl_c_pipes,-__opencl_c_device_enqueue,"
    "-__opencl_c_program_scope_global_variables";
// [[buffer(0)]] and #pragma METAL are Metal's own.
constexpr std::string_view kWarnings =
    "-Werror -Wall -Wextra -Wconversion -Wno-sign-conversion -Wpre-c++17-compat -Wno-unused-parameter "
    "-Wno-missing-field-initializers "
    "-Wno-unused-function -Wno-unused-const-variable "  // a text has more than a generated program calls
    "-Wno-unknown-attributes -Wno-unknown-pragmas -fno-color-diagnostics";

std::string content(const std::filesystem::path& path) {
  std::stringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

}  // namespace

std::string Clang::missing() const {
  const Said version = run("--version", "");
  if (version.ok && version.output.find("clang version 14.") != std::string::npos) return "";
  return fmt::format(
      "'{} --version': seen '{}', wanted clang version 14: Metal source cannot be checked without it. Install "
      "Debian's package clang-14 (apt-get install clang-14)",
      path_, (version.output + version.errors).substr(0, 200));
}

Said Clang::types(std::string_view text) const {
  return run(fmt::format("{} {},-__opencl_c_generic_address_space {} -fsyntax-only", kLanguage, kWithout, kWarnings),
             text);
}

Said Clang::tree(std::string_view text) const {
  return run(fmt::format("{} {} -w -fsyntax-only -Xclang -ast-dump -fno-color-diagnostics", kLanguage, kWithout), text);
}

Said Clang::functions(std::string_view text) const {
  return run(fmt::format("{} {} -w -O0 -emit-llvm -S -o -", kLanguage, kWithout), text);
}

Said Clang::preprocessed(std::string_view text) const {
  constexpr std::string_view kLibrary = "#include <metal_stdlib>";
  std::string own(text);
  for (std::size_t at = own.find(kLibrary); at != std::string::npos; at = own.find(kLibrary))
    own.erase(at, kLibrary.size());
  return run("-x c++ -E -undef -nostdinc -D__METAL_VERSION__=310", own);
}

Said Clang::run(std::string_view arguments, std::string_view text) const {
  static std::atomic<int> runs = 0;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("weft-msl-{}-{}", getpid(), runs++);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "weft.metal", std::ios::binary) << text;
  const std::string command = fmt::format("cd '{}' && '{}' {} {} > output 2> errors", folder.string(), path_, arguments,
                                          text.empty() ? "" : "weft.metal");
  Said said;
  said.ok = std::system(command.c_str()) == 0;
  said.output = content(folder / "output");
  said.errors = content(folder / "errors");
  std::filesystem::remove_all(folder);
  return said;
}

}  // namespace weft::test
