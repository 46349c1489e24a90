// Placing a program: every buffer in one piece, a barrier before whatever meets what came since the last one.
#include "src/generate/placed_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "src/kernels/encode.h"
#include "src/kernels/interpreter.h"
#include "src/program/extents.h"

namespace weft {
namespace {

using kernels::Located;
using kernels::PlacedBuffer;
using kernels::PlacedStep;

std::int64_t round_up(std::int64_t n) { return (n + 3) / 4 * 4; }

class Placer {
 public:
  Placer(const Program& program, const BufferTable& buffers) : program_(program), buffers_(buffers) { look(); }

  /// Floats of all buffers and of what sums and products need besides.
  std::int64_t floats() const { return floats_ + kernels::kScratchFloats; }
  bool writes_arguments() const {
    return written_.contains(BufferTable::kInput) || written_.contains(BufferTable::kTarget);
  }

  PlacedText place() const {
    kernels::PlacedProgram head{.steps = static_cast<std::int32_t>(program_.code.size()),
                                .buffers = 0,
                                .input_at = at_of(BufferTable::kInput),
                                .input_elements = elements_of(BufferTable::kInput),
                                .target_at = at_of(BufferTable::kTarget),
                                .target_elements = elements_of(BufferTable::kTarget),
                                .loss_at = at_of(program_.loss_value),
                                .finite_at = at_of(program_.loss_finite),
                                .scratch_at = static_cast<std::int32_t>(floats_),
                                .floats = static_cast<std::int32_t>(floats())};
    PlacedText text;
    std::vector<PlacedBuffer> kept;
    for (const BufferId id : named_) {
      const Role role = buffers_[id].role;
      const bool result = id == program_.loss_value || id == program_.loss_finite;
      if (!result && (role == Role::kScratch || role == Role::kArgument)) continue;
      text.held.push_back(id);
      kept.push_back(
          {at_of(id), elements_of(id), static_cast<std::int32_t>(buffers_[id].slots), written_.contains(id) ? 1u : 0u});
    }
    head.buffers = static_cast<std::int32_t>(kept.size());
    append(text.bytes, &head, 1);
    const std::vector<PlacedStep> steps = placed_steps();
    append(text.bytes, steps.data(), steps.size());
    append(text.bytes, kept.data(), kept.size());
    text.memory_bytes = floats() * static_cast<std::int64_t>(sizeof(float));
    text.input_elements = head.input_elements, text.target_elements = head.target_elements;
    return text;
  }

 private:
  template <typename T>
  static void append(std::vector<std::byte>& bytes, const T* from, std::size_t count) {
    const std::size_t before = bytes.size();
    bytes.resize(before + count * sizeof(T));
    if (count > 0) std::memcpy(bytes.data() + before, from, count * sizeof(T));
  }

  void look() {
    const auto see = [&](BufferId id, std::int64_t elements) {
      if (id == kNoBuffer) return;
      if (!elements_.contains(id)) named_.push_back(id);
      elements_[id] = std::max(elements_[id], elements);
    };
    for (const Instruction& i : program_.code) {
      const Extents reach = extents(i);
      for (std::size_t o = 0; o < 3; ++o) {
        see(i.in[o].buffer, reach.in[o]);
        see(i.out[o].buffer, reach.out[o]);
        see(i.when[o].counter, 1);
        if (i.out[o].present()) written_.insert(i.out[o].buffer);
      }
    }
    for (const BufferId id : named_) {
      at_[id] = floats_;
      floats_ += round_up(elements_.at(id) * slots_of(id));
    }
  }

  std::int64_t slots_of(BufferId id) const { return id <= BufferTable::kTarget ? 1 : buffers_[id].slots; }
  std::int32_t at_of(BufferId id) const { return at_.contains(id) ? static_cast<std::int32_t>(at_.at(id)) : -1; }
  std::int32_t elements_of(BufferId id) const {
    return elements_.contains(id) ? static_cast<std::int32_t>(elements_.at(id)) : 0;
  }

  Located locate(Operand operand) const {
    if (!operand.present()) return {-1, 0, 1, 0};
    const auto slots = static_cast<std::int32_t>(slots_of(operand.buffer));
    return {at_of(operand.buffer), elements_of(operand.buffer), slots, operand.lag % slots};
  }

  std::vector<PlacedStep> placed_steps() const {
    using Key = std::pair<BufferId, std::int64_t>;
    std::set<Key> read, written;  // since the last barrier
    std::vector<PlacedStep> steps;
    for (const Instruction& i : program_.code) {
      std::set<Key> reads, writes;
      PlacedStep placed{.step = kernels::encode(i, program_), .in = {}, .out = {}, .when = {}, .meets = 0};
      const auto key = [&](Operand operand) { return Key{operand.buffer, operand.lag % slots_of(operand.buffer)}; };
      for (std::size_t o = 0; o < 3; ++o) {
        placed.in[o] = locate(i.in[o]), placed.out[o] = locate(i.out[o]), placed.when[o] = locate({i.when[o].counter});
        if (i.in[o].present()) reads.insert(key(i.in[o]));
        if (i.when[o].present()) reads.insert(key({i.when[o].counter}));
        if (i.out[o].present()) writes.insert(key(i.out[o]));
      }
      const auto meet = [](const std::set<Key>& a, const std::set<Key>& b) {
        return std::any_of(a.begin(), a.end(), [&](const Key& k) { return b.contains(k); });
      };
      if (meet(reads, written) || meet(writes, written) || meet(writes, read)) {
        placed.meets = 1;
        read.clear(), written.clear();
      }
      read.merge(reads), written.merge(writes);
      steps.push_back(placed);
    }
    return steps;
  }

  const Program& program_;
  const BufferTable& buffers_;
  std::vector<BufferId> named_;
  std::map<BufferId, std::int64_t> elements_, at_;
  std::set<BufferId> written_;
  std::int64_t floats_ = 0;
};

}  // namespace

Result<PlacedText> place_program(const Program& program, const BufferTable& buffers, std::int64_t most_bytes) {
  if (program.output.present()) return Status{StatusCode::kUnsupported, "an inference keeps nothing on chip"};
  const Placer placer(program, buffers);
  if (placer.writes_arguments()) return Status{StatusCode::kUnsupported, "it writes an argument"};
  if (placer.floats() * static_cast<std::int64_t>(sizeof(float)) > most_bytes)
    return Status{StatusCode::kUnsupported,
                  fmt::format("{} bytes on chip wanted, a block has {}",
                              placer.floats() * static_cast<std::int64_t>(sizeof(float)), most_bytes)};
  return placer.place();
}

}  // namespace weft
