// Choosing tiles by a rough count of cycles: issue slots, wavefronts of shared memory, and the latency of a warp's
// chain.
#include "src/generate/tile.h"

#include <algorithm>

namespace weft {
namespace {

constexpr double kLoadLatency = 30.0, kStepIssue = 1.1, kShuffle = 25.0, kTail = 45.0;
constexpr int kSchedulers = 4, kTogether = 32;  // threads that move together, whatever the text knows of it

int div_up(int a, int b) { return (a + b - 1) / b; }

class Choice {
 public:
  Choice(const Product& product, const BlockShape& block) : p_(product), block_(block) {
    forward_ = p_.op == Opcode::kForward;
    gradient_ = p_.op == Opcode::kWeightGrad || p_.op == Opcode::kUpdate;
    step_ = !gradient_ && p_.quad_inner ? 4 : 1;
  }

  Tile best() {
    best_.cycles = 1e30;
    const int wide = forward_ ? 1 : p_.quad_cols ? 4 : 1;
    for (const int rows : {1, 2, 4, 8}) {
      if (gradient_ && rows != 1 && (rows != 4 || !p_.quad_rows)) continue;
      if (rows > 1 && rows > p_.rows) continue;
      for (const int cols : {1, 2, 4}) {
        if (!forward_ && cols > 1) continue;
        if (forward_ && cols > 1 && cols > p_.cols) continue;
        offer_lanes(rows, forward_ ? cols : wide);
      }
    }
    return best_;
  }

 private:
  void offer_lanes(int rows, int cols) {
    const int steps = div_up(p_.inner, step_);
    for (int split = 0; (1 << split) <= std::min(block_.lanes, std::max(steps, 1)); ++split) {
      for (int across = 0; (1 << (across + split)) <= block_.lanes; ++across) offer(rows, cols, split, across);
    }
  }

  void offer(int rows, int cols, int split, int across) {
    const int lane_cols = 1 << across, lane_rows = block_.lanes >> (split + across);
    const int tiles = div_up(p_.rows, lane_rows * rows) * div_up(p_.cols, lane_cols * cols);
    const int rounds = div_up(tiles, block_.warps()), warps = div_up(tiles * block_.lanes, kTogether);
    const int steps = div_up(div_up(p_.inner, step_), 1 << split);
    const double a_waves = lane_cols > 1 ? 2 : 4, b_waves = lane_rows > 1 ? 2 : 4;  // a 16-byte load of a warp
    const double quarter = step_ == 4 ? 1.0 : 0.25;
    double fma = 0.0, waves = 0.0;
    if (forward_) {
      fma = step_ * rows * cols + rows + cols;
      waves = (rows * a_waves + cols * b_waves) * quarter;
    } else if (!gradient_) {
      fma = step_ * cols * rows + rows + step_;
      waves = rows * a_waves * quarter + step_ * b_waves * (cols == 4 ? 1.0 : 0.25);
    } else {
      fma = cols * rows + 1 + rows / 4.0;
      waves = (rows == 4 ? a_waves : 1.0) + b_waves * (cols == 4 ? 1.0 : 0.25);
    }
    const int unroll = rows * cols > 8 ? 2 : gradient_ ? 8 : 4;
    const double outputs = rows * cols, shuffles = split * outputs * 2.0, tail = kTail * (1.0 + outputs / 8.0);
    const double latency =
        rounds * (div_up(steps, unroll) * (kLoadLatency + (waves + fma) * unroll) + split * kShuffle + shuffles + tail);
    const double issue = div_up(warps, kSchedulers) * (steps * fma * kStepIssue + shuffles + tail);
    const double shared = warps * steps * waves, most = std::max(issue, shared);
    const double cycles = std::max(most, latency) + 0.3 * std::min(most, latency);
    const double cost = cycles + 2.0 * warps;  // of those alike the one with the fewest warps
    if (cost < best_.cycles) best_ = {rows, cols, split, across, tiles, cost};
  }

  Product p_;
  BlockShape block_;
  bool forward_ = false, gradient_ = false;
  int step_ = 1;
  Tile best_;
};

}  // namespace

Tile choose_tile(const Product& product, const BlockShape& block) { return Choice(product, block).best(); }

}  // namespace weft
