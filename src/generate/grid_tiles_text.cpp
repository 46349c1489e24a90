// The text of pieces on tiles of weights and on vectors.
#include "src/generate/grid_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include "src/generate/number_text.h"
#include "src/kernels/encode.h"

namespace weft {
std::string GridWriter::product_type(int rows, int columns, int inner, int a_row, int a_inner, int b_inner,
                                     int b_column) {
  const bool exact = shape_.precision == Precision::kFloat32;
  const int wide = tile_product_cost(rows, columns, inner, exact).wide;
  if (wide >= 4) made_.before = "#define WEFT_FRESH\n";
  const std::string name = fmt::format("Product{}", types_made_++);
  types_ += fmt::format(
      "struct {} {{\n  static constexpr int kRows = {}, kColumns = {}, kInner = {}, kARow = {}, kAInner = {}, kBInner "
      "= {}, "
      "kBColumn = {}, kWide = {};\n  static constexpr bool kExact = {};\n}};\n",
      name, rows, columns, inner, a_row, a_inner, b_inner, b_column, wide, exact);
  return name;
}

void GridWriter::write_tile_product(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const int which = homes_[i.in[1].buffer].tiling;
  const GridTiling& t = homes_.tiling_of(i.in[1].buffer);
  const bool forward = i.op == Opcode::kForward;
  const GridSlice slice = slice_of(i.in[0], forward ? GridSide::kAlongK : GridSide::kAlongN, which);
  const int lead = room_of(slice).lead, wide = forward ? t.nt : t.kt;
  const std::string type = forward ? product_type(batch_, t.nt, t.kt, lead, 1, 1, t.lead())
                                   : product_type(batch_, t.kt, t.nt, lead, 1, t.lead(), 1);
  const int rows = batch_ + (i.op == Opcode::kTargetBelow ? 1 : 0);
  const std::string only = condition(piece.when);
  const int n = passed(piece);
  line("{}notice{}.next();", only.empty() ? "" : fmt::format("if ({}) ", only), n);
  line("if (tile{}.any(){}) {{", which, only.empty() ? "" : " && " + only);
  ++indent_;
  line("float* const to = notice{}.at() + block * {};", n, rows * wide);
  line("const unsigned mark = notice{}.mark();", n);
  line("tile_product<{}>({}, {}, PostPartial<{}>{{to, mark}});", type, slice_at(slice, at), tile_at(i.in[1].buffer),
       wide);
  if (i.op == Opcode::kTargetBelow) {
    line("for (int c = thread_of(); c < {}; c += kThreads) {{", wide);
    line("  float weight = 0.0f;");
    line("  for (int o = 0; o < {}; ++o) weight += fabsf({}[o * {} + c]);", t.nt, tile_at(i.in[1].buffer), t.lead());
    line("  post(to + {} + c, weight, mark);", batch_ * wide);
    line("}}");
  }
  --indent_;
  line("}}");
}

void GridWriter::write_weights(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const BufferId to = i.out[0].buffer;
  const int which = homes_[to].tiling;
  const GridTiling& t = homes_.tiling_of(to);
  const GridSlice d = slice_of(i.in[0], GridSide::kAlongN, which), x = slice_of(i.in[1], GridSide::kAlongK, which);
  const int d_lead = room_of(d).lead, x_lead = room_of(x).lead;
  const bool update = i.op == Opcode::kUpdate;
  const std::string only = condition(piece.when), rate = update ? this->rate(i) : "0.0f";
  write_next(at);
  line("if (tile{}.any(){}) {{", which, only.empty() ? "" : " && " + only);
  ++indent_;
  if (!t.thin) {
    const std::string type = product_type(t.nt, t.kt, round_up(batch_, 8), 1, d_lead, x_lead, 1);
    const std::string store = update ? fmt::format("StoreDescent<{}>{{{}, {}}}", t.lead(), tile_at(to), rate)
                                     : fmt::format("StoreGradient<{}, {}>{{{}}}", t.lead(), i.accumulate, tile_at(to));
    line("tile_product<{}>({}, {}, {});", type, slice_at(d, at), slice_at(x, at), store);
  } else {
    const int items = t.nt * div_up(t.kt, 4);
    int lanes = 1;
    while (lanes < 16 && items * lanes * 2 <= kGridThreads && lanes * 2 <= batch_) lanes *= 2;
    line("const float rate = {};", rate);
    line("rows_product<{}, {}, {}, 1, {}, {}, {}>({}, {}, [&](int r, int c, float sum) {{", t.nt, t.kt, batch_, d_lead,
         x_lead, lanes, slice_at(d, at), slice_at(x, at));
    ++indent_;
    line("float* const w = {} + r * {} + c;", tile_at(to), t.lead());
    line("const float value = {};", update ? "fmaf(-rate, sum, *w)" : i.accumulate ? "*w + sum" : "sum");
    line("*w = value;");
    if (const int n = notice(to); n >= 0)
      line("if (c < tile{}.columns) post(notice{}.at() + r * {} + tile{}.column + c, value, notice{}.mark());", which,
           n, notice_at(n).lead, which, n);
    --indent_;
    line("}});");
  }
  --indent_;
  line("}}");
}

/// Of an update.
std::string GridWriter::rate(const Instruction& i) const {
  const std::string factor = i.in[2].present() ? " * " + real(i.in[2].buffer) : "";
  return fmt::format("lr * {}{}", float_text(i.scale), factor);
}

void GridWriter::write_bias(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const int n = static_cast<int>(i.n), each = div_up(n, shape_.blocks);
  const std::string only = condition(piece.when), to = memory(i.out[0]);
  const std::string if_only = only.empty() ? "" : fmt::format("if ({}) ", only);
  const std::string columns = fmt::format("min(block * {}, {}), clamped({} - block * {}, {})", each, n, n, each, each);
  write_next(at);
  if (const int d = notice(i.in[0].buffer, i.in[0].lag); d >= 0)
    line("{}column_sums_of_words<{}, {}>(notice{}.at(), {}, notice{}.mark(), [&](int c, float sum) {{", if_only, batch_,
         notice_at(d).lead, d, columns, d);
  else
    line("{}column_sums<{}, {}>({}, {}, [&](int c, float sum) {{", if_only, batch_, n, memory(i.in[0]), columns);
  if (i.op == Opcode::kBiasUpdate)
    line("  const float value = fmaf(-({}), sum, {}[c]);", rate(i), to);
  else
    line("  const float value = {};", i.accumulate ? fmt::format("{}[c] + sum", to) : "sum");
  line("  {}[c] = value;", to);
  if (const int b = notice(i.out[0].buffer); b >= 0) line("  post(notice{}.at() + c, value, notice{}.mark());", b, b);
  line("}});");
}

void GridWriter::write_sum_of_tile(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const std::string only = condition(piece.when);
  line("{}{{", only.empty() ? "" : fmt::format("if ({}) ", only));
  ++indent_;
  std::string x, elements;
  if (home(i.in[0]) == GridHome::kTiles) {
    const GridRoom& room = tiles_.at(i.in[0].buffer);
    x = tile_at(i.in[0].buffer), elements = std::to_string(room.floats());
  } else {
    const int n = width(i.in[0]), each = div_up(n, shape_.blocks);
    x = fmt::format("{} + min(block * {}, {})", memory(i.in[0]), each, n),
    elements = fmt::format("clamped({} - block * {}, {})", n, each, each);
  }
  line("float {} = terms<{}>({}, {});", sum_names(piece)[0], i.op == Opcode::kIsFinite, x, elements);
  write_parts(piece, kGridThreads, 1, false);
  --indent_;
  line("}}");
}

void GridWriter::write_tile_elements(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const bool tiles = piece.owner == GridOwner::kTiles;
  const BufferId to = i.out[0].buffer;
  std::string only = condition(piece.when);
  write_next(at);
  if (tiles) only = fmt::format("tile{}.any(){}", homes_[to].tiling, only.empty() ? "" : " && " + only);
  line("{}{{", only.empty() ? "" : fmt::format("if ({}) ", only));
  ++indent_;
  std::string elements;
  if (tiles) {
    elements = std::to_string(tiles_.at(to).floats());
  } else {
    const int n = homes_[to].width, each = div_up(n, shape_.blocks);
    line("const int first = min(block * {}, {});", each, n);
    elements = fmt::format("clamped({} - first, {})", n, each);
  }
  const auto place = [&](const Operand& o) -> std::string {
    if (!o.present()) return "nullptr";
    return tiles ? tile_at(o.buffer) : fmt::format("({} + first)", memory(o));
  };
  switch (i.op) {
    case Opcode::kApply: {
      const kernels::OptimizerNumbers o = kernels::encode(program_.optimizer);
      line("const OptimizerNumbers optimizer{{static_cast<Rule>({}), {}, {}, {}, {}, {}, {}, {}, {}, {}}};",
           static_cast<int>(o.rule), float_text(o.momentum), float_text(o.beta1), float_text(o.rest1),
           float_text(o.log_beta1), float_text(o.beta2), float_text(o.rest2), float_text(o.log_beta2),
           float_text(o.epsilon), float_text(o.decay));
      line("apply(whole_block(), {}, optimizer, lr * {}, {}, {}, {}, {}, {});", elements, float_text(i.scale),
           place(i.in[0]), i.in[1].present() ? fmt::format("numbers + {}", numbers_.at(i.in[1].buffer)) : "nullptr",
           place(i.out[0]), place(i.out[1]), place(i.out[2]));
      break;
    }
    case Opcode::kAscend:
      line("ascend(whole_block(), {}, lr * {} * {}, {}, {});", elements, float_text(i.scale), real(i.in[1].buffer),
           place(i.in[0]), place(i.out[0]));
      break;
    case Opcode::kScale:
      line("scale(whole_block(), {}, {}, {}, {}, {});", elements,
           i.in[1].present() ? fmt::format("{} * {}", float_text(i.scale), real(i.in[1].buffer)) : float_text(i.scale),
           place(i.in[0]), i.accumulate, place(i.out[0]));
      break;
    case Opcode::kSubtract:
      line("subtract(whole_block(), {}, {}, {}, {});", elements, place(i.in[0]), place(i.in[1]), place(i.out[0]));
      break;
    case Opcode::kZero: line("zero(whole_block(), {}, {});", elements, place(i.out[0])); break;
    default: break;
  }
  --indent_;
  line("}}");
  for (const Operand& out : i.out) {
    if (!out.present()) continue;
    const int n = notice(out.buffer);
    if (n < 0) continue;
    sync();
    if (tiles) {
      line("if ({}) post_tile({}, {}, notice{}.at(), {}, tile{}, notice{}.mark());", only, tile_at(out.buffer),
           tiles_.at(out.buffer).lead, n, notice_at(n).lead, homes_[out.buffer].tiling, n);
    } else {
      const int wide = homes_[out.buffer].width, each = div_up(wide, shape_.blocks);
      line("{}post_rows({}, 1, notice{}.at(), 1, min(block * {}, {}), clamped({} - block * {}, {}), notice{}.mark());",
           only.empty() ? "" : fmt::format("if ({}) ", only), memory(out), n, each, wide, wide, each, each, n);
    }
  }
}

}  // namespace weft
