// The text of pieces on rows of the batch: elementwise work in loops of as many pieces as go together.
#include "src/generate/grid_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include "src/generate/number_text.h"

namespace weft {
int GridWriter::element_width(const GridPiece& piece) const {
  const Instruction& i = of(piece);
  if (piece.owner != GridOwner::kRows) return 0;
  switch (piece.work) {
    case GridWork::kReduce:
    case GridWork::kThinProduct: return static_cast<int>(i.op == Opcode::kForward ? i.n : i.k);
    case GridWork::kElements: return static_cast<int>(i.op == Opcode::kProject ? i.n / batch_ : i.n);
    case GridWork::kSum:
      return i.op == Opcode::kLossGap && program_.loss == Loss::kCrossEntropy ? 0 : static_cast<int>(i.n);
    default: return 0;
  }
}

/// Whether the step may work on the same elements in the same threads as the steps from `group` on.
bool GridWriter::joins(std::size_t group, std::size_t at) const {
  const GridPiece& piece = *steps_[at].piece;
  if (steps_[at].interval != steps_[group].interval || steps_[at].late != steps_[group].late) return false;
  if (piece.work == GridWork::kThinProduct || element_width(piece) == 0 ||
      element_width(piece) != element_width(*steps_[group].piece))
    return false;
  const Instruction& i = of(piece);
  if (only_keeps(at) != only_keeps(group)) return false;
  // A product's end runs under the product's conditions.
  const GridPiece& head = *steps_[group].piece;
  if (head.work == GridWork::kThinProduct && (piece.work == GridWork::kReduce || !includes(piece.when, head.when)))
    return false;
  // Rows that are read across columns must not come from the group, nor what is partly written.
  for (std::size_t g = group; g < at; ++g) {
    const Instruction& before = of(*steps_[g].piece);
    for (const GridAccess& a : steps_[g].piece->accesses)
      for (const GridAccess& b : piece.accesses) {
        if (a.object != b.object || !(a.writes || b.writes)) continue;
        if (a.object >= kGridPassed || homes_[a.object].home != GridHome::kRows) return false;
        const auto across = [&](const Instruction& x) {
          return x.op == Opcode::kProject || x.op == Opcode::kCopyColumns || x.op == Opcode::kScaleRows;
        };
        if (across(i) || across(before)) return false;
        if (of(*steps_[group].piece).op != Opcode::kForward && steps_[group].piece->work == GridWork::kThinProduct &&
            homes_[a.object].width != element_width(piece))
          return false;
        if (homes_[a.object].width != element_width(piece)) return false;
      }
  }
  return true;
}

std::vector<std::string> GridWriter::sum_names(const GridPiece& piece) const {
  if (of(piece).op != Opcode::kLinkBudget) return {fmt::format("sum{}", piece.instruction)};
  return {fmt::format("sum{}", piece.instruction), fmt::format("sum{}w", piece.instruction),
          fmt::format("sum{}xw", piece.instruction)};
}

/// The block's part of a sum goes to the board; `later`: behind the next place where the threads meet anyway.
void GridWriter::write_parts(const GridPiece& piece, int active, int apart, bool later) {
  const std::string owns = piece.owner == GridOwner::kRows ? "rows > 0" : "true";
  const int n = passed(piece);
  int at = 0;
  line("notice{}.next();", n);
  for (const std::string& name : sum_names(piece)) {
    if (later && active > 32) {
      line("{} = warp_sum<{}>({});", name, apart, name);
      line("if (lane_of() == 0) arena[{} + warp_of()] = {};", left_.at(n) + at++ * kGridWarps, name);
      continue;
    }
    line("{} = block_sum<{}>({}, arena + {});", name, active > 32 ? kGridThreads : 32, name,
         scratch_ + at * kGridWarps);
    line("if ({} && threadIdx.x == 0) post(notice{}.at() + block * kPartWords + {}, {}, notice{}.mark());", owns, n,
         at++, name, n);
  }
  if (later && active > 32) after_sync_.push_back(n);
}

/// Tells the parts that warps have left, those side by side at once.
void GridWriter::write_left_parts() {
  for (std::size_t first = 0, end; first < after_sync_.size(); first = end) {
    const int n = after_sync_[first];
    int sums = 0;
    for (end = first; end < after_sync_.size(); ++end) {
      const GridNotice& next = notice_at(after_sync_[end]);
      if (next.first != notice_at(n).first || next.column != notice_at(n).column + sums ||
          left_.at(after_sync_[end]) != left_.at(n) + sums * kGridWarps)
        break;
      sums += next.sums;
    }
    line("if (rows > 0) post_parts(notice{}.at() + block * kPartWords, arena + {}, {}, notice{}.mark());", n,
         left_.at(n), sums, n);
  }
  after_sync_.clear();
}

/// One element of one piece; r and c are its row among the block's own and its column.
void GridWriter::write_statement(std::size_t at, bool in_product,
                                 std::map<std::pair<BufferId, int>, std::string>& known) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const auto value = [&](const Operand& o) -> std::string {
    const auto name = known.find({o.buffer, o.lag});
    return name != known.end() ? name->second : fmt::format("{}[c]", row(o, at));
  };
  // Later statements of the group that see this value for sure take it from a register.
  const auto keep = [&](const Operand& o, const std::string& text) {
    if (!piece.when.empty()) {
      known.erase({o.buffer, o.lag});
      return store(at, o, "c", text);
    }
    const std::string name = fmt::format("v{}", values_++);
    line("const float {} = {};", name, text);
    known[{o.buffer, o.lag}] = name;
    store(at, o, "c", name);
  };
  const std::string only = condition(piece.when);
  line("{}{{", only.empty() || in_product ? "" : fmt::format("if ({}) ", only));
  if (only.empty())
    text_.erase(text_.rfind("{\n"), 2), text_.erase(text_.find_last_not_of(' ') + 1);
  else
    ++indent_;
  const auto scaled = [&](double scale, const std::string& x) {
    return scale == 1.0 ? x : float_text(scale) + " * " + x;
  };
  const auto act = [&](const char* function, const std::string& z) {
    return fmt::format("{}(static_cast<Act>({}), {})", function, static_cast<int>(i.activation), z);
  };
  switch (i.op) {
    case Opcode::kForward: {
      std::string sum = "sum";
      if (piece.work == GridWork::kReduce) sum = sum_of_tiles(at, "row0 + r");
      if (i.in[2].present()) {
        const int b = notice(i.in[2].buffer, i.in[2].lag);
        sum += b < 0 ? fmt::format(" + __ldcg({} + c)", memory(i.in[2]))
                     : fmt::format(" + told(notice{}.at() + c, notice{}.mark())", b, b);
      }
      if (i.out[0] == i.out[1]) {
        keep(i.out[1], act("activate", sum));
      } else {
        const std::string z = fmt::format("z{}", piece.instruction);
        line("const float {} = {};", z, sum);
        keep(i.out[0], z);
        keep(i.out[1], act("activate", z));
      }
      break;
    }
    case Opcode::kGradInput:
    case Opcode::kTargetBelow: {
      std::string sum = "sum";
      if (piece.work == GridWork::kReduce) {
        sum = sum_of_tiles(at, "row0 + r");
        if (i.op == Opcode::kTargetBelow) {
          const std::string weight = fmt::format("weight{}", piece.instruction);
          line("const float {} = {};", weight, sum_of_tiles(at, std::to_string(batch_)));
          sum = fmt::format("{} > 0.01f ? {} / {} : 0.0f", weight, sum, weight);
        }
      } else if (i.op == Opcode::kTargetBelow) {
        sum = "weight > 0.01f ? sum / weight : 0.0f";
      }
      if (i.accumulate) sum = fmt::format("{} + {}", value(i.out[0]), sum);
      keep(i.out[0], sum);
      break;
    }
    case Opcode::kDelta:
      keep(i.out[0], fmt::format("{} * {}", scaled(i.scale, value(i.in[0])), act("slope", value(i.in[1]))));
      break;
    case Opcode::kScale: {
      std::string factor = i.in[1].present() ? fmt::format("({} * {})", float_text(i.scale), real(i.in[1].buffer)) : "";
      std::string text = factor.empty() ? scaled(i.scale, value(i.in[0])) : factor + " * " + value(i.in[0]);
      if (i.accumulate) text = fmt::format("{} + {}", value(i.out[0]), text);
      keep(i.out[0], text);
      break;
    }
    case Opcode::kSubtract: keep(i.out[0], fmt::format("{} - {}", value(i.in[0]), value(i.in[1]))); break;
    case Opcode::kZero: keep(i.out[0], "0.0f"); break;
    case Opcode::kProject:
      keep(i.out[0],
           scaled(i.scale, fmt::format("projected({}, {}, {}, c)", row(i.in[0], at), i.k / batch_, i.n / batch_)));
      break;
    case Opcode::kCopyColumns: {
      std::string text = scaled(i.scale, fmt::format("{}[{} + c]", row(i.in[0], at), i.in_at));
      const std::string to = fmt::format("{} + c", i.out_at);
      if (i.accumulate) text = fmt::format("{}[{}] + {}", row(i.out[0], at), to, text);
      store(at, i.out[0], to, text);
      break;
    }
    case Opcode::kScaleRows: {
      std::string text =
          fmt::format("{} * {}", scaled(i.scale, fmt::format("{}[{}]", row(i.in[1], at), i.in_at)), value(i.in[0]));
      if (i.accumulate) text = fmt::format("{} + {}", value(i.out[0]), text);
      keep(i.out[0], text);
      break;
    }
    case Opcode::kLossGap: {
      const std::string error = fmt::format("error{}", piece.instruction), sum = sum_names(piece)[0];
      line("const float {} = {} - {};", error, value(i.in[0]), value(i.in[1]));
      line("{} = fmaf({}, {}, {});", sum, error, error, sum);
      if (i.out[0].present())
        keep(i.out[0], fmt::format("{} * {}", error, float_text(2.0 / static_cast<double>(i.m * i.n))));
      break;
    }
    case Opcode::kRms:
    case Opcode::kClip:
    case Opcode::kIsFinite: {
      const std::string sum = sum_names(piece)[0], x = value(i.in[0]);
      if (i.op == Opcode::kIsFinite)
        line("{} += {} - {};", sum, x, x);
      else
        line("{} = fmaf({}, {}, {});", sum, x, x, sum);
      break;
    }
    case Opcode::kLinkBudget: {
      const std::vector<std::string> sums = sum_names(piece);
      const std::string x = value(i.in[0]), w = value(i.in[1]);
      line("{} = fmaf({}, {}, {});", sums[0], x, x, sums[0]);
      line("{} = fmaf({}, {}, {});", sums[1], w, w, sums[1]);
      line("{} = fmaf({}, {}, {});", sums[2], x, w, sums[2]);
      break;
    }
    default: break;
  }
  if (!only.empty()) {
    --indent_;
    line("}}");
  }
}

