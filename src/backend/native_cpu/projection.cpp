// No division for an element: two take longer than all that a layer does to it besides.
#include "src/backend/native_cpu/projection.h"

#include <algorithm>

#include "src/backend/native_cpu/product.h"
#include "src/backend/native_cpu/signals.h"

namespace weft::native_cpu {
namespace {

/// Where elements start: i * given / wanted for i = first, first + 1, ...
class Starts {
 public:
  Starts(std::int64_t given, std::int64_t wanted, std::int64_t first)
      : wanted_(wanted),
        whole_(given / wanted),
        part_(given % wanted),
        at_(first * given / wanted),
        rest_(first * given % wanted) {}
  std::int64_t operator*() const { return at_; }
  std::int64_t rounded_up() const { return rest_ == 0 ? at_ : at_ + 1; }
  void operator++() {
    at_ += whole_;
    rest_ += part_;
    if (rest_ >= wanted_) ++at_, rest_ -= wanted_;
  }

 private:
  std::int64_t wanted_, whole_, part_, at_, rest_;
};

/// Summed in eight lanes, which a compiler keeps in vector registers.
float mean(const float* x, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += static_cast<double>(x[i + lane]);
  }
  double total = 0.0;
  for (; i < count; ++i) total += static_cast<double>(x[i]);
  for (const double lane : lanes) total += lane;
  return static_cast<float>(total / static_cast<double>(count));
}

/// Fewer elements: means of neighbours that do not overlap.
void gather_means(std::int64_t given, std::int64_t wanted, float a, const float* x, std::int64_t first,
                  std::int64_t count, float* y) {
  Starts start(given, wanted, first);
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t lo = *start;
    ++start;
    y[i] = a * mean(x + lo, *start - lo);
  }
}

/// More elements: each x stands for a run of them.
void spread(std::int64_t given, std::int64_t wanted, float a, const float* x, std::int64_t first, std::int64_t count,
            float* y) {
  const std::int64_t end = first + count;
  std::int64_t source = first * given / wanted;
  // The first element after those of `source`: (source + 1) * wanted / given, rounded up.
  Starts next(wanted, given, source + 1);
  for (std::int64_t i = first; i < end; ++source, ++next) {
    const std::int64_t to = std::min(next.rounded_up(), end);
    std::fill(y + i, y + to, a * x[source]);
    i = to;
  }
}

}  // namespace

void project(Team& team, std::int64_t given, std::int64_t wanted, float a, const float* x, float* y) {
  for_each_run(team, wanted, [&](std::int64_t first, std::int64_t count) {
    if (given == wanted) return scale(count, a, x + first, false, y + first);
    given > wanted ? gather_means(given, wanted, a, x, first, count, y) : spread(given, wanted, a, x, first, count, y);
  });
}

}  // namespace weft::native_cpu
