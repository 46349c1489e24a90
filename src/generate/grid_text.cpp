// The text of the whole kernel: its start, interval after interval, its end.
#include "src/generate/grid_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include "src/core/try.h"
#include "src/generate/grid_factors.h"
#include "src/generate/number_text.h"

namespace weft {
std::string GridWriter::condition(const std::vector<Predicate>& when) const {
  std::string text;
  for (const Predicate& p : when) {
    if (!text.empty()) text += " && ";
    switch (p.test) {
      case Predicate::Test::kNonZero: text += fmt::format("{} != 0u", number(p.counter)); break;
      case Predicate::Test::kZero: text += fmt::format("{} == 0u", number(p.counter)); break;
      case Predicate::Test::kModulo:
        text += fmt::format("{} % {}u == {}u", number(p.counter), p.modulus, p.remainder);
        break;
    }
  }
  return text;
}

std::string GridWriter::memory(const Operand& operand) const {
  const Buffer& buffer = buffers_[operand.buffer];
  const std::string base = fmt::format("places.at[{}]", index_.at(operand.buffer));
  if (buffer.slots == 1) return base;
  return fmt::format("({} + static_cast<long long>(slot_of(ring{}, {}, {})) * {})", base, buffer.slots,
                     operand.lag % buffer.slots, buffer.slots, buffer.elements);
}

std::string GridWriter::mirror(const Operand& operand) const {
  const GridRoom& room = mirrors_.at(operand.buffer);
  const std::int64_t slots = buffers_[operand.buffer].slots;
  if (slots == 1 || !whole_.contains(operand.buffer)) return fmt::format("(arena + {})", room.at);
  return fmt::format("(arena + {} + slot_of(ring{}, {}, {}) * {})", room.at, slots, operand.lag % slots, slots,
                     room.floats());
}

std::string GridWriter::slice_at(const GridSlice& slice, std::size_t at) const {
  const auto argument = arguments_.find({slice.buffer, 0, slice.side, slice.tiling});
  if (argument != arguments_.end()) return slot("call", argument->second, slice.lag);
  return fmt::format("(arena + {})", slices_.at({slice, version(slice, at)}).at);
}

std::string GridWriter::row(const Operand& operand, std::size_t at) const {
  if (is_argument(operand)) {
    const GridArgument& argument = arguments_.at({operand.buffer, 0, GridSide::kRows, 0});
    return fmt::format("({} + r * {})", slot("call", argument, 0), argument.room.lead);
  }
  if (mirrored(operand, at)) {
    return fmt::format("({} + r * {})", mirror(operand), mirrors_.at(operand.buffer).lead);
  }
  return fmt::format("({} + (row0 + r) * {})", memory(operand), width(operand));
}

void GridWriter::store(std::size_t at, const Operand& operand, const std::string& column, const std::string& value) {
  if (mirrors_.contains(operand.buffer)) {
    line("{}[r * {} + {}] = {};", mirror(operand), mirrors_.at(operand.buffer).lead, column, value);
  }
  if (in_memory_.contains(operand.buffer))
    line("{}[(row0 + r) * {} + {}] = {};", memory(operand), width(operand), column, value);
  if (const std::string to = rows_notice(operand, at); !to.empty())
    line("post({}.at() + (row0 + r) * {} + {}, {}, {}.mark());", to,
         notice_at(notice_written(operand.buffer, operand.lag)).lead, column, value, to);
}

std::string GridWriter::gather_text(const GridSlice& slice, const std::string& to, const GridRoom& room, bool argument,
                                    const std::string& when) {
  copying_ = copying_ || !argument;
  const GridTiling* t =
      slice.side == GridSide::kRows ? nullptr : &homes_.tilings()[static_cast<std::size_t>(slice.tiling)];
  const int stride = slice.side == GridSide::kWhole ? t->k : homes_[slice.buffer].width;
  const int words = stride % 4 == 0 ? 4 : stride % 2 == 0 ? 2 : 1;
  const int columns = round_up(room.columns, 4);
  std::string from = argument ? (slice.buffer == BufferTable::kInput ? "run.inputs" : "run.targets")
                              : memory({slice.buffer, slice.lag});
  std::string source = argument ? "next" : "InPlace{0}", rows = std::to_string(batch_),
              there = std::to_string(room.columns);
  std::string only;
  switch (slice.side) {
    case GridSide::kRows:
      rows = "rows";
      source = argument ? "Listed{next.rows + row0}" : "InPlace{row0}";
      only = "rows > 0";
      break;
    case GridSide::kAlongN:
      from += fmt::format(" + tile{}.row", slice.tiling), there = fmt::format("tile{}.rows", slice.tiling);
      break;
    case GridSide::kAlongK:
      from += fmt::format(" + tile{}.column", slice.tiling), there = fmt::format("tile{}.columns", slice.tiling);
      break;
    case GridSide::kWhole: rows = std::to_string(t->n), only = "rows > 0"; break;
  }
  if (only.empty()) only = fmt::format("tile{}.any()", slice.tiling);
  if (!when.empty()) only += " && " + when;
  return fmt::format("if ({}) gather<{}, {}, {}, {}, {}>({}, {}, {}, {}, {});", only, room.rows, columns, room.lead,
                     stride, words, to, from, source, rows, there);
}

void GridWriter::write_prefetch(const std::string& call) {
  if (arguments_.empty()) return;
  line("if ({} < run.count) {{", call);
  ++indent_;
  line("const Listed next{{samples + (({}) & 1) * {}}};", call, batch_);
  for (const auto& [slice, argument] : arguments_)
    line("{}", gather_text(slice, slot("(" + call + ")", argument, 0), argument.room, true, only_kept_in(slice, call)));
  --indent_;
  line("}}");
}

/// The calls that alone need an argument's own rows: the last ones, where they are kept and not read.
std::string GridWriter::only_kept_in(const GridSlice& argument, const std::string& call) const {
  if (argument.side != GridSide::kRows) return "";
  std::int64_t calls = 0;
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const std::vector<GridSlice> read = slices(*steps_[at].piece, at);
    if (std::none_of(read.begin(), read.end(),
                     [&](const GridSlice& s) { return s.buffer == argument.buffer && s.side == argument.side; }))
      continue;
    if (only_keeps(at) == 0) return "";
    calls = std::max(calls, only_keeps(at));
  }
  return fmt::format("{} + {} >= run.count", call, calls);
}

