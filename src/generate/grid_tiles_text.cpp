// The text of pieces on tiles of weights, on vectors and on single numbers.
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
  const std::string only = condition(piece.when), rate = update ? fmt::format("lr * {}", float_text(i.scale)) : "0.0f";
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
      line("if (c < tile{}.columns) post(notice{}.at() + r * {} + tile{}.column + c, value, notice{}.mark());", which, n,
           notice_at(n).lead, which, n);
    --indent_;
    line("}});");
  }
  --indent_;
  line("}}");
}

void GridWriter::write_start_of_result(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  int count = owners();
  if (home(i.in[0]) == GridHome::kTiles) {
    const GridTiling& t = homes_.tiling_of(i.in[0].buffer);
    count = t.thin ? shape_.blocks : t.along_n * t.along_k;
  }
  if (home(i.in[0]) == GridHome::kVector) count = shape_.blocks;
  const int stride = round_up(shape_.blocks, 32), n = passed(piece);
  int sum = 0;
  for (const std::string& name : sum_names(piece)) {
    line("PartSum<{}, {}> parts_of_{};", count, stride, name);
    line("if (in_counting_warp()) parts_of_{}.start(notice{}.at() + {}, notice{}.mark());", name, n, sum++ * 8 * stride, n);
  }
  results_started_.insert(at);
}

void GridWriter::write_result(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const std::string only = condition(piece.when);
  if (!results_started_.contains(at)) write_start_of_result(at);
  line("if (in_counting_warp()) __syncwarp();");
  line("if (in_counting_warp(){}) {{", only.empty() ? "" : " && " + only);
  ++indent_;
  for (const std::string& name : sum_names(piece)) line("const float {} = parts_of_{}.end();", name, name);
  const std::string s = sum_names(piece)[0];
  const auto set_real = [&](const Operand& o, const std::string& value) {
    line("numbers[{}] = __float_as_uint({});", numbers_.at(o.buffer), value);
  };
  const auto set_flag = [&](const Operand& o, const std::string& test) {
    line("numbers[{}] = {} ? 1u : 0u;", numbers_.at(o.buffer), test);
  };
  const auto elements = static_cast<double>(i.m * i.n);
  line("if (lane_of() == 0) {{");
  ++indent_;
  switch (i.op) {
    case Opcode::kLossGap:
      line("const float loss = {} * {};", s,
           float_text(1.0 / (program_.loss == Loss::kMse ? elements : static_cast<double>(i.m))));
      set_real(i.out[1], "loss");
      set_flag(i.out[2], "loss - loss == 0.0f");
      break;
    case Opcode::kRms: set_real(i.out[0], fmt::format("sqrt({} / {})", s, float_text(elements))); break;
    case Opcode::kClip:
      line("const float norm = sqrt({});", s);
      set_real(i.out[0], fmt::format("norm > {} ? {} / norm : 1.0f", float_text(i.scale), float_text(i.scale)));
      break;
    case Opcode::kIsFinite: set_flag(i.out[0], fmt::format("{} == 0.0f", s)); break;
    case Opcode::kLinkBudget:
      line(
          "const float budget = {0} == 0.0f || {0}w == 0.0f ? 0.0f : ({0}xw / (sqrt({0}) * sqrt({0}w)) + 1.0f) / 2.0f;",
          s);
      set_real(i.out[0], fmt::format("{} * (0.5f + 0.5f * budget)", float_text(i.scale)));
      set_flag(i.out[1], "budget >= 0.2f");
      break;
    default: break;
  }
  --indent_;
  line("}}");
  --indent_;
  line("}}");
}

void GridWriter::write_number(const GridPiece& piece) {
  const Instruction& i = of(piece);
  const std::string only = condition(piece.when), to = number(i.out[0].buffer);
  std::string value;
  switch (i.op) {
    case Opcode::kCount: value = to + " + 1u"; break;
    case Opcode::kSet: value = fmt::format("{}u", i.value); break;
    case Opcode::kEquals: value = fmt::format("{} == {}u ? 1u : 0u", number(i.in[0].buffer), i.value); break;
    case Opcode::kRatio:
      value =
          fmt::format("__float_as_uint({} * {} / {})", float_text(i.scale), real(i.in[0].buffer), real(i.in[1].buffer));
      break;
    case Opcode::kRefresh:
      value = fmt::format("{} % {}u == 0u || {} != {}u || !({} > 1e-12f) ? 1u : 0u", number(i.in[0].buffer), i.period,
                          number(i.in[1].buffer), i.value, real(i.in[2].buffer));
      break;
    default: break;
  }
  line("if (counts(){}) {} = {};", only.empty() ? "" : " && " + only, to, value);
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
  write_parts(piece, kGridThreads, false);
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
