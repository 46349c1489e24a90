// Looking for what the board does not carry.
#include "src/generate/grid_needs.h"

#include <algorithm>

namespace weft {
namespace {

class Needs {
 public:
  Needs(const Program& program, const BufferTable& buffers, GridSchedule& schedule)
      : program_(program), buffers_(buffers), schedule_(schedule) {}

  void run() {
    for (std::size_t t = 0; t < schedule_.intervals.size(); ++t) {
      for (const GridPiece& p : schedule_.intervals[t].late) steps_.push_back({&p, t, true});
      for (const GridPiece& p : schedule_.intervals[t].pieces) steps_.push_back({&p, t, false});
    }
    for (const Step& step : steps_)
      for (const GridAccess& a : step.piece->accesses)
        schedule_.remembers =
            schedule_.remembers || (a.remote && (a.writes || schedule_.board.read(a.object, a.lag) < 0));
    within_a_call();
    between_calls();
    if (schedule_.intervals.size() == 1) schedule_.settled = 0;  // nothing else keeps the blocks together
  }

 private:
  struct Step {
    const GridPiece* piece;
    std::size_t interval;
    bool late;
    std::size_t after() const { return interval + 1; }                     // the first barrier behind it
    std::size_t before() const { return late ? interval - 1 : interval; }  // the last one before it
  };

  /// Whether a, and b in a call so many calls later, need a barrier between them. `writes`: for what b writes only.
  bool clash(const GridPiece& a, const GridPiece& b, int calls, bool writes = false) const {
    for (const GridAccess& x : a.accesses)
      for (const GridAccess& y : b.accesses) {
        if (!touch(x, y) || (writes && !y.writes) || !(x.remote || y.remote) || schedule_.board.carries(x, y)) continue;
        if (x.object >= kGridPassed) return true;
        const auto slots = static_cast<int>(buffers_[x.object].slots);
        if (slots == 1 || (calls + x.lag - y.lag) % slots == 0) return true;
      }
    return false;
  }

  /// Those of the predicates whose counters no step from `first` to `last` changes.
  std::vector<Predicate> lasting(const std::vector<Predicate>& when, std::size_t first, std::size_t last) const {
    std::vector<Predicate> kept;
    for (const Predicate& p : when) {
      bool changes = false;
      for (std::size_t s = first; s <= last; ++s) changes = changes || writes(*steps_[s].piece, p.counter);
      if (!changes && std::find(kept.begin(), kept.end(), p) == kept.end()) kept.push_back(p);
    }
    return kept;
  }
  static bool impossible(const std::vector<Predicate>& when) {
    return std::any_of(when.begin(), when.end(), [&](const Predicate& a) {
      return std::any_of(when.begin(), when.end(), [&](const Predicate& b) { return opposite(a, b); });
    });
  }
  /// Whether the barrier before that interval is there whenever all of `when` hold.
  bool meets(std::size_t interval, const std::vector<Predicate>& when) const {
    const auto& needed = schedule_.intervals[interval].needed;
    return std::any_of(needed.begin(), needed.end(), [&](const auto& one) { return includes(when, one); });
  }

  bool reads_alike(std::size_t c, std::size_t b) const {
    for (const GridAccess& x : steps_[c].piece->accesses)
      for (const GridAccess& y : steps_[b].piece->accesses)
        if (x.object == y.object && x.remote && y.remote && !x.writes && !y.writes) return true;
    return false;
  }

  void within_a_call() {
    for (std::size_t b = 0; b < steps_.size(); ++b) {
      for (std::size_t a = b; a-- > 0;) {
        if (exclusive(program_, *steps_[a].piece, *steps_[b].piece) || !clash(*steps_[a].piece, *steps_[b].piece, 0))
          continue;
        std::vector<Predicate> when = steps_[a].piece->when;
        when.insert(when.end(), steps_[b].piece->when.begin(), steps_[b].piece->when.end());
        when = lasting(when, a, b);
        if (impossible(when)) continue;
        // What an earlier piece has fetched is not fetched again.
        std::size_t before = steps_[b].before();
        for (std::size_t c = a + 1; c < b; ++c)
          if (reads_alike(c, b) && clash(*steps_[a].piece, *steps_[c].piece, 0))
            before = std::min(before, steps_[c].before());
        bool met = false;
        for (std::size_t t = steps_[a].after(); t <= before; ++t) met = met || meets(t, when);
        if (!met) schedule_.intervals[before].needed.push_back(when);
      }
    }
  }

  /// The first interval that must not begin before all blocks have ended the call before.
  void between_calls() {
    for (std::size_t a = 0; a < steps_.size(); ++a) {
      for (std::size_t b = 0; b < steps_.size(); ++b) {
        if (!clash(*steps_[a].piece, *steps_[b].piece, 1)) continue;
        // Late work has been fetched for in the interval before, but writes in its own.
        const bool reads = !clash(*steps_[a].piece, *steps_[b].piece, 1, true);
        const std::size_t before = reads ? steps_[b].before() : steps_[b].interval;
        bool met = false;
        for (std::size_t t = steps_[a].after(); t < schedule_.intervals.size(); ++t)
          met = met || meets(t, lasting(steps_[a].piece->when, a, steps_.size() - 1));
        for (std::size_t t = 1; t <= before; ++t) met = met || meets(t, lasting(steps_[b].piece->when, 0, b));
        if (!met) schedule_.settled = std::min(schedule_.settled, before);
      }
    }
  }

  const Program& program_;
  const BufferTable& buffers_;
  GridSchedule& schedule_;
  std::vector<Step> steps_;
};

}  // namespace

void find_needs(const Program& program, const BufferTable& buffers, GridSchedule& schedule) {
  Needs(program, buffers, schedule).run();
}

}  // namespace weft
