// Compiling and loading generated texts. Threads of a block are contexts that take turns at barriers. The compiler's
// instrumentation for ThreadSanitizer tells every access; its functions are our own, and know barriers.
#include "tests/support/emulated.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weft::test {
namespace {

/// What the emulator gives to texts.
constexpr const char* kWords = R"(
extern "C" {
int weft_rank();
void weft_barrier();
float weft_from_lane(float value, int distance);
}
#define WEFT_BARRIER() weft_barrier()
#define WEFT_FROM_LANE(value, distance) weft_from_lane(value, distance)
#define WEFT_THREAD() weft::kernels::Thread{weft_rank(), weft_rank() / WEFT_LANES, weft_rank() % WEFT_LANES}
)";

/// The block: compiled beside the texts, but not watched.
constexpr const char* kBlock = R"(
#include <ucontext.h>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {
struct Access { int thread; };
struct Word { long epoch = -1; std::vector<Access> readers, writers; };
struct Fiber { ucontext_t context; std::vector<char> stack; bool done = false, waits = false; int meets = 0; };

std::vector<Fiber> fibers;
ucontext_t home;
int current = 0;
long epoch = 0;
float lanes[1024];
const char *arena_begin, *arena_end;
std::map<const char*, Word> words;
std::string found;
void (*kernel)(const void*);
const void* member;

// Lanes that hand over numbers are not in order by that: not every device sees to it.
bool ordered(const Access& a, int thread) { return a.thread == thread; }

void touch(const void* at, int bytes, bool writes) {
  const char* begin = static_cast<const char*>(at);
  if (begin < arena_begin || begin >= arena_end) return;
  for (const char* p = begin; p < begin + bytes; p += 4) {
    Word& word = words[p];
    if (word.epoch != epoch) word = Word{epoch, {}, {}};
    for (const auto* others : {&word.writers, writes ? &word.readers : nullptr}) {
      if (others == nullptr) continue;
      for (const Access& other : *others)
        if (!ordered(other, current) && found.size() < 2000) {
          char line[160];
          std::snprintf(line, sizeof line, "float %ld: thread %d %s after thread %d %s; ", long(p - arena_begin) / 4, current,
                        writes ? "writes" : "reads", other.thread, others == &word.writers ? "wrote" : "read");
          found += line;
        }
    }
    auto& mine = writes ? word.writers : word.readers;
    if (mine.empty() || mine.back().thread != current) mine.push_back({current});
  }
}

void leave() { swapcontext(&fibers[current].context, &home); }
void begin() {
  kernel(member);
  fibers[current].done = true;
  leave();
}
}  // namespace

extern "C" {
int weft_rank() { return current; }
void weft_barrier() {
  fibers[current].waits = true;
  leave();
}
void weft_meet() {
  ++fibers[current].meets;
  leave();
}
float weft_from_lane(float value, int distance) {
  lanes[current] = value;
  weft_meet();
  const float other = lanes[current ^ distance];
  weft_meet();
  return other;
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
#define WATCH(n) \
  void __tsan_read##n(void* p) { touch(p, n, false); } \
  void __tsan_write##n(void* p) { touch(p, n, true); } \
  void __tsan_unaligned_read##n(void* p) { touch(p, n, false); } \
  void __tsan_unaligned_write##n(void* p) { touch(p, n, true); }
WATCH(1) WATCH(2) WATCH(4) WATCH(8) WATCH(16)
void __tsan_read_range(void* p, unsigned long n) { touch(p, int(n), false); }
void __tsan_write_range(void* p, unsigned long n) { touch(p, int(n), true); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

const char* weft_run_block(void (*run)(const void*), const void* with, int threads, int backwards, const char* arena, long bytes) {
  kernel = run, member = with, epoch = 0;
  arena_begin = arena, arena_end = arena + bytes;
  words.clear(), found.clear();
  fibers = std::vector<Fiber>(threads);
  for (Fiber& f : fibers) {
    f.stack.resize(256 << 10);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.data(), f.context.uc_stack.ss_size = f.stack.size(), f.context.uc_link = nullptr;
    makecontext(&f.context, begin, 0);
  }
  const auto resume = [&](int t) { current = t; swapcontext(&home, &fibers[t].context); };
  for (;;) {
    // Every warp on to the barrier, its lanes together from meeting to meeting.
    for (int turn = 0; turn < threads / 32; ++turn) {
      const int warp = backwards ? threads / 32 - 1 - turn : turn;
      for (bool more = true; more;) {
        more = false;
        int meets = -1;
        for (int lane = 0; lane < 32; ++lane) {
          const int t = warp * 32 + (backwards ? 31 - lane : lane);
          if (fibers[t].done || fibers[t].waits) continue;
          resume(t);
          if (fibers[t].done || fibers[t].waits) continue;
          more = true;
          if (meets >= 0 && meets != fibers[t].meets) found += "lanes of a warp meet at different places; ";
          meets = fibers[t].meets;
        }
      }
    }
    int waiting = 0, done = 0;
    for (Fiber& f : fibers) waiting += f.waits, done += f.done, f.waits = false;
    if (done == threads) break;
    if (waiting != threads) { found += "threads left while others wait at a barrier; "; break; }
    ++epoch;
  }
  return found.c_str();
}
}
)";

}  // namespace

