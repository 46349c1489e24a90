// Lines and bars on stdout.
#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"

namespace weft::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenDrawings{200};
constexpr std::size_t kBar = 12;
constexpr std::size_t kUsualWidth = 80;
constexpr std::string_view kGap = "  ";

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

/// A stdout that cannot be written does not end the training: main says so afterwards.
void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

double seconds(std::chrono::steady_clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// "0:07", "12:40", "3:01:59"
std::string clock_text(double seconds) {
  const auto whole = std::llround(std::clamp(seconds, 0.0, 3.6e8));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// "950", "13.2k", "2.05M"
std::string count_text(double count) {
  if (count < 1e4) return fmt::format("{:.0f}", count);
  return count < 1e6 ? fmt::format("{:.3g}k", count / 1e3) : fmt::format("{:.3g}M", count / 1e6);
}

std::string short_score(std::string_view part, const std::optional<Score>& score) {
  if (!score) return {};
  return score->accuracy
             ? fmt::format("{} {:.2f}%", part, 100.0 * *score->accuracy)
             : fmt::format("{} loss {}", part, std::isnan(score->loss) ? "nan" : fmt::format("{:.4g}", score->loss));
}

}  // namespace

ProgressStyle progress_style(bool quiet, bool json) {
  if (quiet) return ProgressStyle::kNone;
  if (json) return ProgressStyle::kJson;
  const bool dumb = variable("TERM").empty() || variable("TERM") == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !dumb ? ProgressStyle::kTerminal : ProgressStyle::kLines;
}

Progress::Progress(ProgressStyle style, std::int64_t epochs, std::int64_t batch)
    : style_(style), colour_(variable("NO_COLOR").empty()), epochs_(epochs), batch_(batch), start_(Clock::now()) {}

Progress::~Progress() { finish(); }

void Progress::start_epoch(std::int64_t number) {
  epoch_ = number;
  calls_ = of_ = 0;
  loss_ = weight_ = trained_ = 0.0;
  epoch_start_ = Clock::now();
}

void Progress::report(const FitReport& calls) {
  const auto fresh = static_cast<double>(calls.calls - calls_);
  if (calls.loss > 0.0 && fresh > 0.0) {  // 0: no call returned a loss
    weight_ += fresh;
    loss_ += (calls.loss - loss_) * fresh / weight_;
  }
  calls_ = calls.calls;
  of_ = calls.of;
  if (style_ != ProgressStyle::kTerminal) return;
  const auto now = Clock::now();
  if (now - drawn_ < kBetweenDrawings) return;
  trained_ = seconds(now - epoch_start_);
  draw(now);
}

void Progress::end_epoch(const EpochMetrics& metrics) {
  switch (style_) {
    case ProgressStyle::kNone: return;
    case ProgressStyle::kJson: print(to_json(metrics) + "\n"); break;
    case ProgressStyle::kLines:
      print(fmt::format("epoch={} loss={}{}{} seconds={}\n", metrics.epoch, loss_text(metrics.loss),
                        score_pairs("val", metrics.validation), score_pairs("test", metrics.test),
                        seconds_text(metrics.seconds)));
      break;
    case ProgressStyle::kTerminal: {
      loss_ = metrics.loss.value_or(0.0);
      trained_ = metrics.seconds;
      const std::string validation = short_score("val", metrics.validation), test = short_score("test", metrics.test);
      score_ = validation + (validation.empty() || test.empty() ? "" : "  ") + test;
      if (const auto now = Clock::now(); now - drawn_ >= kBetweenDrawings || metrics.epoch == epochs_) draw(now);
      break;
    }
  }
  std::fflush(stdout);
}

void Progress::note(std::string_view text) {
  if (open_) print("\r\x1b[K");
  open_ = false;
  say(fmt::format("weft train: {}\n", text));
  drawn_ = {};
}

void Progress::finish() {
  if (open_) print("\n");
  open_ = false;
  std::fflush(stdout);
}

void Progress::draw(Clock::time_point now) {
  drawn_ = now;
  open_ = true;
  print(fmt::format("\r{}\x1b[K", line(now)));
  std::fflush(stdout);
}

std::string Progress::line(Clock::time_point now) const {
  const double share = of_ == 0 ? 0.0 : static_cast<double>(calls_) / static_cast<double>(of_);
  const double done = (static_cast<double>(epoch_ - 1) + share) / static_cast<double>(epochs_);
  const double spent = seconds(now - start_);
  const std::string head = fmt::format("epoch {}/{}", epoch_, epochs_);
  std::vector<std::string> parts{fmt::format("{:3.0f}%", 100.0 * share)};
  if (loss_ > 0.0) parts.push_back(fmt::format("loss {:.4g}", loss_));
  if (!score_.empty()) parts.push_back(score_);
  if (done > 0.0 && done < 1.0) parts.push_back(clock_text(spent / done - spent) + " left");
  if (done >= 1.0) parts.push_back(fmt::format("in {}", clock_text(spent)));
  if (trained_ > 0.0 && calls_ > 0)
    parts.push_back(count_text(static_cast<double>(calls_ * batch_) / trained_) + " samples/s");

  // What does not fit is left out, for a line that wraps could not be written over.
  const std::size_t width = terminal_width() - 1;
  std::size_t all = head.size();
  for (const std::string& part : parts) all += kGap.size() + part.size();
  const auto filled = static_cast<std::size_t>(share * kBar);
  const std::string bar = fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", kBar - filled);
  if (all + kGap.size() + bar.size() <= width) parts.insert(parts.begin(), bar);
  std::string text = head.substr(0, width);
  std::size_t used = text.size();
  if (colour_) text = "\x1b[1m" + text + "\x1b[0m";
  for (const std::string& part : parts) {
    used += kGap.size() + part.size();
    if (used > width) break;
    text += fmt::format("{}{}", kGap, part);
  }
  return text;
}

}  // namespace weft::cli
