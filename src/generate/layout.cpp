// Laying out: every buffer as the matrix that its instructions agree on.
#include "src/generate/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/generate/views.h"

namespace weft {
namespace {

int round_up(std::int64_t n) { return static_cast<int>((n + 3) / 4 * 4); }

/// 4 x odd: 16-byte loads of one column from eight successive rows touch each bank once.
int leading_dimension(std::int64_t cols) {
  const std::int64_t quads = (cols + 3) / 4;
  return static_cast<int>(4 * (quads % 2 == 1 ? quads : quads + 1));
}

/// What the program's views say of a buffer.
struct Wanted {
  std::int64_t rows = 0, cols = 0, elements = 0;
  bool agreed = true, written = false;
};

void add(Wanted& wanted, const OperandView& view) {
  wanted.written = wanted.written || view.writes;
  wanted.elements = std::max(wanted.elements, view.rows * view.cols);
  if (view.form == OperandView::Form::kFlat) return;
  if (wanted.cols != 0 && wanted.cols != view.cols) wanted.agreed = false;
  wanted.rows = std::max(wanted.rows, view.rows);
  wanted.cols = view.cols;
}

OnChip place_of(const Wanted& wanted, const Buffer& buffer, BufferId id, const Program& program) {
  OnChip place{.buffer = id, .element = buffer.element, .written = wanted.written};
  const bool matrix = wanted.agreed && wanted.cols != 0 && wanted.rows * wanted.cols >= wanted.elements;
  place.padded = matrix;
  place.rows = static_cast<int>(matrix ? wanted.rows : 1);
  place.cols = static_cast<int>(matrix ? wanted.cols : wanted.elements);
  place.ld = !matrix ? place.cols : place.rows == 1 ? round_up(place.cols) : leading_dimension(place.cols);
  place.slots = static_cast<int>(buffer.slots);
  place.slot = !matrix || place.rows == 1 ? round_up(place.ld) : round_up(place.rows) * place.ld;
  const bool result = id == program.loss_value || id == program.loss_finite;
  place.kept = result || (buffer.role != Role::kScratch && buffer.role != Role::kArgument);
  return place;
}

}  // namespace

Result<Layout> lay_out(const Program& program, const BufferTable& buffers, std::int64_t most_bytes) {
  if (program.output.present()) return Status{StatusCode::kUnsupported, "an inference keeps nothing on chip"};
  std::vector<BufferId> named;
  std::map<BufferId, Wanted> wanted;
  Layout layout;
  std::int64_t elements = 0;
  const auto look = [&](const OperandView& view) {
    if (!wanted.contains(view.operand.buffer)) named.push_back(view.operand.buffer);
    add(wanted[view.operand.buffer], view);
  };
  for (const Instruction& instruction : program.code) {
    for (const OperandView& view : views(instruction)) look(view);
    for (const Predicate& predicate : instruction.when)
      if (predicate.present()) look({.operand = {predicate.counter}, .form = OperandView::Form::kNumber});
  }
  for (const BufferId id : named) elements += buffers[id].slots * wanted[id].elements;  // at least
  const auto too_large = [&](std::int64_t floats) {
    return Status{StatusCode::kUnsupported, fmt::format("{} bytes on chip wanted, a block has {}",
                                                        floats * std::int64_t{sizeof(float)}, most_bytes)};
  };
  const std::int64_t most = most_bytes / static_cast<std::int64_t>(sizeof(float));
  if (elements > most) return too_large(elements);

  for (const BufferId id : named) {
    layout.by_buffer[id] = static_cast<int>(layout.places.size());
    layout.places.push_back(place_of(wanted[id], buffers[id], id, program));
  }
  const auto argument = [](const OnChip& place) { return place.buffer <= BufferTable::kTarget; };
  for (OnChip& place : layout.places) {
    if (argument(place)) continue;
    place.at = layout.floats;
    layout.floats += place.slots * place.slot;
  }
  for (OnChip& place : layout.places) {  // of slot 0 of the ring of batches
    if (!argument(place)) continue;
    if (place.written) return Status{StatusCode::kUnsupported, "it writes an argument"};
    if (!place.padded) return Status{StatusCode::kUnsupported, "its arguments are no rows of samples"};
    place.at = layout.floats + layout.batch;
    layout.batch += place.slot;
  }
  layout.rate = layout.floats + layout.batch;
  layout.batch += round_up(1);
  layout.batches = layout.floats + 4 * layout.batch <= most ? 4 : 2;
  for (OnChip& place : layout.places) {
    if (argument(place)) place.slots = layout.batches, place.slot = layout.batch;
  }
  layout.floats += layout.batches * layout.batch;
  if (layout.floats > most) return too_large(layout.floats);
  return layout;
}

}  // namespace weft
