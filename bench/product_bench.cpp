// The three products of a dense layer, native_cpu's own beside the BLAS's, one thread: operations a second.
#ifdef WEFT_HAVE_BLAS
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "src/backend/native_cpu/product.h"
#include "weft/random.hpp"

namespace {

using weft::native_cpu::multiply;
using weft::native_cpu::Team;

enum class Use { kForward, kGradInput, kUpdate };

/// A layer of n outputs and k inputs at batch m, with numbers in it.
struct Layer {
  explicit Layer(const benchmark::State& state)
      : m(state.range(0)),
        n(state.range(1)),
        k(state.range(2)),
        x(numbers(m * k)),
        w(numbers(n * k)),
        d(numbers(m * n)),
        z(numbers(m * n)),
        gx(numbers(m * k)) {}

  static std::vector<float> numbers(std::int64_t count) {
    weft::Random random(static_cast<std::uint64_t>(count));
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random.uniform(-1.0, 1.0));
    return values;
  }

  std::int64_t m, n, k;
  std::vector<float> x, w, d, z, gx;
};

constexpr float kRate = -1e-9F;  // the weights stay what they are

void own(Layer& l, Use use, Team& team) {
  switch (use) {
    case Use::kForward:
      return multiply(team, {l.m, l.n, l.k, 1.0F, {l.x.data(), l.k, 1}, {l.w.data(), 1, l.k}, nullptr, 0, l.z.data()});
    case Use::kGradInput:
      return multiply(team, {l.m, l.k, l.n, 1.0F, {l.d.data(), l.n, 1}, {l.w.data(), l.k, 1}, nullptr, 0, l.gx.data()});
    case Use::kUpdate:
      return multiply(team,
                      {l.n, l.k, l.m, kRate, {l.d.data(), 1, l.n}, {l.x.data(), l.k, 1}, l.w.data(), l.k, l.w.data()});
  }
}

void blas(Layer& l, Use use) {
  const int m = static_cast<int>(l.m), n = static_cast<int>(l.n), k = static_cast<int>(l.k);
  switch (use) {
    case Use::kForward:
      return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0F, l.x.data(), k, l.w.data(), k, 0.0F,
                         l.z.data(), n);
    case Use::kGradInput:
      return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1.0F, l.d.data(), n, l.w.data(), k, 0.0F,
                         l.gx.data(), k);
    case Use::kUpdate:
      return cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, kRate, l.d.data(), n, l.x.data(), k, 1.0F,
                         l.w.data(), k);
  }
}

void run(benchmark::State& state, Use use, bool with_blas) {
  openblas_set_num_threads(1);
  Team team(1);
  Layer layer(state);
  for (auto _ : state) with_blas ? blas(layer, use) : own(layer, use, team);
  state.counters["operations"] = benchmark::Counter(2.0 * static_cast<double>(layer.m * layer.n * layer.k),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

const bool registered = [] {
  constexpr std::int64_t kShapes[][3] = {{2, 4, 4},         {1, 32, 32},       {32, 32, 16},    {64, 128, 784},
                                         {64, 10, 128},     {1, 512, 784},     {128, 512, 784}, {128, 512, 512},
                                         {512, 1024, 1024}, {1024, 2048, 2048}};
  for (const auto& [use, name] : {std::pair(Use::kForward, "forward"), std::pair(Use::kGradInput, "grad_input"),
                                  std::pair(Use::kUpdate, "update")}) {
    for (const bool with_blas : {false, true}) {
      auto* bench =
          benchmark::RegisterBenchmark(fmt::format("{}/{}", name, with_blas ? "blas" : "own").c_str(),
                                       [use = use, with_blas](benchmark::State& state) { run(state, use, with_blas); });
      for (const auto& shape : kShapes) bench->Args({shape[0], shape[1], shape[2]});
    }
  }
  return true;
}();

}  // namespace
#endif