/// Elementwise pieces on own rows, one loop for as many as go together. Returns the first step behind them.
std::size_t GridWriter::write_group(std::size_t first) {
  std::size_t end = first + 1;
  before(first);
  const auto clean = [&](std::size_t at) {
    // Whatever the step touches besides the group has been seen by all threads.
    for (const GridSlice& slice : slices(*steps_[at].piece, at))
      if (const std::pair key{slice, version(slice, at)}; slices_.contains(key) && !landed_.contains(key)) return false;
    return std::none_of(unsynced_.begin(), unsynced_.end(), [&](std::size_t other) { return needs(at, other); });
  };
  while (end < steps_.size() && joins(first, end) && clean(end)) ++end;
  const GridPiece& head = *steps_[first].piece;
  const Instruction& i = of(head);
  const int across = element_width(head);
  int active = std::min(kGridThreads, rows_ * across), apart = 1;
  const std::int64_t kept = only_keeps(first);
  line("{}{{", kept > 0 ? fmt::format("if (call + {} >= run.count) ", kept) : "");
  ++indent_;
  for (std::size_t at = first; at < end; ++at)
    if (steps_[at].piece->work == GridWork::kSum)
      for (const std::string& name : sum_names(*steps_[at].piece)) line("float {} = 0.0f;", name);
  for (std::size_t at = first; at < end; ++at) write_next(at);
  std::map<std::pair<BufferId, int>, std::string> known;
  if (head.work == GridWork::kThinProduct) {
    active = kGridThreads;
    const GridTiling& t = homes_.tiling_of(i.in[1].buffer);
    const GridSlice weights{i.in[1].buffer, i.in[1].lag, GridSide::kWhole, homes_[i.in[1].buffer].tiling};
    const GridSlice own{i.in[0].buffer, i.in[0].lag, GridSide::kRows, 0};
    const bool mirror = !is_argument(i.in[0]) && mirrored(i.in[0], first);
    const std::string x = mirror ? this->mirror(i.in[0]) : slice_at(own, first);
    const int x_lead = padded_lead(width(i.in[0])), w_lead = padded_lead(t.k);
    const std::string w = slice_at(weights, first), only = condition(head.when);
    const bool forward = i.op == Opcode::kForward;
    const int items = rows_ * (forward ? t.n : div_up(t.k, 4)), most = forward ? div_up(t.k, 4) : t.n;
    int lanes = 1;
    double least = 1e30;
    for (int l = 1, log = 0; l <= 32 && l <= std::max(most, 1); l *= 2, ++log) {
      const double cost =
          div_up(items * l, kGridThreads) * (div_up(most, l) * 14.0 + 40.0 + log * (forward ? 26.0 : 34.0));
      if (cost < least) least = cost, lanes = l;
    }
    line("if (rows > 0{}) {{", only.empty() ? "" : " && " + only);
    ++indent_;
    line("const auto finish = [&](int r, int c, float sum) {{");
    ++indent_;
    line("if (r >= rows) return;");
    if (i.op == Opcode::kTargetBelow) {
      line("float weight = 0.0f;");
      line("for (int o = 0; o < {}; ++o) weight += fabsf({}[o * {} + c]);", t.n, w, w_lead);
    }
    // The condition of the head has been looked at; those of the others are their own.
    for (std::size_t at = first; at < end; ++at) write_statement(at, at == first, known);
    --indent_;
    line("}};");
    apart = forward ? lanes : 1;
    if (forward)
      line("rows_forward<{}, {}, {}, {}, {}, {}>({}, {}, finish);", rows_, t.n, round_up(t.k, 4), x_lead, w_lead, lanes,
           x, w);
    else if (rows_ * t.k <= 2 * kGridThreads && t.n <= 32)
      line("few_rows_product<{}, {}, {}, {}, 1, {}>({}, {}, finish);", rows_, t.k, t.n, x_lead, w_lead, x, w);
    else
      line("rows_product<{}, {}, {}, {}, 1, {}, {}>({}, {}, finish);", rows_, t.k, t.n, x_lead, w_lead, lanes, x, w);
    --indent_;
    line("}}");
  } else {
    const int each = div_up(rows_ * across, kGridThreads);
    bool summed = false;
    for (std::size_t at = first; at < end; ++at) {
      if (steps_[at].piece->work != GridWork::kReduce || !summed_before(at)) continue;
      write_sums_of_tiles(at);
      summed = true;
    }
    if (summed) {
      line("const int thread = thread_of();");
      line("#pragma unroll");
      line("for (int j = 0; j < {}; ++j) {{", each);
      ++indent_;
      line("const int e = thread + j * kThreads;");
      line("if (e >= rows * {}) break;", across);
    } else {
      line("for (int e = thread_of(); e < rows * {}; e += kThreads) {{", across);
      ++indent_;
    }
    line("const int r = {}, c = {};", rows_ == 1 ? "0" : fmt::format("e / {}", across),
         rows_ == 1 ? "e" : fmt::format("e % {}", across));
    for (std::size_t at = first; at < end; ++at) write_statement(at, false, known);
    --indent_;
    line("}}");
  }
  for (std::size_t at = first; at < end; ++at)
    if (steps_[at].piece->work == GridWork::kSum) write_parts(*steps_[at].piece, active, apart, true);
  --indent_;
  line("}}");
  for (std::size_t at = first; at < end; ++at) unsynced_.push_back(at);
  return end;
}

