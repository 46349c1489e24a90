// BufferTable: names to numbers, and growth.
#include "src/program/buffer.h"

#include <algorithm>

namespace weft {

BufferTable::BufferTable() {
  require("input", Element::kStorage, Role::kArgument, 0);
  require("target", Element::kStorage, Role::kArgument, 0);
}

BufferId BufferTable::require(const std::string& name, Element element, Role role, std::int64_t elements,
                              std::int64_t slots) {
  const auto [entry, is_new] = by_name_.try_emplace(std::pair(name, element), size());
  if (is_new) {
    buffers_.push_back({name, element, role, elements, slots});
    ++version_;
    return entry->second;
  }
  Buffer& buffer = buffers_[static_cast<std::size_t>(entry->second)];
  if (elements > buffer.elements || slots > buffer.slots) ++version_;
  buffer.elements = std::max(buffer.elements, elements);
  buffer.slots = std::max(buffer.slots, slots);
  return entry->second;
}

void BufferTable::give_back(BufferId id, const BufferTable& before) {
  Buffer& buffer = buffers_[static_cast<std::size_t>(id)];
  buffer.elements = id < before.size() ? before[id].elements : 0;
}

BufferId BufferTable::find(const std::string& name) const {
  const auto entry = by_name_.lower_bound(std::pair(name, Element::kStorage));  // the first type there is
  return entry == by_name_.end() || entry->first.first != name ? kNoBuffer : entry->second;
}

}  // namespace weft
