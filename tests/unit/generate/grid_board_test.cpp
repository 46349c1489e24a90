// What blocks tell each other by versions: whoever reads finds the version it means, whatever the blocks' pace.
#include "src/generate/grid_board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "src/generate/grid_schedule.h"
#include "src/plan/plan.h"
#include "src/schedule/schedule.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

constexpr int kBlocks = 4, kCalls = 40;
enum class Outcome { kDone, kStuck, kLost };

/// Blocks run a schedule's steps in random turns; each posts its own words, and who reads needs those of all. Only one
/// notice is looked at, so that nothing but the blocks' pace keeps them together.
class Blocks {
 public:
  Blocks(const GridSchedule& schedule, std::size_t notice, unsigned seed, int most_slots = 1 << 10)
      : schedule_(schedule), random_(seed), only_(static_cast<int>(notice)), most_slots_(most_slots) {
    for (std::size_t t = 0; t < schedule.intervals.size(); ++t) {
      if (t == schedule.settled || (t == 1 && schedule.settled == GridSchedule::kNever)) events_.push_back({nullptr});
      for (const GridPiece& piece : schedule.intervals[t].late) events_.push_back({&piece});
      for (const GridPiece& piece : schedule.intervals[t].pieces) events_.push_back({&piece});
    }
    for (int b = 0; b < kBlocks; ++b) {
      State state;
      for (std::size_t n = 0; n < schedule.board.notices().size(); ++n) {
        state.versions.push_back(slots_of(n) - 1 + (schedule.board.notices()[n].kept ? 1 : 0));
        std::vector<int> slots(static_cast<std::size_t>(slots_of(n)), -1);
        for (int v = slots_of(n) - 1; v <= state.versions.back(); ++v)
          slots[static_cast<std::size_t>(v % slots_of(n))] = v;
        state.posted.push_back(slots);
      }
      blocks_.push_back(std::move(state));
    }
  }

  Outcome run() {
    int idle = 0;
    while (idle < 20 * kBlocks) {
      // Most turns go to a few, so that some fall behind.
      const auto b = static_cast<std::size_t>(random_() % 4 != 0 ? favourite_ : random_() % kBlocks);
      if (random_() % 50 == 0) favourite_ = random_() % kBlocks;
      const Step step = advance(blocks_[b]);
      if (step == Step::kLost) return Outcome::kLost;
      idle = step == Step::kTaken ? 0 : idle + 1;
      if (step == Step::kWaits) favourite_ = random_() % kBlocks;
      if (std::all_of(blocks_.begin(), blocks_.end(), [](const State& s) { return s.call == kCalls; }))
        return Outcome::kDone;
    }
    return Outcome::kStuck;
  }

 private:
  enum class Step { kTaken, kWaits, kLost };
  struct Event {
    const GridPiece* piece;  // null: waits until all blocks have begun the call
  };
  struct State {
    int call = 0;
    std::size_t event = 0;
    std::vector<int> versions;             // by notice
    std::vector<std::vector<int>> posted;  // its own words' versions, by notice and slot
  };

  int slots_of(std::size_t notice) const { return std::min(schedule_.board.notices()[notice].slots, most_slots_); }
  bool holds(const GridPiece& piece, int call) const {
    return std::all_of(piece.when.begin(), piece.when.end(), [&](const Predicate& p) {
      const bool set = (static_cast<unsigned>(call) * 2654435761u + static_cast<unsigned>(p.counter) * 40503u) % 3 != 0;
      return p.test == Predicate::Test::kZero ? !set : set;
    });
  }
  Step advance(State& block) {
    if (block.call == kCalls) return Step::kWaits;
    if (block.event == events_.size()) return ++block.call, block.event = 0, Step::kTaken;
    const GridPiece* piece = events_[block.event].piece;
    if (piece == nullptr) {
      for (const State& other : blocks_)
        if (other.call < block.call) return Step::kWaits;
    } else if (holds(*piece, block.call)) {
      for (const GridAccess& a : piece->accesses) {
        const int n = a.writes || !a.remote ? -1 : schedule_.board.read(a.object, a.lag);
        if (n != only_) continue;
        const auto at = static_cast<std::size_t>(n);
        const int wanted = block.versions[at];
        for (const State& other : blocks_) {
          const int seen = other.posted[at][static_cast<std::size_t>(wanted % slots_of(at))];
          if (seen > wanted) return Step::kLost;
          if (seen < wanted) return Step::kWaits;
        }
      }
      for (const GridAccess& a : piece->accesses) {
        const int n = a.writes ? schedule_.board.written(a.object, a.lag) : -1;
        if (n != only_) continue;
        const auto at = static_cast<std::size_t>(n);
        const int version = ++block.versions[at];
        block.posted[at][static_cast<std::size_t>(version % slots_of(at))] = version;
      }
    }
    ++block.event;
    return Step::kTaken;
  }

