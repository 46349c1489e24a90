// Running a grid: each group's threads are fibers.
#include "tests/metal/standin/dispatch.h"

#include <array>
#include <cstring>
#include <mutex>

#include "tests/metal/standin/settings.h"
#include "tests/support/fibers.h"

namespace weft::standin {
namespace {

using weft::test::FiberOrder;
using weft::test::Fibers;

constexpr std::size_t kWords = 48;  // of parameters: 31 buffers, threadgroup memory, positions
constexpr std::size_t kVectors = 8;
constexpr char kFreshThreadgroup = 0x7f;

using Word = std::uint64_t;
using Vector = std::uint32_t __attribute__((vector_size(16)));

/// Pointers and single numbers are passed as words in their order, vectors in registers of their own; more of either
/// than a function has are never looked at. So one call fits all kernels, with few words and with many.
void call_with_few(void* code, const Word* w, const Vector* v) {
  using Code = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                        Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector);
  reinterpret_cast<Code>(code)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
                               w[14], w[15], v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}
void call_with_many(void* code, const Word* w, const Vector* v) {
  using Code = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                        Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                        Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                        Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector);
  reinterpret_cast<Code>(code)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
                               w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23], w[24], w[25],
                               w[26], w[27], w[28], w[29], w[30], w[31], w[32], w[33], w[34], w[35], w[36], w[37],
                               w[38], w[39], w[40], w[41], w[42], w[43], w[44], w[45], w[46], w[47], v[0], v[1], v[2],
                               v[3], v[4], v[5], v[6], v[7]);
}
constexpr std::size_t kFewWords = 16;

using Place = std::array<std::uint32_t, 3>;

/// A group at work.
struct Group {
  void* code;
  std::size_t count = 0;             // of words
  std::array<Word, kWords> words{};  // what is the same for all threads is in place
  std::array<Vector, kVectors> vectors{};
  struct Own {  // a position that each thread has its own of
    enum class What { kInGroup, kInGrid, kIndex, kLane, kSimdgroup } what;
    bool vector;
    std::size_t at;
  };
  std::vector<Own> own;
  Place threads{}, here{};

  Place value(Own::What what, std::uint32_t rank) const {
    const Place in_group{rank % threads[0], rank / threads[0] % threads[1], rank / threads[0] / threads[1]};
    switch (what) {
      case Own::What::kInGroup: return in_group;
      case Own::What::kInGrid:
        return {here[0] * threads[0] + in_group[0], here[1] * threads[1] + in_group[1],
                here[2] * threads[2] + in_group[2]};
      case Own::What::kIndex: return {rank, 0, 0};
      case Own::What::kLane: return {rank % Fibers::kLanes, 0, 0};
      case Own::What::kSimdgroup: return {rank / Fibers::kLanes, 0, 0};
    }
    return {};
  }

  static void set(Word& word, const Place& value) { word = value[0]; }
  static void set(Vector& vector, const Place& value) { vector = Vector{value[0], value[1], value[2], 0}; }

  static void run_thread(void* context) {
    const Group& group = *static_cast<const Group*>(context);
    std::array<Word, kWords> words;
    std::memcpy(words.data(), group.words.data(), group.count * sizeof(Word));
    std::array<Vector, kVectors> vectors = group.vectors;
    for (const Own& each : group.own) {
      const Place value = group.value(each.what, Fibers::rank());
      each.vector ? set(vectors[each.at], value) : set(words[each.at], value);
    }
    (group.count <= kFewWords ? call_with_few : call_with_many)(group.code, words.data(), vectors.data());
  }
};

Place place_of(const Size& size) {
  return {static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
          static_cast<std::uint32_t>(size.depth)};
}

/// Which position a kernel asks for, and where it goes.
struct Shared {
  enum class What { kThreads, kGroup, kGroups, kGrid, kSimdWidth, kSimdgroups } what;
  bool vector;
  std::size_t at;
};

