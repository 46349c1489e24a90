// Names: comparing them without regard to case, and saying which known name an unknown one is near to.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/status.hpp"

namespace weft {

/// A spelling that a parser accepts and the name that is shown for it.
struct KnownName {
  std::string spelling;
  std::string shown;
};

/// Lower case (ASCII only, whatever the locale).
std::string lower_case(std::string_view name);

/// Lower case without '-' and '_'.
std::string fold_name(std::string_view name);

/// Text from a file as a terminal may show it: each control character (ASCII's, and C1 in UTF-8) and each byte that is
/// no UTF-8 a question mark.
std::string printable(std::string_view text);

/// A name of the user's as a message may quote it: in quotes, shortened, no control characters.
std::string quote(std::string_view name);

/// The message of a parser of names without the noun that it begins with: "mode: unknown name 'x'; ..." becomes
/// "unknown name 'x'; ...", for a place before it that says as much.
std::string_view without_noun(std::string_view message);

/// "<place>: unknown name 'x'; nearest known: a, b, c": all known names where they are few, else the
/// nearest by edit distance. The comparison ignores case, '-' and '_'.
Status unknown_name(std::string_view place, std::string_view name, std::span<const KnownName> known);

/// One row of a parser's table.
template <typename T>
struct NameRow {
  std::string_view spelling;
  T value;
};

/// The value whose spelling equals `name` but for case. Errors: kInvalidArgument, see unknown_name.
template <typename T>
Result<T> parse_name(std::string_view place, std::string_view name, std::span<const NameRow<T>> rows) {
  const std::string wanted = lower_case(name);
  for (const NameRow<T>& row : rows) {
    if (lower_case(row.spelling) == wanted) return row.value;
  }
  std::vector<KnownName> known;
  for (const NameRow<T>& row : rows) known.push_back({std::string(row.spelling), std::string(row.spelling)});
  return unknown_name(place, name, known);
}

}  // namespace weft