/// Slices of what the call before this launch was given.
void GridWriter::write_last_arguments() {
  for (const auto& [ring, from] : homes_.copies())
    for (const auto& [slice, argument] : arguments_)
      if (argument.slots > 2 && slice.buffer == from)
        line("{}", gather_text({ring, 1, slice.side, slice.tiling}, slot("0", argument, 1), argument.room, false));
}

/// Which samples a call trains on; behind the last one those of the last.
void GridWriter::write_list(const std::string& name, const std::string& call) {
  if (arguments_.empty()) return;
  line("const List<{}> {}(Batch{{run.order, min({}, run.count - 1) * {}, run.each}});", batch_, name, call, batch_);
}

/// All slots of a whole mirror from device memory, or back.
void GridWriter::write_slots(const char* copy, BufferId id) {
  const GridRoom& room = mirrors_.at(id);
  for (std::int64_t lag = 0; lag < buffers_[id].slots; ++lag) {
    const Operand slot{id, static_cast<int>(lag)};
    line("{}({}, {}, {}, {}, Tile{{row0, rows, 0, {}}});", copy, mirror(slot), room.lead, memory(slot), room.columns,
         room.columns);
  }
}

void GridWriter::write_start() {
  line("extern __shared__ __align__(16) float arena[];");
  line("unsigned* const numbers = reinterpret_cast<unsigned*>(arena);");
  if (!arguments_.empty()) line("long long* const samples = reinterpret_cast<long long*>(arena + {});", samples_);
  line("const int block = static_cast<int>(blockIdx.x), row0 = block * {}, rows = clamped({} - row0, {});", rows_,
       batch_, rows_);
  for (std::size_t t = 0; t < homes_.tilings().size(); ++t) {
    const GridTiling& tiling = homes_.tilings()[t];
    line("const Tile tile{} = tile_of({}, {}, {}, {}, {}, {}, {});", t,
         tiling.thin ? fmt::format("{} - block", shape_.blocks - 1) : "block", tiling.along_n, tiling.along_k,
         tiling.nt, tiling.kt, tiling.n, tiling.k);
  }
  line("for (int i = thread_of(); i < {}; i += kThreads) arena[i] = 0.0f;", arena_);
  line("__syncthreads();");
  for (const auto& [id, room] : tiles_)
    if (buffers_[id].role != Role::kScratch)
      line("load_tile({}, {}, places.at[{}], {}, tile{});", tile_at(id), room.lead, index_.at(id),
           homes_.tiling_of(id).k, homes_[id].tiling);
  for (const auto& [id, at] : numbers_)
    line("if (threadIdx.x == 0) numbers[{}] = __float_as_uint(*places.at[{}]);", at, index_.at(id));
  for (const std::int64_t slots : rings_) line("int ring{} = static_cast<int>(run.clock % {});", slots, slots);
  for (const auto& [id, room] : mirrors_)
    if (whole_.contains(id)) write_slots("load_tile", id);
  line("Barrier barrier{{run.state, __ldcg(run.state + {})}}, pace{{run.state + 32, __ldcg(run.state + {})}};",
       kGridKept, kGridKept + 1);
  for (int n = 0; n < made_.notices; ++n)
    line("Notice<{}, {}> notice{}(run.board + {}, __ldcg(run.state + {}));", notice_at(n).slots, notice_at(n).floats, n,
         notice_at(n).at, kGridKept + 2 + n);
  write_kept_notices();
  write_last_arguments();
  write_list("first", "0");
  write_list("second", "1");
  if (!arguments_.empty()) {
    line("first.store(samples);");
    line("second.store(samples + {});", batch_);
    sync();
  }
  write_prefetch("0");
  line("landed();");
  line("__syncthreads();");
  loop_at_ = text_.size();
  line("#pragma unroll 1");
  line("for (int call = 0; call < run.count; ++call) {{");
  ++indent_;
  line("const float lr = __ldg(run.rates + call);");
  if (schedule_.settled > 0 && schedule_.settled != GridSchedule::kNever) line("pace.arrive_alone();");
}

