// How a product is cut. The columns of b that a thread works on lie in a panel: contiguous, in its second-level cache.
#include "src/backend/native_cpu/product.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/backend/native_cpu/blas.h"
#include "src/backend/native_cpu/transpose.h"
#include "src/backend/native_cpu/vector_product.h"

namespace weft::native_cpu {
namespace {

constexpr std::int64_t kPanelColumns = 64;    // four AVX-512 registers
constexpr std::int64_t kPanelTerms = 512;     // 128 KiB
constexpr std::int64_t kFewRows = 8;          // below, no panel pays for its making
constexpr std::int64_t kFewColumns = 16;      // up to here neither
constexpr std::int64_t kNearElements = 2048;  // that stay in the first-level cache beside others
constexpr std::int64_t kRowsOfOwn = 64;       // for a thread: from here on panels of its own cost less than they save
constexpr std::int64_t kBlasPieces = 8;       // OpenBLAS packs its operands for each: 3 to 9 % of the time

double work_of(const Product& p) {
  return 2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) * static_cast<double>(p.inner);
}

bool transposed(const Matrix& matrix) { return matrix.column_step != 1; }

/// The thread's panel, made at its first product.
float* panel() {
  thread_local std::vector<float> values(static_cast<std::size_t>(kPanelColumns * kPanelTerms));
  return values.data();
}

/// The thread's memory for a copy of so many elements, null where there is none.
float* copy_of(std::int64_t elements) {
  thread_local std::vector<float> values;
  try {
    if (std::ssize(values) < elements) values.resize(static_cast<std::size_t>(elements));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return values.data();
}

/// Columns of b from `column` on, terms from `term` on, as rows of a panel.
void fill_panel(const Matrix& b, std::int64_t term, std::int64_t terms, std::int64_t column, std::int64_t columns,
                float* to) {
  if (transposed(b)) {
    return transpose(columns, terms, b.values + column * b.column_step + term, b.column_step, to, columns);
  }
  for (std::int64_t t = 0; t < terms; ++t) {
    std::copy_n(b.values + (term + t) * b.row_step + column, columns, to + t * columns);
  }
}

/// A piece, or a strip of it, panel by panel of terms; b is read where it lies or through the thread's panel.
void multiply_terms(const Product& p, const Piece& piece, bool through_panel) {
  VectorProduct part{.rows = piece.rows,
                     .columns = piece.columns,
                     .inner = 0,
                     .alpha = p.alpha,
                     .a = nullptr,
                     .a_row = p.a.row_step,
                     .a_term = p.a.column_step,
                     .b = nullptr,
                     .b_row = through_panel ? piece.columns : p.b.row_step,
                     .start = p.start == nullptr ? nullptr : p.start + piece.row * p.start_row + piece.column,
                     .start_row = p.start_row,
                     .c = p.c + piece.row * p.columns + piece.column,
                     .c_row = p.columns};
  std::int64_t term = 0;
  do {  // once also where there are no terms
    part.inner = std::min(kPanelTerms, p.inner - term);
    if (through_panel) fill_panel(p.b, term, part.inner, piece.column, piece.columns, panel());
    // Without terms there may be no memory to point into.
    part.a = p.inner == 0 ? panel() : p.a.values + piece.row * p.a.row_step + term * p.a.column_step;
    part.b = through_panel || p.inner == 0 ? panel() : p.b.values + term * p.b.row_step + piece.column;
    vector_product(part);
    part.start = part.c, part.start_row = part.c_row;
    term += kPanelTerms;
  } while (term < p.inner);
}

void multiply_piece(const Product& p, const Piece& piece) {
  const bool rows_pay = piece.rows >= 4 * kFewRows && p.columns > kPanelColumns;
  if (!transposed(p.b) && p.inner < kFewRows) {
    // The time goes into c, which is best walked from its first element to its last.
    const std::int64_t rows = std::max<std::int64_t>(kNearElements / p.columns, 1);
    for (std::int64_t row = 0; row < piece.rows; row += rows)
      multiply_terms(p, {piece.row + row, piece.column, std::min(rows, piece.rows - row), piece.columns}, false);
  } else if (!transposed(p.b) && !rows_pay) {
    multiply_terms(p, piece, false);
  } else {
    for (std::int64_t column = 0; column < piece.columns; column += kPanelColumns)
      multiply_terms(p, {piece.row, piece.column + column, piece.rows, std::min(kPanelColumns, piece.columns - column)},
                     true);
  }
}

/// Few rows, each with its dot products.
void dots_piece(const Product& p, const Piece& piece) {
  for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row) {
    vector_dots(1, piece.columns, p.inner, p.a.values + row * p.a.row_step, p.b.values + piece.column * p.b.column_step,
                p.start == nullptr ? nullptr : p.start + row * p.start_row + piece.column,
                p.c + row * p.columns + piece.column);
  }
}

bool takes_dots(const Product& p) {
  const bool few = p.rows < kFewRows || p.columns <= kFewColumns;
  return few && transposed(p.b) && p.alpha == 1.0f && p.a.column_step == 1;
}

/// Whether reading a transposed `a` where it lies costs more than copying it: each strip of columns reads all of it, a
/// line of cache for each term.
bool worth_straightening(const Product& p) {
  return transposed(p.a) && p.inner >= 4 * kPanelColumns && p.columns >= 4 * kPanelColumns && p.rows >= 4 * kFewRows;
}

/// Operations from which on the BLAS is faster, as measured (docs/performance.md). With AVX-512 the two are equal but
/// for a transposed a that is read where it lies, with long steps; with AVX2 the BLAS is ahead from some tens of
/// microseconds on.
double work_for_blas(const Product& p) {
  static const bool wide = vectors_are_wide();
  return !wide ? 2e7 : transposed(p.a) && !worth_straightening(p) ? 5e8 : 2e10;
}

bool takes_blas(const Product& p) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();  // BLAS counts no further
  return p.inner > 0 && work_of(p) >= work_for_blas(p) && std::max({p.rows, p.columns, p.inner}) <= kMost;
}

