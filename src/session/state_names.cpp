// Names, types and sizes of a checkpoint's arrays, checked before anything is written.
#include "src/session/state_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <charconv>

#include "src/core/try.h"
#include "src/data/number.h"

namespace weft {
namespace {

// A rule's numbers tell their type, so that a file cannot pass one off as another.
constexpr std::string_view kReal = ":real", kCount = ":count";

Status refuse(const std::string& text) { return {StatusCode::kInvalidArgument, text}; }

std::size_t length(const State::Values& values) {
  return std::visit([](const auto& array) { return array.size(); }, values);
}

/// A rule's or the pipe's array that the session has no buffer for yet.
struct Parsed {
  std::string name;
  Element element = Element::kStorage;
  Role role = Role::kRule;
  std::int64_t slots = 1;
};

Result<Parsed> parse_name(const std::string& key) {
  Parsed parsed{.name = key};
  if (key.starts_with("pipe/")) {
    parsed.role = Role::kPipe;
    const std::size_t at = key.rfind('@');
    const char* end = key.data() + key.size();
    if (at == std::string::npos || std::from_chars(key.data() + at + 1, end, parsed.slots).ptr != end ||
        parsed.slots < 1)
      return refuse(fmt::format("array '{}', wanted a name that ends in @ and the number of slots", key));
    parsed.name = key.substr(0, at);
  } else if (!key.starts_with("rule.")) {
    return refuse(fmt::format("array '{}' is unknown to the mounted model", key));
  }
  if (key.ends_with(kReal)) {
    parsed.element = Element::kReal;
    parsed.name = key.substr(0, key.size() - kReal.size());
  } else if (key.ends_with(kCount)) {
    parsed.element = Element::kCounter;
    parsed.name = key.substr(0, key.size() - kCount.size());
  }
  return parsed;
}

template <typename Number>
Result<Number> number(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return refuse(fmt::format("metadata has no '{}'", key));
  Number value{};
  const std::string& text = found->second;
  bool parsed = false;
  if constexpr (std::is_floating_point_v<Number>) {
    parsed = data::parse_number(text, value) == data::NumberFault::kNone;
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    parsed = error == std::errc() && end == text.data() + text.size();
  }
  if (!parsed) return refuse(fmt::format("metadata '{}' is '{}', wanted a number", key, text));
  return value;
}

Result<Shape> shape(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  std::vector<std::int64_t> axes;
  std::string_view text = found == metadata.end() ? std::string_view() : std::string_view(found->second);
  while (!text.empty()) {
    std::int64_t axis = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
    if (error != std::errc()) break;
    axes.push_back(axis);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with("x")) text.remove_prefix(1);
  }
  const Shape result(axes);
  if (!text.empty() || result.rank() < 2 || !result.validate().ok())
    return refuse(fmt::format("metadata '{}' is '{}', wanted a shape such as 32x784", key,
                              found == metadata.end() ? "" : found->second));
  return result;
}

}  // namespace

std::size_t buffer_bytes(const Buffer& buffer, DType storage) {
  const std::size_t element = buffer.element == Element::kStorage ? element_size(storage) : 8;
  return static_cast<std::size_t>(buffer.elements) * element;
}

std::string state_name(const Buffer& buffer) {
  if (buffer.role == Role::kPipe) return fmt::format("{}@{}", buffer.name, buffer.slots);
  if (buffer.element == Element::kReal) return buffer.name + std::string(kReal);
  const bool counts = buffer.role == Role::kRule && buffer.element == Element::kCounter;
  return counts ? buffer.name + std::string(kCount) : buffer.name;
}

State::Values empty_values(const Buffer& buffer, DType storage) {
  if (buffer.element == Element::kCounter) return std::vector<std::uint64_t>();
  if (buffer.element == Element::kReal || storage == DType::kFloat64) return std::vector<double>();
  return std::vector<float>();
}

std::string size_key(const std::string& array) { return "elements " + array; }

std::map<std::string, std::string> mount_metadata(const Plan& plan) {
  return {{"kind", "state"},
          {"loss", std::string(to_string(plan.loss))},
          {"optimizer", std::string(to_string(plan.optimizer.kind))}};
}