void GridWriter::write_end() {
  if (!arguments_.empty()) line("listed.store(samples + (call & 1) * {});", batch_);
  if (schedule_.settled == GridSchedule::kNever)
    line("{};", schedule_.remembers ? "pace.wait_alone()" : "pace.wait_for_all(begun)");
  line("landed();");
  sync();
  if (program_.loss_value != kNoBuffer)
    line("if (block == 0 && threadIdx.x == 0) run.outcomes[call] = CallOutcome{{{}, {}}};", real(program_.loss_value),
         number(program_.loss_finite));
  else
    line("if (block == 0 && threadIdx.x == 0) run.outcomes[call] = CallOutcome{{0.0f, 1u}};");
  if (schedule_.settled == 0) {
    line("pace.arrive();");
    if (schedule_.intervals.size() == 1) write_prefetch("call + 1");
    line("pace.wait();");
    if (schedule_.intervals.size() == 1) {
      line("landed();");
      line("__syncthreads();");
    }
    ++made_.barriers;
  }
  for (const std::int64_t slots : rings_)
    line("ring{} = ring{} + 1 == {} ? 0 : ring{} + 1;", slots, slots, slots, slots);
  --indent_;
  line("}}");
  line("__syncthreads();");
  for (const auto& [id, room] : tiles_)
    if (buffers_[id].role != Role::kScratch)
      line("store_tile({}, {}, places.at[{}], {}, tile{});", tile_at(id), room.lead, index_.at(id),
           homes_.tiling_of(id).k, homes_[id].tiling);
  for (const auto& [id, room] : mirrors_)
    if (whole_.contains(id) && !in_memory_.contains(id)) write_slots("store_tile", id);
  for (const auto& [id, at] : numbers_)
    line("if (block == 0 && threadIdx.x == 0) *places.at[{}] = __uint_as_float(numbers[{}]);", index_.at(id), at);
  line("if (block == 0 && threadIdx.x == 0) {{");
  ++indent_;
  line("run.state[{}] = barrier.goal;", kGridKept);
  line("run.state[{}] = pace.goal;", kGridKept + 1);
  for (int n = 0; n < made_.notices; ++n) line("run.state[{}] = notice{}.told();", kGridKept + 2 + n, n);
  --indent_;
  line("}}");
}

Result<GridText> GridWriter::run() {
  number_buffers();
  look_at_reads();
  made_.batch = batch_;
  made_.rounds = static_cast<int>(schedule_.intervals.size()) - 1;
  WEFT_RETURN_IF_ERROR(lay_out());
  indent_ = 1;
  write_start();
  for (int interval = 0; interval < static_cast<int>(schedule_.intervals.size()); ++interval) write_interval(interval);
  if (schedule_.intervals.size() == 1) write_list("listed", "call + 2");
  write_end();
  made_.text = fmt::format(
      "namespace weft::kernels::grid {{\n{}"
      "extern \"C\" __global__ void __launch_bounds__({}, 1)\n"
      "    weft_grid(const __grid_constant__ Places<{}> places, const __grid_constant__ Run run) {{\n{}}}\n}}\n",
      types_, kGridThreads, std::max<std::size_t>(made_.buffers.size(), 1), text_);
  return std::move(made_);
}

Result<GridText> grid_text(const Program& given, const BufferTable& buffers, const GridShape& shape) {
  const Program program = with_late_factors(given, buffers);
  // What all matrices need together is known only when everything is laid out: smaller tiles until it fits.
  Result<GridText> made = Status{StatusCode::kUnsupported, "grid: no tiles fit"};
  for (double share = shape.tile_share; share > 0.1 && !made.ok(); share *= 0.85) {
    for (const bool roomy : {true, false}) {
      GridShape tried = shape;
      tried.tile_share = share, tried.roomy = roomy;
      WEFT_ASSIGN_OR_RETURN(const GridHomes homes, GridHomes::make(program, buffers, tried));
      Result<GridText> text = GridWriter(program, buffers, tried, homes).run();
      if (text.ok() || share == shape.tile_share || text.status().code() != StatusCode::kUnsupported)
        made = std::move(text);
      if (made.ok()) break;
    }
  }
  return made;
}

}  // namespace weft
