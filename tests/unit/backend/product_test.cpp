// The products of native_cpu against plain sums: every shape, every use, any number of threads.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include "src/backend/native_cpu/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/tolerance.h"
#include "weft/random.hpp"

namespace weft::test {
namespace {

using native_cpu::Cut;
using native_cpu::Matrix;
using native_cpu::multiply;
using native_cpu::Piece;
using native_cpu::Product;
using native_cpu::Team;

std::vector<float> numbers(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.uniform(-1.0, 1.0));
  return values;
}

/// What the uses of a product differ in.
struct Use {
  const char* name;
  bool a_transposed, b_transposed;
  enum class Start { kZero, kRow, kInPlace } start;
  float alpha;
};
constexpr Use kUses[] = {{"forward", false, true, Use::Start::kZero, 1.0F},
                         {"forward with bias", false, true, Use::Start::kRow, 1.0F},
                         {"grad_input", false, false, Use::Start::kZero, 1.0F},
                         {"grad_input, adding", false, false, Use::Start::kInPlace, 1.0F},
                         {"weight_grad", true, false, Use::Start::kZero, 1.0F},
                         {"update", true, false, Use::Start::kInPlace, -0.125F}};

/// A product of random numbers, with an edge of untouched numbers around its result.
class Trial {
 public:
  static constexpr float kEdge = -77.0F;

  Trial(const Use& use, std::int64_t rows, std::int64_t columns, std::int64_t inner)
      : use_(use),
        rows_(rows),
        columns_(columns),
        inner_(inner),
        a_(numbers(rows * inner, 1)),
        b_(numbers(inner * columns, 2)),
        row_(numbers(columns, 3)),
        before_(numbers(rows * columns, 4)) {}

  std::vector<float> result(int threads) const {
    std::vector<float> c(before_.size() + 2, kEdge);
    std::copy(before_.begin(), before_.end(), c.begin() + 1);
    Team team(threads);
    multiply(team, product(c.data() + 1));
    EXPECT_EQ(c.front(), kEdge);
    EXPECT_EQ(c.back(), kEdge);
    return {c.begin() + 1, c.end() - 1};
  }

  void expect_right() const {
    const std::vector<float> seen = result(1);
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t column = 0; column < columns_; ++column) {
        const auto at = static_cast<std::size_t>(row * columns_ + column);
        double sum = 0.0;
        for (std::int64_t t = 0; t < inner_; ++t) sum += element(a(), row, t) * element(b(), t, column);
        const double start = use_.start == Use::Start::kZero  ? 0.0
                             : use_.start == Use::Start::kRow ? row_[static_cast<std::size_t>(column)]
                                                              : before_[at];
        ASSERT_NEAR(seen[at], start + use_.alpha * sum,
                    tolerance(OpClass::kSum, DType::kFloat32, std::sqrt(static_cast<double>(inner_) + 1.0), inner_ + 1))
            << use_.name << " " << rows_ << " x " << columns_ << " x " << inner_ << " at " << row << ", " << column;
      }
    }
  }

 private:
  static double element(const Matrix& matrix, std::int64_t row, std::int64_t column) {
    return matrix.values[row * matrix.row_step + column * matrix.column_step];
  }
  Matrix a() const { return use_.a_transposed ? Matrix{a_.data(), 1, rows_} : Matrix{a_.data(), inner_, 1}; }
  Matrix b() const { return use_.b_transposed ? Matrix{b_.data(), 1, inner_} : Matrix{b_.data(), columns_, 1}; }
  Product product(float* c) const {
    const bool in_place = use_.start == Use::Start::kInPlace, row = use_.start == Use::Start::kRow;
    return {
        rows_, columns_, inner_, use_.alpha, a(), b(), in_place ? c : row ? row_.data() : nullptr, row ? 0 : columns_,
        c};
  }

  Use use_;
  std::int64_t rows_, columns_, inner_;
  std::vector<float> a_, b_, row_, before_;
};

TEST(NativeProduct, IsTheSumForEveryShapeAndUse) {
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 7, 8, 10, 16, 17, 31, 33, 64, 65, 130};
  for (const Use& use : kUses) {
    for (const std::int64_t rows : kSizes) {
      for (const std::int64_t columns : kSizes) {
        for (const std::int64_t inner : {0, 1, 2, 5, 8, 16, 37}) Trial(use, rows, columns, inner).expect_right();
      }
    }
  }
}

TEST(NativeProduct, OfMoreTermsThanAPanelHolds) {
  for (const Use& use : kUses) {
    for (const std::int64_t inner : {511, 512, 513, 1100}) {
      Trial(use, 5, 70, inner).expect_right();
      Trial(use, 40, 70, inner).expect_right();
      Trial(use, 40, 9, inner).expect_right();
    }
  }
}

TEST(NativeProduct, OfATransposedOperandThatIsCopiedFirst) {
  for (const Use& use : kUses) {
    Trial(use, 40, 300, 260).expect_right();
    Trial(use, 33, 257, 515).expect_right();
  }
}

TEST(NativeProduct, OfMoreTermsThanBlasCounts) {
  // All terms are one number in memory: 2^31 times 2^-20.
  const float a = 1.0F / 1024, b[16] = {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a};
  float c[16] = {};
  Team team(1);
  multiply(team, {1, 16, std::int64_t{1} << 31, 1.0F, {&a, 0, 0}, {b, 0, 1}, nullptr, 0, c});
  for (const float sum : c) EXPECT_EQ(sum, 2048.0F);
}

TEST(NativeProductThreads, AnyNumberGivesTheSameBits) {
  for (const Use& use : kUses) {
    for (const auto& [rows, columns, inner] :
         {std::tuple(200, 300, 600), std::tuple(1, 2000, 900), std::tuple(900, 10, 300), std::tuple(700, 65, 70),
          std::tuple(2000, 2000, 1), std::tuple(400, 130, 90)}) {
      const Trial trial(use, rows, columns, inner);
      const auto one = trial.result(1);
      for (const int threads : {2, 3, 8})
        EXPECT_EQ(std::memcmp(trial.result(threads).data(), one.data(), one.size() * sizeof(float)), 0)
            << use.name << " " << rows << " x " << columns << " x " << inner << " on " << threads;
    }
  }
}

TEST(NativeProduct, IsCutIntoPiecesThatCoverItOnce) {
  for (const std::int64_t rows : {1, 10, 64, 500, 3000}) {
    for (const std::int64_t columns : {1, 10, 63, 64, 100, 1000}) {
      for (const int threads : {1, 2, 5, 16}) {
        const Cut cut({rows, columns, 2000, 1.0F, {}, {}, nullptr, 0, nullptr}, threads);
        std::vector<int> seen(static_cast<std::size_t>(rows * columns));
        for (std::int64_t i = 0; i < cut.count(); ++i) {
          const Piece piece = cut[i];
          for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row)
            for (std::int64_t column = piece.column; column < piece.column + piece.columns; ++column)
              ++seen[static_cast<std::size_t>(row * columns + column)];
        }
        for (const int count : seen) ASSERT_EQ(count, 1) << rows << " x " << columns << " on " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
#endif