void GridWriter::write_whole_rows(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const std::string only = condition(piece.when);
  const auto to = [&](const Operand& o) { return fmt::format("({} + (row0 + r) * {})", memory(o), width(o)); };
  write_next(at);
  line("{}for (int r = thread_of(); r < rows; r += kThreads) {{", only.empty() ? "" : fmt::format("if ({}) ", only));
  ++indent_;
  switch (i.op) {
    case Opcode::kSoftmax: line("softmax(alone(), 1, {}, {}, {});", i.n, row(i.in[0], at), to(i.out[0])); break;
    case Opcode::kSoftmaxGrad:
      line("softmax_grad(alone(), 1, {}, {}, {}, {});", i.n, row(i.in[0], at), row(i.in[1], at), to(i.out[0]));
      break;
    case Opcode::kRowDot:
      line("row_dot(alone(), 1, {}, {}, {}, Columns{{{}, {}}}, {});", i.n, row(i.in[0], at), row(i.in[1], at), i.width,
           i.out_at, to(i.out[0]));
      break;
    default: break;
  }
  if (const std::string n = rows_notice(i.out[0], at); !n.empty())
    line("post_row({}, {}.at() + (row0 + r) * {}, {}, {}.mark());", to(i.out[0]), n,
         notice_at(notice_written(i.out[0].buffer, i.out[0].lag)).lead, width(i.out[0]), n);
  --indent_;
  line("}}");
}

