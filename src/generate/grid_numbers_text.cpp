// The text of pieces on single numbers, which every block works out for itself, all in one warp.
#include <fmt/format.h>

#include <algorithm>

#include "src/generate/grid_writer.h"
#include "src/generate/number_text.h"

namespace weft {

bool GridWriter::needs(std::size_t at, std::size_t other) const {
  const GridPiece &a = *steps_[at].piece, &b = *steps_[other].piece;
  if (exclusive(program_, a, b)) return false;
  // What the two pieces of an instruction pass on is on the board.
  return std::any_of(a.accesses.begin(), a.accesses.end(), [&](const GridAccess& x) {
    return x.object < kGridPassed && std::any_of(b.accesses.begin(), b.accesses.end(), [&](const GridAccess& y) {
             return touch(x, y) && (x.lag - y.lag) % buffers_[x.object].slots == 0;
           });
  });
}

bool GridWriter::told_always(const GridPiece& result) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& s) {
    return s.piece->work == GridWork::kSum && s.piece->instruction == result.instruction &&
           tells_always(program_, *s.piece);
  });
}

/// Asks for all parts that the results among the steps need.
void GridWriter::write_start_of_results(std::size_t first, std::size_t end) {
  for (std::size_t at = first; at < end; ++at) {
    const GridPiece& piece = *steps_[at].piece;
    if (piece.work != GridWork::kResult) continue;
    const int n = notice_at(passed(piece)).first;
    if (!sums_started_.insert({n, steps_[at].interval}).second) continue;
    const Operand& x = of(piece).in[0];
    int count = owners();
    if (home(x) == GridHome::kTiles) {
      const GridTiling& t = homes_.tiling_of(x.buffer);
      count = t.thin ? shape_.blocks : t.along_n * t.along_k;
    }
    if (home(x) == GridHome::kVector) count = shape_.blocks;
    line("PartSums<{}, {}> {};", count, notice_at(n).words, parts_name(at));
    line("if (in_counting_warp()) {}.start(notice{}.at(), notice{}.mark());", parts_name(at), n, n);
  }
}

/// Waits for all parts at once that are told in any case; for others `write_results` waits.
void GridWriter::write_wait_for_sums(std::size_t first, std::size_t end) {
  std::set<std::string> asks;
  for (std::size_t at = first; at < end; ++at)
    if (steps_[at].piece->work == GridWork::kResult && told_always(*steps_[at].piece))
      asks.insert(parts_name(at) + ".missing()");
  if (asks.empty()) return;
  line("#pragma unroll 1");
  line("while (in_counting_warp() && ({})) {{", fmt::join(asks, " | "));
  line("}}");
}

/// The result at `first` and those behind it that need nothing of each other. Returns the first step behind them.
std::size_t GridWriter::write_results(std::size_t first) {
  before(first);
  if (std::any_of(unsynced_.begin(), unsynced_.end(), [&](std::size_t other) { return needs(first, other); }))
    line("if (in_counting_warp()) __syncwarp();");
  const std::string only = condition(steps_[first].piece->when);
  const bool always = told_always(*steps_[first].piece);
  std::size_t end = first;
  const auto joins = [&] {
    const GridPiece& piece = *steps_[end].piece;
    if (piece.work != GridWork::kResult || steps_[end].interval != steps_[first].interval ||
        condition(piece.when) != only || told_always(piece) != always)
      return false;
    for (std::size_t other = first; other < end; ++other)
      if (needs(end, other)) return false;
    return std::none_of(unsynced_.begin(), unsynced_.end(), [&](std::size_t other) { return needs(end, other); });
  };
  while (end < steps_.size() && (end == first || joins())) ++end;
  line("if (in_counting_warp(){}) {{", only.empty() ? "" : " && " + only);
  ++indent_;
  for (std::size_t at = first; at < end; ++at) {
    const GridPiece& piece = *steps_[at].piece;
    if (!always) {
      line("while ({}.missing()) {{", parts_name(at));
      line("}}");
    }
    int column = notice_at(passed(piece)).column;
    for (const std::string& name : sum_names(piece))
      line("const float {} = {}.sum<{}>();", name, parts_name(at), column++);
  }
  line("if (lane_of() == 0) {{");
  ++indent_;
  for (std::size_t at = first; at < end; ++at) write_result(*steps_[at].piece);
  --indent_;
  line("}}");
  --indent_;
  line("}}");
  for (std::size_t at = first; at < end; ++at) unsynced_.push_back(at);
  return end;
}

void GridWriter::write_result(const GridPiece& piece) {
  const Instruction& i = of(piece);
  const std::string s = sum_names(piece)[0];
  const auto set_real = [&](const Operand& o, const std::string& value) {
    line("numbers[{}] = __float_as_uint({});", numbers_.at(o.buffer), value);
  };
  const auto set_flag = [&](const Operand& o, const std::string& test) {
    line("numbers[{}] = {} ? 1u : 0u;", numbers_.at(o.buffer), test);
  };
  const auto elements = static_cast<double>(i.m * i.n);
  switch (i.op) {
    case Opcode::kLossGap:
      line("const float loss = {} * {};", s,
           float_text(1.0 / (program_.loss == Loss::kMse ? elements : static_cast<double>(i.m))));
      set_real(i.out[1], "loss");
      set_flag(i.out[2], "loss - loss == 0.0f");
      break;
    case Opcode::kRms: set_real(i.out[0], fmt::format("sqrt({} / {})", s, float_text(elements))); break;
    case Opcode::kClip:
      line("const float {}_norm = sqrt({});", s, s);
      set_real(i.out[0], fmt::format("{0}_norm > {1} ? {1} / {0}_norm : 1.0f", s, float_text(i.scale)));
      break;
    case Opcode::kIsFinite: set_flag(i.out[0], fmt::format("{} == 0.0f", s)); break;
    case Opcode::kLinkBudget:
      line(
          "const float {0}_budget = {0} == 0.0f || {0}w == 0.0f ? 0.0f : ({0}xw / (sqrt({0}) * sqrt({0}w)) + 1.0f) / "
          "2.0f;",
          s);
      set_real(i.out[0], fmt::format("{} * (0.5f + 0.5f * {}_budget)", float_text(i.scale), s));
      set_flag(i.out[1], s + "_budget >= 0.2f");
      break;
    default: break;
  }
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
