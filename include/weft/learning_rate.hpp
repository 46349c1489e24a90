// The learning rate over a training: constant, falling in steps or along a cosine, after a linear warm-up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/status.hpp"

namespace weft {

enum class Decay : std::uint8_t {
  kConstant,
  kStep,    // multiplied by `factor` after every `period` calls
  kCosine,  // from `rate` to `least` over the calls after the warm-up (Loshchilov and Hutter 2017, one cycle)
};

std::string_view to_string(Decay decay);  // "constant", "step", "cosine"
Result<Decay> parse_decay(std::string_view name);

/// The rate of every training call, counted from 0. In the `warmup` first calls it rises linearly: call i has
/// (i + 1) / (warmup + 1) of `rate`. Periods and the cosine count from the end of the warm-up.
struct LearningRate {
  double rate = 0.01;
  Decay decay = Decay::kConstant;
  std::int64_t warmup = 0;  // calls
  std::int64_t calls = 1;   // of the whole training, warm-up included; kCosine
  std::int64_t period = 1;  // calls; kStep
  double factor = 0.1;      // kStep
  double least = 0.0;       // kCosine: the rate of the last call

  double at(std::int64_t call) const;
  /// The rates of `count` calls from call `first` on.
  std::vector<double> rates(std::int64_t first, std::int64_t count) const;
  /// Errors: kInvalidArgument naming the field, the value seen and the value wanted.
  Status validate() const;
};

}  // namespace weft