void lay_out(const Dispatch& dispatch, Group& group, std::vector<Shared>& shared,
             std::vector<std::vector<std::max_align_t>>& memory) {
  using Own = Group::Own;
  static const std::map<std::string, Own::What> own{{"thread_position_in_threadgroup", Own::What::kInGroup},
                                                    {"thread_position_in_grid", Own::What::kInGrid},
                                                    {"thread_index_in_threadgroup", Own::What::kIndex},
                                                    {"thread_index_in_simdgroup", Own::What::kLane},
                                                    {"simdgroup_index_in_threadgroup", Own::What::kSimdgroup}};
  static const std::map<std::string, Shared::What> of_all{{"threads_per_threadgroup", Shared::What::kThreads},
                                                          {"dispatch_threads_per_threadgroup", Shared::What::kThreads},
                                                          {"threadgroup_position_in_grid", Shared::What::kGroup},
                                                          {"threadgroups_per_grid", Shared::What::kGroups},
                                                          {"threads_per_grid", Shared::What::kGrid},
                                                          {"threads_per_simdgroup", Shared::What::kSimdWidth},
                                                          {"simdgroups_per_threadgroup", Shared::What::kSimdgroups}};
  const KernelCode& kernel = dispatch.pipeline->kernel();
  std::size_t vectors = 0;
  for (std::size_t i = 0; i < kernel.signature.parameters.size(); ++i) {
    const Parameter& parameter = kernel.signature.parameters[i];
    const bool vector = parameter.type == "uint2" || parameter.type == "uint3";
    require(group.count < kWords && vectors < kVectors, "kernel {} has more parameters than can be given",
            kernel.signature.kernel);
    const std::size_t at = vector ? vectors++ : group.count++;
    switch (parameter.kind) {
      case Parameter::Kind::kPosition:
        if (const auto found = own.find(parameter.attribute); found != own.end()) {
          group.own.push_back({found->second, vector, at});
        } else {
          shared.push_back({of_all.at(parameter.attribute), vector, at});
        }
        break;
      case Parameter::Kind::kThreadgroup:
        memory.emplace_back(dispatch.threadgroup_lengths[i] / sizeof(std::max_align_t) + 1);
        group.words[at] = reinterpret_cast<Word>(memory.back().data());
        break;
      case Parameter::Kind::kBuffer:
      case Parameter::Kind::kConstant: group.words[at] = reinterpret_cast<Word>(dispatch.bound[i].address()); break;
    }
  }
}

Fibers& fibers() {
  thread_local Fibers of_thread(256 << 10);
  return of_thread;
}

}  // namespace

char* Bound::address() const {
  if (buffer) return buffer->bytes() + offset;
  return const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
}

UInteger Bound::room() const { return buffer ? buffer->length() - offset : length; }

void Dispatch::run() const {
  const KernelCode& kernel = pipeline->kernel();
  Group group{};
  group.code = kernel.code;
  group.threads = place_of(threads);
  std::vector<Shared> shared;
  std::vector<std::vector<std::max_align_t>> memory;
  lay_out(*this, group, shared, memory);
  const auto count = static_cast<std::uint32_t>(threads.volume());
  const FiberOrder order = backwards() ? FiberOrder::kBackwards : FiberOrder::kForwards;
  const UInteger all = groups.volume();
  for (UInteger turn = 0; turn < all; ++turn) {
    const UInteger g = backwards() ? all - 1 - turn : turn;
    group.here = place_of({g % groups.width, g / groups.width % groups.height, g / groups.width / groups.height});
    for (const Shared& each : shared) {
      const auto value = [&]() -> Place {
        switch (each.what) {
          case Shared::What::kThreads: return group.threads;
          case Shared::What::kGroup: return group.here;
          case Shared::What::kGroups: return place_of(groups);
          case Shared::What::kGrid:
            return place_of(
                {groups.width * threads.width, groups.height * threads.height, groups.depth * threads.depth});
          case Shared::What::kSimdWidth: return {Fibers::kLanes, 0, 0};
          case Shared::What::kSimdgroups: return {(count + Fibers::kLanes - 1) / Fibers::kLanes, 0, 0};
        }
        return {};
      }();
      each.vector ? Group::set(group.vectors[each.at], value) : Group::set(group.words[each.at], value);
    }
    // A group finds nothing of the one before.
    for (const KernelCode::Range& range : kernel.threadgroup) std::memset(range.begin, kFreshThreadgroup, range.bytes);
    for (auto& bytes : memory)
      std::memset(static_cast<void*>(bytes.data()), kFreshThreadgroup, bytes.size() * sizeof(std::max_align_t));
    const std::string why = fibers().run(count, order, &Group::run_thread, &group);
    require(why.empty(), "kernel {}, group {}: {}", kernel.signature.kernel, g, why);
  }
}

}  // namespace weft::standin
