// GridWriter: writes the kernel of a grid. Shared memory is laid out first (grid_layout.cpp). Then comes the text: the
// kernel's start and end (grid_text.cpp), round after round (grid_rounds_text.cpp), what a round fetches
// (grid_gathers_text.cpp) and what else goes through the board (grid_board_text.cpp), rows of the batch
// (grid_rows_text.cpp), tiles of weights (grid_tiles_text.cpp) and single numbers (grid_numbers_text.cpp).
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/generate/grid_schedule.h"
#include "src/generate/grid_text.h"

namespace weft {

/// Threads and warps of a block, as in src/kernels/grid/grid.h.
inline constexpr int kGridThreads = 256, kGridWarps = kGridThreads / 32;

/// Columns of row matrices that a block needs: its rows whole, or all rows of its tile's columns; or a thin matrix
/// whole.
enum class GridSide { kRows, kAlongN, kAlongK, kWhole };

struct GridSlice {
  BufferId buffer;
  int lag;
  GridSide side;
  int tiling;
  auto operator<=>(const GridSlice&) const = default;  // NOLINT(modernize-use-nullptr): of code that is generated
};

struct GridRoom {
  int at = 0;  // floats from the start of the arena
  int rows = 0, columns = 0, lead = 0;
  int floats() const { return rows * lead; }
};

/// A slice of an argument, of as many calls as its slots.
struct GridArgument {
  GridRoom room;  // the first slot
  int slots = 2;
};

class GridWriter {
 public:
  GridWriter(const Program& program, const BufferTable& buffers, const GridShape& shape, const GridHomes& homes)
      : program_(program),
        buffers_(buffers),
        shape_(shape),
        homes_(homes),
        schedule_(grid_schedule(program, homes, buffers, shape.blocks)),
        batch_(homes.batch()),
        rows_(homes.rows()) {}

  Result<GridText> run();

 private:
  struct Step {
    const GridPiece* piece;
    int interval;
    bool late;
  };

  /// A state of a slice's source, see `version`.
  using SliceVersion = std::pair<GridSlice, int>;

  /// Gathering words, line by line.
  struct WordGather {
    SliceVersion key;
    std::string declared, wanted, start, hurry, end;
    bool old;  // told by an earlier call
  };

  const Instruction& of(const GridPiece& piece) const {
    return program_.code[static_cast<std::size_t>(piece.instruction)];
  }
  GridHome home(const Operand& o) const { return o.present() ? homes_[o.buffer].home : GridHome::kUnused; }
  bool is_argument(const Operand& o) const { return home(o) == GridHome::kArgument; }
  int width(const Operand& o) const { return homes_[o.buffer].width; }
  int owners() const { return div_up(batch_, rows_); }

  // What is where.
  void number_buffers();
  void look_at_reads();
  Status lay_out();
  std::vector<GridSlice> slices(const GridPiece& piece, std::size_t at) const;
  GridSlice slice_of(const Operand& operand, GridSide side, int tiling) const;
  GridRoom room_of(const GridSlice& slice) const;
  int take(int floats) {
    const int at = arena_;
    arena_ += round_up(floats, 4);
    return at;
  }
  /// Whether the last write of the operand before step `at` is what the reader sees, in this block's shared memory.
  bool mirrored(const Operand& operand, std::size_t at) const;
  /// Kept rows that are as small as this have all their slots there.
  void find_whole_mirrors();
  std::int64_t only_keeps(std::size_t at) const;
  std::string only_kept_in(const GridSlice& argument, const std::string& call) const;
  std::string mirror(const Operand& operand) const;  // its own rows' first element
  int version(const GridSlice& slice, std::size_t at) const;

  // The board.
  int notice(GridObject object, int lag = 0) const { return schedule_.board.read(object, lag); }
  int notice_written(GridObject object, int lag = 0) const { return schedule_.board.written(object, lag); }
  int passed(const GridPiece& piece) const { return notice(kGridPassed + piece.instruction); }
  const GridNotice& notice_at(int which) const { return schedule_.board.notices()[static_cast<std::size_t>(which)]; }
  /// Whether the piece writes a version of that notice, which is not one that pieces pass on.
  bool tells(const GridPiece& piece, int which) const;
  /// A new version of what the step's piece writes there; its condition has to be known. For rows, each step keeps its
  /// own: the steps of a group write theirs in one loop.
  void write_next(std::size_t at);
  std::string rows_notice(const Operand& operand, std::size_t at) const;
  void write_kept_notices();

