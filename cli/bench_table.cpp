// Numbers short enough for columns, and the columns.
#include "cli/bench_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/names.h"

namespace weft::cli {
namespace {

constexpr std::size_t kMostColumns = 80;

/// Three digits or more: "0.385", "12.3", "1234".
std::string short_number(double number) {
  const double size = number < 0 ? -number : number;
  return fmt::format("{:.{}f}", number, size < 9.995 ? 3 : size < 99.95 ? 2 : size < 999.5 ? 1 : 0);
}

/// With a letter for thousands, millions, ...: "103k", "5.19M".
std::string with_letter(double number) {
  if (number == 0.0) return "0";
  std::size_t letter = 0;
  while (number >= 999.5 && letter < 4) number /= 1000.0, ++letter;
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", number, digits, std::string_view(" kMGT").substr(letter, letter > 0 ? 1 : 0));
}

std::string percent(double share) { return fmt::format("{:.{}f}%", 100.0 * share, share < 0.0995 ? 1 : 0); }

double spread(const Timing& timing) { return (timing.most - timing.least) / timing.median; }

std::string memory_text(const BenchCell& cell) {
  return cell.memory ? with_letter(static_cast<double>(*cell.memory)) : "-";
}

/// Microseconds of a layer; the tapes; the rest of the memory, and its bytes for each weight.
std::string growth_text(const BenchCell& cell) {
  const auto layers = static_cast<double>(cell.work.widths.sizes.size() - 1);
  std::string rest = "-", bytes = "-";
  if (cell.memory) {
    const auto number = static_cast<double>(std::max<std::int64_t>(*cell.memory - cell.tape_bytes, 0));
    rest = with_letter(number);
    bytes = short_number(number / static_cast<double>(cell.weights));
  }
  return fmt::format(" {:>8} {:>5} {:>5} {:>8}", short_number(cell.resident.median / layers),
                     with_letter(static_cast<double>(cell.tape_bytes)), rest, bytes);
}

/// Broken between words into lines of at most `columns`, those after the first indented.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
  std::string lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (used > 0 && used + 1 + word.size() > columns) {
      lines += fmt::format("\n{}", indent);
      used = indent.size();
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
  }
  return lines + "\n";
}

std::string label(const BenchCell& cell) {
  return fmt::format("{} {} {}", to_string(cell.work), to_string(cell.mode), printable(cell.device));
}

/// What of the two runs was not alike, or nothing.
std::string differences(const BenchReport& a, const BenchReport& b) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& seen, const std::string& now) {
    if (seen != now) text += fmt::format("note: {} was {}, is {}\n", what, printable(seen), printable(now));
  };
  add("activation", std::string(to_string(a.settings.activation)), std::string(to_string(b.settings.activation)));
  add("bias", a.settings.bias ? "on" : "off", b.settings.bias ? "on" : "off");
  add("loss", std::string(to_string(a.settings.loss)), std::string(to_string(b.settings.loss)));
  add("optimizer", std::string(to_string(a.settings.optimizer)), std::string(to_string(b.settings.optimizer)));
  add("precision", std::string(to_string(a.settings.precision)), std::string(to_string(b.settings.precision)));
  add("threads", fmt::to_string(a.settings.threads), fmt::to_string(b.settings.threads));
  add("build", a.build, b.build);
  for (const BenchDevice& device : b.devices) {
    for (const BenchDevice& other : a.devices) {
      if (other.name == device.name) add(device.name, other.description, device.description);
    }
  }
  return text;
}

std::string ratio_row(const std::string& what, const Timing& seen, const Timing& now) {
  return fmt::format("{:>7.3f} {:>9} {:>9}  {}\n", now.median / seen.median, short_number(seen.median),
                     short_number(now.median), what);
}

}  // namespace

std::string heading_text(const BenchReport& report) {
  const BenchSettings& settings = report.settings;
  std::string text =
      fmt::format("weft {}, {} build, {}\n", printable(report.version), report.build, printable(report.compiler));
  for (const BenchDevice& device : report.devices) {
    text += fmt::format("{}: {}\n", device.name, printable(device.description));
    if (device.name == "native_cpu")
      text += fmt::format("  threads: {}\n",
                          settings.threads == 0 ? "the physical cores" : fmt::to_string(settings.threads));
    if (settings.precision != Precision::kFloat32)
      text += fmt::format("  precision: {}\n", to_string(settings.precision));
    text += fmt::format("  peak: {} GFLOP/s, the best inference of {} layers of {}-{} at batch {}\n",
                        short_number(device.peak / 1e9), kPeakLayers, device.peak_width, device.peak_width,
                        device.peak_width);
  }
  text +=
      fmt::format("layers: {}{}, the last linear; loss {}, optimizer {}\n", to_string(settings.activation),
                  settings.bias ? " with bias" : ", no bias", to_string(settings.loss), to_string(settings.optimizer));
  return text + fmt::format("median of {} repeats in {} s after a warm-up; samples in memory\n", settings.repeats,
                            settings.seconds);
}

