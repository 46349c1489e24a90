// Nearest known names by edit distance.
#include "src/core/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/core/utf8.h"

namespace weft {
namespace {

constexpr std::string_view kUnknownName = "unknown name ";
constexpr std::size_t kQuoted = 60;  // characters of a name that a message quotes
constexpr std::size_t kListAll = 8;  // this many known names are all listed
constexpr std::size_t kNearest = 3;  // of more, this many

// Levenshtein's distance; a swap of two neighbours counts as one edit too.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// The bytes of a text's first character; none where they are not UTF-8.
std::string_view first_character(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return text.substr(0, size);
  }
  return {};
}

}  // namespace

std::string lower_case(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string fold_name(std::string_view name) {
  std::string folded = lower_case(name);
  std::erase_if(folded, [](char c) { return c == '-' || c == '_'; });
  return folded;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view character = first_character(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = character.size() == 2 && byte == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
    const bool shows = !character.empty() && byte >= 0x20 && byte != 0x7f && !c1;
    shown += shows ? character : "?";
    i += std::max<std::size_t>(character.size(), 1);
  }
  return shown;
}

std::string quote(std::string_view name) {
  std::size_t end = std::min(name.size(), kQuoted);
  // Not in the middle of a character of UTF-8.
  while (end < name.size() && end + 3 > kQuoted && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return fmt::format("'{}{}'", printable(name.substr(0, end)), end < name.size() ? "..." : "");
}

std::string_view without_noun(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string_view::npos || !message.substr(colon + 2).starts_with(kUnknownName)) return message;
  if (message.substr(0, colon).find_first_of(" '") != std::string_view::npos) return message;  // no noun
  return message.substr(colon + 2);
}

Status unknown_name(std::string_view place, std::string_view name, std::span<const KnownName> known) {
  const std::string wanted = fold_name(name.substr(0, kQuoted));
  std::vector<std::pair<std::size_t, const KnownName*>> ranked;
  for (const KnownName& entry : known) ranked.emplace_back(edit_distance(wanted, fold_name(entry.spelling)), &entry);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  const std::size_t wanted_names = known.size() <= kListAll ? known.size() : kNearest;
  std::vector<std::string_view> shown;
  for (const auto& [distance, entry] : ranked) {
    if (shown.size() == wanted_names) break;
    if (std::find(shown.begin(), shown.end(), entry->shown) == shown.end()) shown.push_back(entry->shown);
  }
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{}: {}{}; nearest known: {}", place, kUnknownName, quote(name), fmt::join(shown, ", ")));
}

}  // namespace weft
