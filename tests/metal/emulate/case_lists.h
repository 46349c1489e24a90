// CaseLists: writers of cases, by what instructions have in common (kernel_cases.cpp chooses).
#pragma once

#include <limits>

#include "tests/metal/emulate/case_writer.h"

namespace weft::test {

struct Sizes {
  std::int64_t m, n, k;
};

// One, primes, and a tile of 32 with one more or less.
inline constexpr Sizes kProducts[] = {{1, 1, 1},    {31, 32, 33}, {33, 65, 31}, {1, 33, 65}, {65, 1, 33},
                                      {32, 32, 64}, {5, 7, 3},    {13, 37, 65}, {33, 33, 1}, {2, 3, 127}};
inline constexpr Sizes kMatrices[] = {{1, 1, 1}, {1, 33, 1}, {31, 3, 1}, {7, 13, 1}, {65, 2, 1}, {2, 127, 1}};
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                        kInfinity = std::numeric_limits<double>::infinity();

void forward(CaseWriter& writer);
void delta(CaseWriter& writer);
void gradients(Opcode op, CaseWriter& writer);
void target_below(CaseWriter& writer);
void signals(Opcode op, CaseWriter& writer);  // scale, scale_rows, copy_columns
void rows(Opcode op, CaseWriter& writer);     // subtract, zero, softmax, softmax_grad, row_dot
void project(CaseWriter& writer);
void loss_gap(CaseWriter& writer);
void numbers_of_all(Opcode op, CaseWriter& writer);  // rms, clip
void is_finite(CaseWriter& writer);
void single_numbers(Opcode op, CaseWriter& writer);  // ratio, count, set, equals, refresh
void link_budget(CaseWriter& writer);
void apply(CaseWriter& writer);
void ascend(CaseWriter& writer);

}  // namespace weft::test