BenchTable::BenchTable(const std::vector<BenchWork>& works, const std::vector<Mode>& modes, bool calls, bool growth)
    : label_width_(4), mode_width_(4), calls_(calls), growth_(growth) {
  for (const BenchWork& work : works) label_width_ = std::max(label_width_, to_string(work).size());
  for (const Mode mode : modes) mode_width_ = std::max(mode_width_, to_string(mode).size());
  const std::size_t numbers = (growth ? 46 : 43) + (calls ? 8 : 0);
  grouped_ = label_width_ + 1 + mode_width_ + numbers > kMostColumns;
  if (grouped_) label_width_ = 0;
}

std::string BenchTable::head(const std::string& device, bool name_it) {
  group_.clear();
  std::string text = name_it ? fmt::format("\non {}\n", device) : "\n";
  if (!grouped_) text += fmt::format("{:<{}} ", "work", label_width_);
  text += fmt::format("{:<{}} {:>7} {:>4}", "mode", mode_width_, "µs/step", "span");
  text += growth_ ? fmt::format(" {:>8} {:>5} {:>5} {:>8}", "µs/layer", "tapes", "rest", "B/weight")
                  : fmt::format(" {:>9} {:>7} {:>5} {:>5}", "samples/s", "GFLOP/s", "peak", "bytes");
  return text + (calls_ ? fmt::format(" {:>7}", "µs/call") : "") + "\n";
}

std::string BenchTable::row(const BenchCell& cell, double peak) {
  std::string text;
  const std::string work = to_string(cell.work);
  if (!grouped_) {
    text = fmt::format("{:<{}} ", work, label_width_);
  } else if (group_ != work) {
    group_ = work;
    text = work + "\n";
  }
  text += fmt::format("{:<{}} {:>7} {:>4}", to_string(cell.mode), mode_width_, short_number(cell.resident.median),
                      fmt::format("{:.0f}%", 100.0 * spread(cell.resident)));
  text += growth_ ? growth_text(cell)
                  : fmt::format(" {:>9} {:>7} {:>5} {:>5}", with_letter(cell.samples_per_second()),
                                short_number(cell.operations_per_second() / 1e9),
                                percent(cell.operations_per_second() / peak), memory_text(cell));
  if (cell.call) text += fmt::format(" {:>7}", short_number(cell.call->median));
  text += "\n";
  if (!cell.finite) text += "  ^ losses that were not finite: those steps changed nothing and were shorter\n";
  return text;
}

std::string omissions_text(const BenchReport& report) {
  std::vector<std::string> reasons;
  for (const BenchOmission& omission : report.omissions) {
    if (std::find(reasons.begin(), reasons.end(), omission.reason) == reasons.end()) reasons.push_back(omission.reason);
  }
  std::string text = reasons.empty() ? "" : "\n";
  for (const std::string& reason : reasons)
    text += wrapped(fmt::format("left out: {}", printable(reason)), kMostColumns, "  ");
  return text;
}

std::string comparison_text(const BenchReport& old_report, const BenchReport& new_report, const std::string& file) {
  const BenchComparison comparison = compare(old_report, new_report);
  std::string text = fmt::format("\nagainst {} (weft {})\n", printable(file), printable(old_report.version)) +
                     differences(old_report, new_report);
  if (!comparison.both.empty()) text += fmt::format("{:>7} {:>9} {:>9}\n", "new/old", "old µs", "new µs");
  for (const auto& [old_cell, new_cell] : comparison.both) {
    text += ratio_row(label(*new_cell), old_cell->resident, new_cell->resident);
    if (old_cell->call && new_cell->call)
      text += ratio_row(label(*new_cell) + ", a call each", *old_cell->call, *new_cell->call);
  }
  for (const BenchCell* cell : comparison.only_old)
    text += fmt::format("only in {}: {}\n", printable(file), label(*cell));
  for (const BenchCell* cell : comparison.only_new) text += fmt::format("only in this run: {}\n", label(*cell));
  return text;
}

}  // namespace weft::cli
