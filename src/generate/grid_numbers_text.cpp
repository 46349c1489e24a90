// The text of pieces on single numbers, which every block works out for itself, all in one warp.
#include <fmt/format.h>

#include "src/generate/grid_writer.h"
#include "src/generate/number_text.h"

namespace weft {

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
    line("PartSum<{}> parts_of_{};", count, name);
    line("if (in_counting_warp()) parts_of_{}.start(notice{}.at() + {}, notice{}.mark());", name, n, sum++ * stride, n);
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

}  // namespace weft