  // Text.
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_.append(2 * static_cast<std::size_t>(indent_), ' ');
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  std::string number(BufferId id) const { return fmt::format("numbers[{}]", numbers_.at(id)); }
  std::string real(BufferId id) const { return fmt::format("__uint_as_float({})", number(id)); }
  std::string condition(const std::vector<Predicate>& when) const;
  std::string rate(const Instruction& update) const;
  std::string memory(const Operand& operand) const;               // its first element in device memory
  std::string row(const Operand& operand, std::size_t at) const;  // own row r, to be read
  std::string tile_at(BufferId id) const { return fmt::format("(arena + {})", tiles_.at(id).at); }
  std::string slice_at(const GridSlice& slice, std::size_t at) const;
  std::string slot(const std::string& call, const GridArgument& argument, int lag) const {
    const std::string turn = argument.slots == 2
                                 ? fmt::format("({} & 1)", call)
                                 : fmt::format("(({} + {}) % {})", call, argument.slots - lag, argument.slots);
    return fmt::format("(arena + {} + {} * {})", argument.room.at, turn, argument.room.floats());
  }
  std::string gather_text(const GridSlice& slice, const std::string& to, const GridRoom& room, bool argument,
                          const std::string& when = "");
  bool is_told(const GridSlice& slice) const {
    return slice.side != GridSide::kRows && !arguments_.contains(slice) && notice(slice.buffer, slice.lag) >= 0;
  }
  WordGather gather_of_words(const SliceVersion& key, std::size_t reader, const std::string& when, std::size_t at,
                             int by);
  std::vector<WordGather> write_gathers(std::size_t begin, std::size_t first, std::size_t until, int by,
                                        std::vector<std::string>& memory);
  bool is_early(const GridSlice& slice, std::size_t at) const;
  void write_first_of_early(const WordGather& gather);
  void write_early_asks();
  void write_early_ends();
  std::string wanted(const SliceVersion& key, std::size_t from) const;
  void write_prefetch(const std::string& call);
  void write_last_arguments();
  void write_list(const std::string& name, const std::string& call);
  void write_slots(const char* copy, BufferId id);
  void write_start();
  void write_end();
  void write_interval(int interval);
  std::size_t write_steps(std::size_t at, std::size_t end, bool late);
  void share_numbers(std::size_t at, std::size_t end);
  bool write_meeting(std::size_t& at, std::size_t end);
  std::vector<Predicate> common_conditions(std::size_t first, std::size_t end, std::size_t until) const;
  void open_if(const std::vector<Predicate>& when);
  bool may_still_read() const;
  void write_glance();
  std::size_t write_group(std::size_t first);
  void write_statement(std::size_t at, bool in_product, std::map<std::pair<BufferId, int>, std::string>& known);
  void write_alone(std::size_t at);
  void write_tile_product(std::size_t at);
  void write_weights(std::size_t at);
  void write_bias(std::size_t at);
  void write_start_of_results(std::size_t first, std::size_t end);
  void write_wait_for_sums(std::size_t first, std::size_t end);
  std::size_t write_results(std::size_t first);
  void write_result(const GridPiece& piece);
  void write_number(const GridPiece& piece);
  /// Whether one of the two reads or sets what the other sets, in a call in which both run.
  bool needs(std::size_t at, std::size_t other) const;
  /// Whether the parts of a result's sums are told in every call.
  bool told_always(const GridPiece& result) const;
  std::string parts_name(std::size_t at) const {
    return fmt::format("parts{}_{}", notice_at(passed(*steps_[at].piece)).first, steps_[at].interval);
  }
  void write_sum_of_tile(std::size_t at);
  void write_tile_elements(std::size_t at);
  void write_whole_rows(std::size_t at);
  void write_cross_entropy(std::size_t at);
  std::vector<std::string> sum_names(const GridPiece& piece) const;
  void write_parts(const GridPiece& piece, int active, int apart, bool later);
  bool joins(std::size_t group, std::size_t at) const;
  int element_width(const GridPiece& piece) const;
  void before(std::size_t at);
  void sync() {
    line("__syncthreads();");
    unsynced_.clear();
    met_in_ = interval_, met_if_ = within_;
    write_left_parts();
  }
  void write_left_parts();
  void store(std::size_t at, const Operand& operand, const std::string& column, const std::string& value);
  std::string only_if(const std::vector<Predicate>& when) const;  // `if (...) `, or nothing
  std::string partials_of(std::size_t at) const;
  std::string sum_of_tiles(std::size_t at, const std::string& row) const;
  void write_sums_of_tiles(std::size_t at);
  bool summed_before(std::size_t at) const;
  std::string descent(const std::string& name, const GridTiling& t);
  std::string product_type(int rows, int columns, int inner, int a_row, int a_inner, int b_inner, int b_column);

  const Program& program_;
  const BufferTable& buffers_;
  GridShape shape_;
  const GridHomes& homes_;
  GridSchedule schedule_;
  int batch_, rows_;
  GridText made_;

  std::vector<Step> steps_;
  std::map<BufferId, int> index_;    // in places.at
  std::map<BufferId, int> numbers_;  // in numbers
  std::set<BufferId> in_memory_, in_mirror_, whole_;
  std::set<BufferId> left_behind_;  // of those in memory: kept for others, not read in a launch
  int arena_ = 0;
  int scratch_ = 0;
  std::map<int, int> left_;  // sums of warps, by notice
  int samples_ = 0;          // rows of two calls
  std::map<BufferId, GridRoom> tiles_, mirrors_;
  std::map<GridSlice, GridArgument> arguments_;  // of this call: lag 0
  std::map<SliceVersion, GridRoom> slices_;
  mutable std::vector<std::vector<Predicate>> branches_;  // conditions that have opposites, as they come together
  std::set<std::int64_t> rings_;

  std::string text_, types_;
  std::size_t loop_at_ = 0;        // where in the text the calls begin
  std::vector<WordGather> early_;  // what a call asks for before it ends, for the next
  int indent_ = 0;
  int interval_ = 0, met_in_ = 0;      // the interval that is written; that in which all threads of a block met last,
  std::string within_, met_if_;        // and the conditions of both
  std::vector<std::size_t> unsynced_;  // steps whose results other threads may not see yet
  std::set<SliceVersion> there_;       // slices that have been asked for
  std::set<SliceVersion> landed_;
  std::map<SliceVersion, std::string> to_end_;  // lines that end gathers, of slices not yet needed
  bool copying_ = false;                        // whether some of those are copied by the hardware
  std::set<std::pair<int, int>> sums_started_;  // notices whose parts have been asked for, by interval
  std::vector<int> after_sync_;                 // notices of sums whose terms warps have left
  int types_made_ = 0, values_ = 0;
};

}  // namespace weft