  const GridSchedule& schedule_;
  std::mt19937 random_;
  int only_, most_slots_;
  std::size_t favourite_ = 0;
  std::vector<Event> events_;
  std::vector<State> blocks_;
};

struct Built {
  std::unique_ptr<Plan> plan;
  Program program;
  GridSchedule schedule;
};

Built build(Mode mode) {
  const DenseOptions bias{.bias = true};
  TestModel model = chain(mode.schedule, {dense(100, 90, Activation::kTanh, bias), dense(90, 96),
                                          dense(96, 10, Activation::kLinear, bias)});
  Built built{std::visit(
                  [](auto& root) {
                    root.initialise().value();
                    return make_plan(root, Loss::kMse, {}).value();
                  },
                  model.root),
              {},
              {}};
  Call call{.mode = mode, .input = Shape({16, 100}), .target = Shape({16, 10}), .ticks = 4};
  if (mode.schedule == Schedule::kLine) call.oldest = 2;
  built.program = build_training(*built.plan, call).value();
  const GridShape shape{.blocks = 12, .shared_bytes = 200 * 1024};
  const GridHomes homes = GridHomes::make(built.program, built.plan->buffers, shape).value();
  built.schedule = grid_schedule(built.program, homes, built.plan->buffers, shape.blocks);
  return built;
}

class GridBoardOfMode : public testing::TestWithParam<Mode> {};

TEST_P(GridBoardOfMode, LosesNothingAtAnyPace) {
  const Built built = build(GetParam());
  EXPECT_FALSE(built.schedule.board.notices().empty());
  for (std::size_t n = 0; n < built.schedule.board.notices().size(); ++n)
    for (unsigned seed = 0; seed < 10; ++seed)
      EXPECT_EQ(Blocks(built.schedule, n, seed).run(), Outcome::kDone) << n << ' ' << seed;
}

INSTANTIATE_TEST_SUITE_P(All, GridBoardOfMode, testing::ValuesIn(all_modes().begin(), all_modes().end()),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(GridBoard, PutsPartsOfOneRoundSideBySide) {
  const Built built = build(parse_mode("MeshTween").value());
  int sums = 0;
  const auto& notices = built.schedule.board.notices();
  for (const GridNotice& notice : notices) {
    if (notice.sums == 0) continue;
    const GridNotice& head = notices[static_cast<std::size_t>(notice.first)];
    EXPECT_EQ(notice.at, head.at + notice.column);
    EXPECT_EQ(notice.floats, head.floats);
    EXPECT_EQ(notice.slots, head.slots);
    EXPECT_LE(notice.column + notice.sums, head.words);
    EXPECT_LE(head.words, GridBoard::kPartWords);
    if (&notice != &head) sums += notice.sums;
  }
  EXPECT_GT(sums, 0);
}

TEST(GridBoard, NeedsMoreThanOneSlot) {
  const Built built = build(parse_mode("NormalBP").value());
  int lost = 0;
  for (unsigned seed = 0; seed < 20; ++seed) lost += Blocks(built.schedule, 0, seed, 1).run() == Outcome::kLost ? 1 : 0;
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace weft::test
