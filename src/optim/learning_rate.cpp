// The learning rate of every call.
#include "weft/learning_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "src/core/names.h"

namespace weft {
namespace {

constexpr std::array kNames{
    NameRow<Decay>{"constant", Decay::kConstant},
    NameRow<Decay>{"step", Decay::kStep},
    NameRow<Decay>{"cosine", Decay::kCosine},
};

template <typename Value>
Status refuse(std::string_view field, Value seen, std::string_view wanted) {
  return {StatusCode::kInvalidArgument, fmt::format("learning rate: {} is {}, wanted {}", field, seen, wanted)};
}

}  // namespace

std::string_view to_string(Decay decay) {
  for (const auto& row : kNames) {
    if (row.value == decay) return row.spelling;
  }
  return "unknown decay";
}

Result<Decay> parse_decay(std::string_view name) { return parse_name<Decay>("decay", name, kNames); }

double LearningRate::at(std::int64_t call) const {
  if (call < warmup) return rate * (static_cast<double>(call + 1) / static_cast<double>(warmup + 1));
  const std::int64_t since = call - warmup;
  switch (decay) {
    case Decay::kConstant: return rate;
    case Decay::kStep: return rate * std::pow(factor, static_cast<double>(since / period));
    case Decay::kCosine: {
      const std::int64_t last = calls - warmup - 1;
      if (last < 1) return rate;  // one call after the warm-up: nothing to fall over
      const double share = static_cast<double>(std::min(since, last)) / static_cast<double>(last);
      return least + (rate - least) * 0.5 * (1.0 + std::cos(std::numbers::pi * share));
    }
  }
  return rate;
}

std::vector<double> LearningRate::rates(std::int64_t first, std::int64_t count) const {
  std::vector<double> list;
  list.reserve(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  for (std::int64_t i = 0; i < count; ++i) list.push_back(at(first + i));
  return list;
}

Status LearningRate::validate() const {
  if (!std::isfinite(rate) || rate < 0.0) return refuse("rate", rate, "a finite number of 0 or more");
  if (decay > Decay::kCosine) return refuse("decay", static_cast<int>(decay), "0 to 2");
  if (warmup < 0) return refuse("warmup", warmup, "0 or more calls");
  if (decay == Decay::kStep) {
    if (period < 1) return refuse("period", period, "1 or more calls");
    if (!(factor > 0.0 && factor <= 1.0)) return refuse("factor", factor, "a number above 0 and at most 1");
  }
  if (decay == Decay::kCosine) {
    if (calls <= warmup) return refuse("calls", calls, fmt::format("more than the {} of the warm-up", warmup));
    if (!(least >= 0.0 && least <= rate)) return refuse("least", least, fmt::format("0 to the rate, {}", rate));
  }
  return {};
}

}  // namespace weft
