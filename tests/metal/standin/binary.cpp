// Loading a shared object, and finding in its symbols what the compiler made of threadgroup variables.
#include "tests/metal/standin/binary.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <fstream>
#include <sstream>

#include "tests/metal/standin/compiler.h"
#include "tests/metal/standin/fail.h"

namespace weft::standin {
namespace {

std::string contents(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  require(stream.good(), "{} cannot be read", file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Compiled kernels call functions of this library by name: its own symbols are made visible to them.
void* load(const std::string& file) {
  static const bool visible = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&load), &info) != 0 &&
           dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr;
  }();
  require(visible, "its own library cannot be found");
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail("{}", dlerror());
  return handle;
}

/// A variable `name` of kernel `step` is the local symbol _ZZ4stepE4name: a static of the function.
std::string function_of(const char* symbol) {
  const std::string text = symbol;
  if (text.rfind("_ZZ", 0) != 0) return {};
  char* end = nullptr;
  const unsigned long length = std::strtoul(text.c_str() + 3, &end, 10);
  const auto at = static_cast<std::size_t>(end - text.c_str());
  if (at == 3 || at + length >= text.size() || text[at + length] != 'E') return {};
  return text.substr(at, length);
}

/// Calls `visit` with name, address and size of each data symbol of the file.
template <typename Visit>
void each_variable(const std::string& file, char* base, Visit visit) {
  const std::string bytes = contents(file);
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(bytes.data());
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(bytes.data() + header->e_shoff);
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(bytes.data() + sections[s].sh_offset);
    const char* const names = bytes.data() + sections[sections[s].sh_link].sh_offset;
    for (std::size_t i = 0; i < sections[s].sh_size / sizeof(ElfW(Sym)); ++i)
      if ((symbols[i].st_info & 0xf) == STT_OBJECT && symbols[i].st_shndx != SHN_UNDEF &&
          (sections[symbols[i].st_shndx].sh_flags & SHF_WRITE) != 0)
        visit(names + symbols[i].st_name, base + symbols[i].st_value, symbols[i].st_size);
  }
}

}  // namespace

std::size_t KernelCode::threadgroup_bytes() const {
  std::size_t all = 0;
  for (const Range& range : threadgroup) all += range.bytes;
  return all;
}

Binary::Binary(const std::string& library, const std::string& preprocessed) {
  void* const handle = load(library);
  std::string error;
  for (Signature& signature : signatures_of(contents(preprocessed), error)) {
    KernelCode kernel;
    kernel.code = dlsym(handle, signature.kernel.c_str());
    const auto tell_sizes =
        reinterpret_cast<void (*)(unsigned long*)>(dlsym(handle, (kSizes + signature.kernel).c_str()));
    require(kernel.code != nullptr && tell_sizes != nullptr, "no code for kernel {}", signature.kernel);
    std::vector<unsigned long> told(2 * signature.parameters.size());
    tell_sizes(told.data());
    std::size_t next = 0;
    for (const Parameter& parameter : signature.parameters) {
      const bool sized = parameter.kind != Parameter::Kind::kPosition;
      kernel.sizes.push_back(sized ? told[next] : 0);
      kernel.alignments.push_back(sized ? told[next + 1] : 0);
      if (sized) next += 2;
    }
    kernel.signature = std::move(signature);
    const std::string name = kernel.signature.kernel;
    kernels_.emplace(name, std::move(kernel));
  }
  require(error.empty(), "{}", error);
  if (kernels_.empty()) return;
  Dl_info info{};
  require(dladdr(kernels_.begin()->second.code, &info) != 0, "{} is not found where it was loaded", library);
  each_variable(library, static_cast<char*>(info.dli_fbase), [&](const char* symbol, char* begin, std::size_t size) {
    const auto found = kernels_.find(function_of(symbol));
    if (found != kernels_.end()) found->second.threadgroup.push_back({begin, size});
  });
}

const KernelCode* Binary::find(const std::string& kernel) const {
  const auto found = kernels_.find(kernel);
  return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace weft::standin