Emulated::Emulated(const std::vector<std::string>& texts, BlockShape block, std::string_view bodies)
    : many_(block.threads != 1) {
  // A name that no library had before: one that cannot be unloaded would be found instead.
  static int made = 0;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("weft-emulated-{}-{}", getpid(), made++);
  std::filesystem::create_directories(folder);
  std::ofstream source(folder / "kernels.cpp");
  if (many_) source << kWords << "#define WEFT_LANES " << block.lanes << "\n";
  source << bodies;
  // Each text gets names of its own.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    source << fmt::format("#define chip chip{0}\n#define arena arena{0}\n#define train train{0}\n", i) << texts[i]
           << fmt::format(
                  "#undef chip\n#undef train\nextern \"C\" const char* place{0}() {{ return (const char*)arena{0}; }}\n"
                  "extern \"C\" long size{0}() {{ return sizeof arena{0}; }}\n#undef arena\n",
                  i);
  }
  source.close();
  std::ofstream(folder / "block.cpp") << kBlock;
  const std::string compile = fmt::format("{} -std=c++17 -O0 -w -ffp-contract=off -fPIC", WEFT_TEST_CXX);
  const std::string command = fmt::format(
      "cd {0} && {1} {2} -c kernels.cpp 2> log && {1} -c block.cpp 2>> log && {3} -shared -o kernels.so kernels.o "
      "block.o 2>> log",
      folder.string(), compile, many_ ? "-fsanitize=thread" : "", WEFT_TEST_CXX);
  if (std::system(command.c_str()) != 0) {
    std::stringstream log;
    log << std::ifstream(folder / "log").rdbuf();
    error_ = "does not compile: " + log.str().substr(0, 4000);
  } else if ((library_ = dlopen((folder / "kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL)) == nullptr) {
    error_ = dlerror();
  }
  std::filesystem::remove_all(folder);
}

Emulated::~Emulated() {
  if (library_ != nullptr) dlclose(library_);
}

std::string Emulated::run(std::size_t text, const void* member, int threads, bool backwards) const {
  using Kernel = void (*)(const void*);
  const auto find = [&](const char* name) { return dlsym(library_, fmt::format("{}{}", name, text).c_str()); };
  const auto kernel = reinterpret_cast<Kernel>(find("train"));
  if (!many_) {
    kernel(member);
    return "";
  }
  const auto block = reinterpret_cast<const char* (*)(Kernel, const void*, int, int, const char*, long)>(
      dlsym(library_, "weft_run_block"));
  const char* arena = reinterpret_cast<const char* (*)()>(find("place"))();
  return block(kernel, member, threads, backwards ? 1 : 0, arena, reinterpret_cast<long (*)()>(find("size"))());
}

}  // namespace weft::test
