// Runs the kernels on host threads under ThreadSanitizer, which ends the program with 66 where it saw a race.
//   weft_watched [--without FILE:LINE]   nobody waits at that barrier
#include <cstdio>
#include <cstring>

#include "tests/metal/emulate/barrier_sites.h"
#include "tests/metal/emulate/case_run.h"

namespace weft::test {
namespace {

/// Up to 64 threads, in one group and in several.
std::vector<LaunchShape> shapes(Spread spread) {
  if (spread == Spread::kOneGroup) return {{1, 8}, {1, 33}};
  if (spread == Spread::kOneThread) return {{2, 4}};
  return {{1, 32}, {3, 8}};
}

/// only_barriers: of the kernels that have any.
int run(bool only_barriers) {
  int runs = 0;
  for (const StepKernel& kernel : step_kernels()) {
    const bool meets = kernel.spread == Spread::kTiles || kernel.spread == Spread::kOneGroup;
    if (only_barriers && !meets) continue;
    const std::vector<KernelCase> cases = kernel_cases(static_cast<Opcode>(kernel.op));
    // Some of the variants: they differ in what a thread does with its elements, hardly in who touches which.
    const std::size_t step = std::max<std::size_t>(1, cases.size() / (meets ? 6 : 3));
    for (std::size_t i = 0; i < cases.size(); i += step) {
      const CaseResult wanted = run_on_cpu(cases[i]);
      for (const LaunchShape shape : shapes(kernel.spread)) {
        std::string wrong;
        const CaseResult seen = run_emulated(cases[i], kernel, shape, false, wrong);
        if (wrong.empty()) wrong = difference(cases[i], seen, wanted);
        ++runs;
        if (wrong.empty()) continue;
        std::printf("%s on %u groups of %u threads: %s\n", cases[i].name.c_str(), shape.groups, shape.threads,
                    wrong.c_str());
        return 1;
      }
    }
  }
  std::printf("%d runs of %zu kernels\n", runs, step_kernels().size());
  return 0;
}

}  // namespace
}  // namespace weft::test

int main(int argc, char** argv) {
  weft::test::BarrierSite without;
  if (argc == 3 && std::strcmp(argv[1], "--without") == 0) {
    const std::string site = argv[2];
    const std::size_t colon = site.rfind(':');
    without = {site.substr(0, colon), std::atoi(site.c_str() + colon + 1)};
    weft::test::leave_out(&without);
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: %s [--without FILE:LINE]\n", argv[0]);
    return 2;
  }
  return weft::test::run(argc == 3);
}