void blas_piece(const Product& p, const Piece& piece) {
  float* c = p.c + piece.row * p.columns + piece.column;
  for (std::int64_t row = 0; row < piece.rows && p.start != p.c; ++row) {
    float* to = c + row * p.columns;
    if (p.start == nullptr) {
      std::fill_n(to, piece.columns, 0.0f);
    } else {
      std::copy_n(p.start + (piece.row + row) * p.start_row + piece.column, piece.columns, to);
    }
  }
  const auto count = [](std::int64_t size) { return static_cast<int>(size); };
  const bool a_transposed = transposed(p.a), b_transposed = transposed(p.b);
  // A matrix of one row may have any step; BLAS wants one that would hold a row.
  const auto step = [&](const Matrix& matrix, std::int64_t row) {
    return count(std::max({matrix.row_step, matrix.column_step, row}));
  };
  cblas_sgemm(CblasRowMajor, a_transposed ? CblasTrans : CblasNoTrans, b_transposed ? CblasTrans : CblasNoTrans,
              count(piece.rows), count(piece.columns), count(p.inner), p.alpha, p.a.values + piece.row * p.a.row_step,
              step(p.a, a_transposed ? p.rows : p.inner), p.b.values + piece.column * p.b.column_step,
              step(p.b, b_transposed ? p.inner : p.columns), 1.0f, c, count(p.columns));
}

std::int64_t parts_of(std::int64_t length, std::int64_t edge) { return (length + edge - 1) / edge; }

}  // namespace

Cut::Cut(const Product& p, int threads)
    : down_{p.rows, 1, p.rows > 0 ? 1 : 0}, across_{p.columns, 1, p.columns > 0 ? 1 : 0} {
  const std::int64_t strips = parts_of(p.columns, kPanelColumns);
  if (takes_blas(p)) {
    across_ = {p.columns, kPanelColumns, std::min(kBlasPieces, strips)};  // the same for any number of threads
    return;
  }
  if (threads <= 1 || work_of(p) < kWorkForThreads) return;
  // Weights are cut by rows: threads that write neighbouring columns take lines of cache from each other.
  if (transposed(p.a) && p.rows >= threads * kRowsOfOwn) {
    down_ = {p.rows, kFewRows, threads};
    return;
  }
  // Else strips of columns first: rows cut apart make a panel each.
  across_ = {p.columns, kPanelColumns, std::min<std::int64_t>(2 * threads, strips)};
  const std::int64_t down = std::min(parts_of(threads, across_.parts), p.rows / (4 * kFewRows));
  if (down > 1) down_ = {p.rows, kFewRows, down};
}

std::int64_t Cut::Split::start(std::int64_t part) const {
  const std::int64_t units = parts_of(length, unit);
  return std::min((part * (units / parts) + std::min(part, units % parts)) * unit, length);
}

Piece Cut::operator[](std::int64_t i) const {
  const std::int64_t row = i / across_.parts, column = i % across_.parts;
  const std::int64_t top = down_.start(row), left = across_.start(column);
  return {top, left, down_.start(row + 1) - top, across_.start(column + 1) - left};
}

bool needs_straightening(const Product& p) { return worth_straightening(p) && !takes_blas(p); }

Product straightened(Team& team, const Product& p) {
  if (!needs_straightening(p)) return p;
  constexpr std::int64_t kRows = 64;
  float* const copy = copy_of(p.rows * p.inner);
  if (copy == nullptr) return p;
  team.run(parts_of(p.rows, kRows), [&](std::int64_t i) {
    const std::int64_t row = i * kRows;
    transpose(p.inner, std::min(kRows, p.rows - row), p.a.values + row, p.a.column_step, copy + row * p.inner, p.inner);
  });
  Product straight = p;
  straight.a = {copy, p.inner, 1};
  return straight;
}

void compute(const Product& product, const Piece& piece) {
  takes_blas(product)   ? blas_piece(product, piece)
  : takes_dots(product) ? dots_piece(product, piece)
                        : multiply_piece(product, piece);
}

}  // namespace weft::native_cpu
