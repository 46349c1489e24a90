// Reading declarations of kernels.
#include "tests/metal/standin/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace weft::standin {
namespace {

constexpr unsigned kBuffers = 31, kThreadgroups = 31;

constexpr std::array<std::string_view, 12> kPositions{"thread_position_in_grid",
                                                      "thread_position_in_threadgroup",
                                                      "threadgroup_position_in_grid",
                                                      "threads_per_threadgroup",
                                                      "dispatch_threads_per_threadgroup",
                                                      "threadgroups_per_grid",
                                                      "threads_per_grid",
                                                      "thread_index_in_threadgroup",
                                                      "thread_index_in_simdgroup",
                                                      "simdgroup_index_in_threadgroup",
                                                      "threads_per_simdgroup",
                                                      "simdgroups_per_threadgroup"};
constexpr std::array<std::string_view, 5> kPositionTypes{"uint", "ushort", "uint2", "uint3", "uint32_t"};

using Words = std::vector<std::string_view>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Names and numbers whole, anything else a character at a time.
Words words_of(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

/// The words from `at` on, which is behind an opening bracket, up to its closing one; cut at commas of its own.
std::vector<Words> parts(const Words& words, std::size_t at) {
  std::vector<Words> all(1);
  int depth = 0;
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == ")" && depth == 0) break;
    if (word == "(" || word == "[" || word == "<") ++depth;
    if (word == ")" || word == "]" || word == ">") --depth;
    if (word == "," && depth == 0) {
      all.emplace_back();
    } else {
      all.back().push_back(word);
    }
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

struct Attribute {
  std::string name;
  int number = -1;
};

/// Takes `[[name(number)]]` off the end.
Attribute take_attribute(Words& words) {
  Attribute found;
  const auto open = std::find(words.begin(), words.end(), "[");
  if (open == words.end()) return found;
  if (words.end() - open >= 3) found.name = open[2] == "__local" ? "threadgroup" : open[2];  // a macro's doing
  if (words.end() - open >= 5 && open[3] == "(") found.number = std::atoi(std::string(open[4]).c_str());
  words.erase(open, words.end());
  return found;
}

bool take(Words& words, std::string_view word) {
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) return false;
  words.erase(at);
  return true;
}

/// Empty where it is one that Metal takes.
std::string read_parameter(Words words, unsigned& next_buffer, Parameter& parameter) {
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  const Attribute attribute = take_attribute(words);
  if (words.size() < 2) return fmt::format("parameter '{}' has no name", text);
  parameter.name = words.back();
  words.pop_back();
  const bool device = take(words, "__global"), constant = take(words, "constant") || take(words, "__constant"),
             group = take(words, "__local");
  const bool pointer = take(words, "*"), reference = take(words, "&");
  while (take(words, "const")) continue;
  parameter.type = fmt::format("{}", fmt::join(words, " "));
  if (device || constant || group) {
    if (!pointer && !(constant && reference))
      return fmt::format("parameter '{}' is neither pointer nor reference", text);
    const std::string_view wanted = group ? "threadgroup" : "buffer";
    if (!attribute.name.empty() && attribute.name != wanted)
      return fmt::format("parameter '{}' has attribute {}, wanted {}", text, attribute.name, wanted);
    parameter.kind = group      ? Parameter::Kind::kThreadgroup
                     : constant ? Parameter::Kind::kConstant
                                : Parameter::Kind::kBuffer;
    if (group && attribute.name.empty()) return fmt::format("parameter '{}' has no [[threadgroup(n)]]", text);
    parameter.index = attribute.name.empty() ? next_buffer : static_cast<unsigned>(attribute.number);
    if (!group) next_buffer = parameter.index + 1;
    if (parameter.index >= (group ? kThreadgroups : kBuffers))
      return fmt::format("parameter '{}': no such index", text);
    return {};
  }
  parameter.kind = Parameter::Kind::kPosition;
  parameter.attribute = attribute.name;
  if (std::find(kPositions.begin(), kPositions.end(), attribute.name) == kPositions.end())
    return fmt::format("parameter '{}' is no device, constant or threadgroup memory and has no known attribute", text);
  if (std::find(kPositionTypes.begin(), kPositionTypes.end(), parameter.type) == kPositionTypes.end())
    return fmt::format("parameter '{}' is of type {}, wanted uint, ushort, uint2 or uint3", text, parameter.type);
  return {};
}

}  // namespace

std::vector<Signature> signatures_of(std::string_view preprocessed, std::string& error) {
  std::vector<Signature> all;
  const Words words = words_of(preprocessed);
  for (std::size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i] != "kernel" || words[i + 1] != "void" || words[i + 3] != "(") continue;
    Signature signature{std::string(words[i + 2]), {}};
    if (i >= 8 && words[i - 1] == "]" && words[i - 3] == ")" && words[i - 6] == "max_total_threads_per_threadgroup")
      signature.most_threads = static_cast<unsigned>(std::atoi(std::string(words[i - 4]).c_str()));
    if (signature.most_threads == 0 || signature.most_threads > 1024) {
      error =
          fmt::format("kernel {}: max_total_threads_per_threadgroup is not a number from 1 to 1024", signature.kernel);
      return {};
    }
    unsigned next_buffer = 0;
    std::set<std::pair<bool, unsigned>> taken;
    for (const Words& part : parts(words, i + 4)) {
      Parameter parameter{};
      std::string why = read_parameter(part, next_buffer, parameter);
      const bool group = parameter.kind == Parameter::Kind::kThreadgroup;
      if (why.empty() && parameter.kind != Parameter::Kind::kPosition && !taken.emplace(group, parameter.index).second)
        why = fmt::format("parameter '{}' has index {} of another", parameter.name, parameter.index);
      if (!why.empty()) {
        error = fmt::format("kernel {}: {}", signature.kernel, why);
        return {};
      }
      signature.parameters.push_back(std::move(parameter));
    }
    all.push_back(std::move(signature));
  }
  return all;
}

}  // namespace weft::standin
