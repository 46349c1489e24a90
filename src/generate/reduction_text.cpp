// Writing reductions.
#include "src/generate/reduction_text.h"

#include <fmt/format.h>

#include "src/generate/number_text.h"

namespace weft {
namespace {

class ReductionWriter {
 public:
  ReductionWriter(const TextSource& source, const ChipPlan& plan, int reduction)
      : source_(source),
        number_(reduction),
        threads_(plan.block.threads),
        warps_(plan.block.warps()),
        terms_(plan.terms[static_cast<std::size_t>(reduction)]),
        partials_(plan.partials[static_cast<std::size_t>(reduction)]),
        place_(source.tasks.reductions[static_cast<std::size_t>(reduction)].instruction),
        i_(source.program.code[static_cast<std::size_t>(place_)]),
        decision_(source.tasks.decisions[static_cast<std::size_t>(place_)]),
        share_(plan.shares[static_cast<std::size_t>(decision_.task)]) {}

  std::string partial() const {
    std::string body;
    for (int k = 0; k < sums_of(i_.op); ++k)
      body += fmt::format(
          "        const float part{0} = warp_sum(s.sum{1}_{0});\n"
          "        if (s.me.lane == 0) s.a[{2} + w] = part{0};\n",
          k, number_, partials_ + k * whole_quads(warps_));
    if (contributors() == warps_)
      return fmt::format("    {{\n      const int w = s.me.warp;\n      {{\n{}      }}\n    }}\n", body);
    const std::string turned = share_.first == 0 ? "s.me.warp"
                                                 : fmt::format("s.me.warp < {0} ? s.me.warp + {1} : s.me.warp - {0}",
                                                               share_.first, warps_ - share_.first);
    return fmt::format("    {{\n      const int w = {};\n      if (w < {}) {{\n{}      }}\n    }}\n", turned,
                       contributors(), body);
  }

  std::string result() {
    guard_ = guard_text(source_, decision_.guards);
    const std::string elements = float_text(static_cast<double>(i_.m * i_.n));
    switch (i_.op) {
      case Opcode::kLossGap: loss(elements); break;
      case Opcode::kRms: store_real(0, fmt::format("sqrt({} / {})", total(0), elements)); break;
      case Opcode::kClip:
        lines_ += fmt::format("      const float norm = sqrt({});\n", total(0));
        store_real(0, fmt::format("norm > {0} ? {0} / norm : 1.0f", float_text(i_.scale)));
        break;
      case Opcode::kIsFinite:
        lines_ += fmt::format("      s.flag{} = {} == 0.0f;\n", number_, total(0));
        store_flag(0);
        break;
      default:  // link_budget
        lines_ += fmt::format(
            "      const float xx = {}, ww = {}, xw = {};\n"
            "      const float budget = xx == 0.0f || ww == 0.0f ? 0.0f : (xw / (sqrt(xx) * sqrt(ww)) + 1.0f) / 2.0f;\n"
            "      s.flag{} = budget >= 0.2f;\n",
            total(0), total(1), total(2), number_);
        store_real(0, fmt::format("{} * (0.5f + 0.5f * budget)", float_text(i_.scale)));
        store_flag(1);
    }
    if (!stores_.empty())
      stores_ = fmt::format("      if (s.me.rank == {}{}) {{\n{}      }}\n", threads_ - 1,
                            guard_.empty() ? "" : " && " + guard_, stores_);
    return "    {\n" + lines_ + stores_ + "    }\n";
  }

 private:
  /// How many warps have a sum of their own: those from share_.first on.
  int contributors() const { return share_.tile.tiles >= warps_ ? warps_ : share_.tile.tiles; }

  std::string total(int k) const {
    const auto terms = static_cast<int>(i_.m * i_.n);
    if (terms_ >= 0) return fmt::format("total_of<{}>(s.a + {})", terms, terms_ + k * whole_quads(terms));
    return fmt::format("total_of<{}>(s.a + {})", contributors(), partials_ + k * whole_quads(warps_));
  }

  void loss(const std::string& elements) {
    const bool mse = source_.program.loss == Loss::kMse;
    lines_ +=
        fmt::format("      const float total = {};\n      s.flag{} = total - total == 0.0f;\n", total(0), number_);
    const std::string value = fmt::format("total / {}", mse ? elements : float_text(static_cast<double>(i_.m)));
    const std::string when = guard_.empty() ? "" : guard_ + " ? ";
    lines_ += fmt::format("      s.loss = {}{}{};\n      s.finite = {}s.flag{}{};\n", when, value,
                          guard_.empty() ? "" : " : s.loss", when, number_, guard_.empty() ? "" : " : s.finite");
    store_real(1, "s.loss"), store_flag(2);
  }

  void store_real(std::size_t out, const std::string& value) {
    if (decision_.stored[out]) stores_ += fmt::format("        *({}) = {};\n", base_text(source_, i_.out[out]), value);
  }
  void store_flag(std::size_t out) {
    if (decision_.stored[out])
      stores_ += fmt::format("        *counter({}) = s.flag{} ? 1 : 0;\n", base_text(source_, i_.out[out]), number_);
  }

  const TextSource& source_;
  int number_, threads_, warps_, terms_, partials_, place_;
  const Instruction& i_;
  const Decision& decision_;
  const Share& share_;
  std::string guard_, lines_, stores_;
};

}  // namespace

std::string partial_text(const TextSource& source, const ChipPlan& plan, int reduction) {
  return ReductionWriter(source, plan, reduction).partial();
}

std::string result_text(const TextSource& source, const ChipPlan& plan, int reduction) {
  return ReductionWriter(source, plan, reduction).result();
}

}  // namespace weft