Status lay_out_state(const State& state, DType storage, bool with_pipe, BufferTable& buffers) {
  std::map<std::string, BufferId> wanted;
  for (BufferId id = 0; id < buffers.size(); ++id)
    if (is_state(buffers[id].role)) wanted.emplace(state_name(buffers[id]), id);
  for (const auto& [key, id] : wanted) {
    const Role role = buffers[id].role;
    const bool required = role == Role::kParameter || role == Role::kOptimizer || (role == Role::kPipe && with_pipe);
    if (required && !state.arrays.contains(key)) return refuse(fmt::format("array '{}' is missing", key));
  }
  for (const auto& [key, values] : state.arrays) {
    const auto known = wanted.find(key);
    Buffer buffer;
    if (known != wanted.end()) {
      buffer = buffers[known->second];
    } else {
      WEFT_ASSIGN_OR_RETURN(const Parsed parsed, parse_name(key));
      buffer = {parsed.name, parsed.element, parsed.role, 0, parsed.slots};
    }
    if (empty_values(buffer, storage).index() != values.index())
      return refuse(fmt::format("array '{}' has another number type than the session's {}", key, to_string(storage)));
    const auto seen = static_cast<std::int64_t>(length(values));
    const bool fixed =
        buffer.role == Role::kParameter || buffer.role == Role::kOptimizer || buffer.element != Element::kStorage;
    const std::int64_t size = known != wanted.end() ? buffer.elements * buffer.slots : buffer.slots;
    if ((fixed && seen != size) || seen < buffer.slots || seen % buffer.slots != 0)
      return refuse(fmt::format("array '{}' has {} elements, wanted {}", key, seen, size));
    if (buffer.role == Role::kRule || buffer.role == Role::kPipe) {
      // The model does not tell how large these are: it depends on the batch they were kept at.
      WEFT_ASSIGN_OR_RETURN(const std::int64_t kept, number<std::int64_t>(state.metadata, size_key(key)));
      if (kept != seen) return refuse(fmt::format("array '{}' has {} elements, wanted {}", key, seen, kept));
    }
    buffers.require(buffer.name, buffer.element, buffer.role, seen / buffer.slots, buffer.slots);
  }
  return {};
}

void pipe_to_metadata(const Pipe& pipe, std::map<std::string, std::string>& metadata) {
  metadata["pipe.clock"] = fmt::format("{}", pipe.clock);
  metadata["pipe.in_flight"] = fmt::format("{}", pipe.in_flight());
  if (pipe.in_flight() == 0) return;
  metadata["pipe.mode"] = to_string(pipe.mode);
  metadata["pipe.input"] = fmt::format("{}", fmt::join(pipe.input.axes(), "x"));
  metadata["pipe.target"] = fmt::format("{}", fmt::join(pipe.target.axes(), "x"));
  metadata["pipe.lr"] = fmt::format("{}", pipe.lr);
  metadata["pipe.alt_times"] = fmt::format("{}", pipe.alt_times);
}

Result<Pipe> pipe_from_metadata(const std::map<std::string, std::string>& metadata) {
  Pipe pipe;
  WEFT_ASSIGN_OR_RETURN(pipe.clock, number<std::uint64_t>(metadata, "pipe.clock"));
  WEFT_ASSIGN_OR_RETURN(const std::int64_t in_flight, number<std::int64_t>(metadata, "pipe.in_flight"));
  if (in_flight < 0) return refuse(fmt::format("metadata 'pipe.in_flight' is {}, wanted 0 or more", in_flight));
  if (in_flight == 0) return pipe;
  pipe.oldest = in_flight - 1;
  const auto mode = metadata.find("pipe.mode");
  WEFT_ASSIGN_OR_RETURN(pipe.mode, parse_mode(mode == metadata.end() ? "" : mode->second));
  WEFT_ASSIGN_OR_RETURN(pipe.input, shape(metadata, "pipe.input"));
  WEFT_ASSIGN_OR_RETURN(pipe.target, shape(metadata, "pipe.target"));
  WEFT_ASSIGN_OR_RETURN(pipe.lr, number<double>(metadata, "pipe.lr"));
  WEFT_ASSIGN_OR_RETURN(pipe.alt_times, number<int>(metadata, "pipe.alt_times"));
  if (pipe.alt_times < 1 || pipe.alt_times > kMaxAltTimes)
    return refuse(fmt::format("metadata 'pipe.alt_times' is {}, wanted 1 to {}", pipe.alt_times, kMaxAltTimes));
  return pipe;
}

}  // namespace weft
