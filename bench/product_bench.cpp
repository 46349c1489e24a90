// The three products of a dense layer, as a step of native_cpu runs them beside the BLAS's, one thread: operations a
// second.
#if defined(WEFT_HAVE_BLAS) && !defined(WEFT_HAVE_ACCELERATE)
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "src/backend/native_cpu/dense.h"
#include "src/backend/native_cpu/step_kernels.h"
#include "weft/random.hpp"

namespace {

namespace native_cpu = weft::native_cpu;
using native_cpu::Team;
using weft::Opcode;

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

constexpr double kRate = 1e-9;  // the weights stay what they are

/// A use of a layer as a step of a program, with its kernel where one is made for its sizes.
class OwnStep {
 public:
  OwnStep(Layer& l, Use use) : layer_(l), use_(use) {
    weft::Instruction& i = step_.instruction;
    i.m = l.m, i.n = l.n, i.k = l.k;
    switch (use) {
      case Use::kForward:
        i.op = Opcode::kForward;
        step_.in = {l.x.data(), l.w.data(), nullptr}, step_.out = {l.z.data(), l.z.data(), nullptr};
        break;
      case Use::kGradInput:
        i.op = Opcode::kGradInput;
        step_.in = {l.d.data(), l.w.data(), nullptr}, step_.out = {l.gx.data(), nullptr, nullptr};
        break;
      case Use::kUpdate:
        i.op = Opcode::kUpdate;
        step_.in = {l.d.data(), l.x.data(), nullptr}, step_.out = {l.w.data(), nullptr, nullptr};
        break;
    }
    scratch_.resize(static_cast<std::size_t>(native_cpu::needs_scratch(i)));
    step_.scratch = scratch_.data();
    step_.kernel = native_cpu::kernel_for(i, weft::Program());
  }

  bool has_kernel() const { return step_.kernel != nullptr; }

  void run(Team& team) {
    Layer& l = layer_;
    if (has_kernel()) return step_.kernel(step_, kRate);
    const native_cpu::Sizes sizes{l.m, l.n, l.k};
    switch (use_) {
      case Use::kForward:
        return native_cpu::forward(team, sizes, l.x.data(), l.w.data(), nullptr, weft::Activation::kLinear, l.z.data(),
                                   l.z.data());
      case Use::kGradInput: return native_cpu::grad_input(team, sizes, l.d.data(), l.w.data(), false, l.gx.data());
      case Use::kUpdate: return native_cpu::update(team, sizes, kRate, l.d.data(), l.x.data(), l.w.data());
    }
  }

 private:
  Layer& layer_;
  Use use_;
  native_cpu::Step step_;
  std::vector<float> scratch_;
};

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
      return cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, -static_cast<float>(kRate), l.d.data(), n,
                         l.x.data(), k, 1.0F, l.w.data(), k);
  }
}

void run(benchmark::State& state, Use use, bool with_blas) {
  openblas_set_num_threads(1);
  Team team(1);
  Layer layer(state);
  OwnStep own(layer, use);
  for (auto _ : state) with_blas ? blas(layer, use) : own.run(team);
  if (!with_blas) state.SetLabel(own.has_kernel() ? "kernel" : "panels");
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
