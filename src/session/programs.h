// Programs: the bounded cache of what a session has built.
#pragma once

#include <list>

#include "src/schedule/schedule.h"

namespace weft {

/// What a cached program was built for. Inference uses input, target and ticks of the call only.
struct ProgramKey {
  bool training = true;
  Call call;
  bool operator==(const ProgramKey&) const = default;
};

class Programs {
 public:
  /// Programs kept; the one unused for longest goes first.
  static constexpr std::size_t kBound = 256;

  /// Null where there is none.
  const Program* find(const ProgramKey& key) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (!(entry->key == key)) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return &entries_.front().program;
    }
    return nullptr;
  }

  const Program& add(const ProgramKey& key, Program program) {
    entries_.push_front({key, std::move(program)});
    if (entries_.size() > kBound) entries_.pop_back();
    return entries_.front().program;
  }

 private:
  struct Entry {
    ProgramKey key;
    Program program;
  };
  std::list<Entry> entries_;
};

}  // namespace weft
