// Buffers: every piece of memory that a session's programs touch, known by number and by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft {

using BufferId = std::int32_t;
inline constexpr BufferId kNoBuffer = -1;

/// What an element is. kStorage: the session's float type. kReal: a number made and used on the
/// device (double on CPUs). kCounter: an unsigned integer, exact to 2^32.
enum class Element : std::uint8_t { kStorage, kReal, kCounter };

/// What a buffer is for; decides what a checkpoint holds and what a reset clears.
enum class Role : std::uint8_t {
  kArgument,   // resolved at run time: the call's input or target
  kParameter,  // a leaf's weight or bias
  kOptimizer,  // moments and step counters
  kRule,       // what a credit rule keeps between calls
  kPipe,       // tapes of samples in flight, a ring of slots
  kScratch,    // tapes, gaps, gradients, results: meaningless between calls
};

struct Buffer {
  std::string name;
  Element element = Element::kStorage;
  Role role = Role::kScratch;
  std::int64_t elements = 0;  // of one slot
  std::int64_t slots = 1;     // more than one: the line's ring, addressed by (clock - lag) mod slots
};

/// The list of buffers. Numbers are stable; a buffer only ever grows.
class BufferTable {
 public:
  /// The two arguments of every call come first.
  static constexpr BufferId kInput = 0;
  static constexpr BufferId kTarget = 1;

  BufferTable();

  /// The buffer of that name and type of element, made or grown so that each slot holds `elements`. Growing loses the
  /// contents.
  BufferId require(const std::string& name, Element element, Role role, std::int64_t elements, std::int64_t slots = 1);

  /// Gives back what `before` did not have of a buffer.
  void give_back(BufferId id, const BufferTable& before);

  /// kNoBuffer where there is none of that name.
  BufferId find(const std::string& name) const;

  const Buffer& operator[](BufferId id) const { return buffers_[static_cast<std::size_t>(id)]; }
  BufferId size() const { return static_cast<BufferId>(buffers_.size()); }

  /// Changes whenever a buffer is added or grows.
  std::uint64_t version() const { return version_; }

 private:
  std::uint64_t version_ = 0;
  std::vector<Buffer> buffers_;
  std::map<std::pair<std::string, Element>, BufferId> by_name_;
};

}  // namespace weft