void GridWriter::write_cross_entropy(std::size_t at) {
  const GridPiece& piece = *steps_[at].piece;
  const Instruction& i = of(piece);
  const std::string only = condition(piece.when), sum = sum_names(piece)[0];
  line("{}{{", only.empty() ? "" : fmt::format("if ({}) ", only));
  ++indent_;
  line("float {} = 0.0f;", sum);
  const bool mirror = i.out[0].present() && mirrors_.contains(i.out[0].buffer);
  const std::string to_board = i.out[0].present() ? rows_notice(i.out[0], at) : "";
  const bool kept = i.out[0].present() && (in_memory_.contains(i.out[0].buffer) || (!to_board.empty() && !mirror));
  const bool gap = kept || mirror;
  write_next(at);
  line("for (int r = thread_of(); r < rows; r += kThreads) {{");
  ++indent_;
  const auto to_mirror = [&] {
    return fmt::format("{} + r * {}", this->mirror(i.out[0]), mirrors_.at(i.out[0].buffer).lead);
  };
  if (gap)
    line("float* const gap = {};",
         kept ? fmt::format("{} + (row0 + r) * {}", memory(i.out[0]), width(i.out[0])) : to_mirror());
  line("{} += cross_entropy_row({}, {}, {}, {}, {}, {});", sum, i.n, float_text(static_cast<double>(i.m)),
       row(i.in[0], at), row(i.in[1], at), gap, gap ? "gap" : "nullptr");
  if (kept && mirror) line("for (int c = 0; c < {}; ++c) ({})[c] = gap[c];", i.n, to_mirror());
  if (!to_board.empty())
    line("post_row(gap, {}.at() + (row0 + r) * {}, {}, {}.mark());", to_board,
         notice_at(notice_written(i.out[0].buffer, i.out[0].lag)).lead, i.n, to_board);
  --indent_;
  line("}}");
  write_parts(piece, std::min(rows_, kGridThreads), 1, false);
  --indent_;
  line("}}");
}

}  // namespace weft
