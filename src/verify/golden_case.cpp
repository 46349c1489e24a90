// GoldenCase: reading the cases.
#include "src/verify/golden_case.h"

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/verify/golden_model.h"
#include "src/verify/seed_example.h"

namespace weft::verify {
namespace {

constexpr std::int64_t kMostCalls = 1'000'000;
// The period that the rules refresh at; a case cannot choose another.
constexpr std::int64_t kCachePeriod = 20;

Status at(const Field& field, const Status& status) {
  return {status.code(), fmt::format("{}: {}", field.path(), status.message())};
}

Result<double> number(const Field& parent, std::string_view key) {
  WEFT_ASSIGN_OR_RETURN(const Field field, parent.member(key));
  return field.number();
}

Result<Shape> shape(const Field& parent, std::string_view key) {
  WEFT_ASSIGN_OR_RETURN(const Field field, parent.member(key));
  return field.shape();
}

/// The integer of that name, or `absent` where there is none.
Result<std::int64_t> integer(const Field& parent, std::string_view key, std::int64_t most, std::int64_t absent) {
  if (!parent.has(key)) return absent;
  WEFT_ASSIGN_OR_RETURN(const Field field, parent.member(key));
  return field.integer(1, most);
}

Result<std::vector<std::vector<double>>> lists(const Field& parent, std::string_view key) {
  WEFT_ASSIGN_OR_RETURN(const Field field, parent.member(key));
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> elements, field.elements());
  std::vector<std::vector<double>> values;
  for (const Field& element : elements) {
    WEFT_ASSIGN_OR_RETURN(std::vector<double> numbers, element.numbers());
    values.push_back(std::move(numbers));
  }
  return values;
}

Result<Mode> read_mode(const Field& parent) {
  WEFT_ASSIGN_OR_RETURN(const Field field, parent.member("mode"));
  WEFT_ASSIGN_OR_RETURN(const std::string name, field.text());
  Result<Mode> mode = parse_mode(name);
  if (!mode.ok()) return at(field, mode.status());
  return mode;
}

Status read_options(const Field& field, GoldenCase& golden) {
  WEFT_ASSIGN_OR_RETURN(const Mode mode, read_mode(field));
  golden.options.mode = mode;
  WEFT_ASSIGN_OR_RETURN(golden.options.lr, number(field, "lr"));
  WEFT_ASSIGN_OR_RETURN(const std::int64_t alt_times, integer(field, "alt_times", INT32_MAX, 1));
  golden.options.alt_times = static_cast<int>(alt_times);
  WEFT_ASSIGN_OR_RETURN(const std::int64_t ticks, integer(field, "ticks", INT32_MAX, kSeedTicks));
  golden.options.ticks = static_cast<int>(ticks);
  WEFT_ASSIGN_OR_RETURN(const std::int64_t period, integer(field, "cache_every", INT32_MAX, kCachePeriod));
  if (period != kCachePeriod) {
    return {StatusCode::kUnsupported, fmt::format("cache_every: seen {}, carried out: {}", period, kCachePeriod)};
  }
  if (!field.has("loss")) return {};
  WEFT_ASSIGN_OR_RETURN(const Field member, field.member("loss"));
  WEFT_ASSIGN_OR_RETURN(const std::string name, member.text());
  const Result<Loss> loss = parse_loss(name);
  if (!loss.ok()) return {StatusCode::kUnsupported, fmt::format("loss: {}", loss.status().message())};
  golden.loss = *loss;
  return {};
}

Status read_model(const Field& field, GoldenCase& golden) {
  if (field.has("model") == field.has("grid")) {
    return {StatusCode::kInvalidArgument,
            fmt::format("model, grid: {}, wanted one of them", field.has("model") ? "both given" : "missing")};
  }
  if (field.has("grid")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, field.member("grid"));
    WEFT_ASSIGN_OR_RETURN(golden.model, read_grid(member));
    return {};
  }
  WEFT_ASSIGN_OR_RETURN(const Field member, field.member("model"));
  WEFT_ASSIGN_OR_RETURN(golden.model, read_stack(member));
  return {};
}

/// Checks that there are `calls` lists of shape.elements() numbers.
Status check_calls(std::string_view key, const std::vector<std::vector<double>>& values, const Shape& shape,
                   std::int64_t calls) {
  if (static_cast<std::int64_t>(values.size()) != calls) {
    return {StatusCode::kInvalidArgument,
            fmt::format("{}: seen {} lists, wanted {}, one per call", key, values.size(), calls)};
  }
  for (std::size_t call = 0; call < values.size(); ++call) {
    if (static_cast<std::int64_t>(values[call].size()) == shape.elements()) continue;
    return {StatusCode::kInvalidArgument, fmt::format("{}[{}]: seen {} numbers, wanted {} for shape {}", key, call,
                                                      values[call].size(), shape.elements(), to_string(shape))};
  }
  return {};
}

Status read_calls(const Field& field, GoldenCase& golden) {
  WEFT_ASSIGN_OR_RETURN(golden.input_shape, shape(field, "input_shape"));
  WEFT_ASSIGN_OR_RETURN(golden.target_shape, shape(field, "target_shape"));
  WEFT_ASSIGN_OR_RETURN(golden.inputs, lists(field, "inputs"));
  WEFT_ASSIGN_OR_RETURN(golden.targets, lists(field, "targets"));
  WEFT_ASSIGN_OR_RETURN(const std::int64_t calls,
                        integer(field, "calls", kMostCalls, static_cast<std::int64_t>(golden.inputs.size())));
  WEFT_RETURN_IF_ERROR(check_calls("inputs", golden.inputs, golden.input_shape, calls));
  return check_calls("targets", golden.targets, golden.target_shape, calls);
}

/// The input of the inference pass has the shape of a call's, or another batch of the same samples.
Status read_forward(const Field& expect, GoldenCase& golden) {
  if (!expect.has("forward_out")) return {};
  ExpectedForward forward;
  WEFT_ASSIGN_OR_RETURN(const Field out, expect.member("forward_out"));
  WEFT_ASSIGN_OR_RETURN(forward.output, out.numbers());
  WEFT_ASSIGN_OR_RETURN(const Field in, expect.member("forward_in"));
  WEFT_ASSIGN_OR_RETURN(forward.input, in.numbers());
  const std::int64_t batch = golden.input_shape.rank() == 0 ? 1 : golden.input_shape[0];
  const std::int64_t sample = golden.input_shape.elements() / batch;
  const auto seen = static_cast<std::int64_t>(forward.input.size());
  if (seen == 0 || seen % sample != 0) return in.wrong(fmt::format("whole samples of {} numbers", sample));
  forward.input_shape = golden.input_shape.with_batch(seen / sample);
  if (expect.has("forward_out_shape")) {
    WEFT_ASSIGN_OR_RETURN(forward.output_shape, shape(expect, "forward_out_shape"));
    if (forward.output_shape->elements() != static_cast<std::int64_t>(forward.output.size())) {
      return out.wrong(
          fmt::format("{} numbers for shape {}", forward.output_shape->elements(), to_string(*forward.output_shape)));
    }
  }
  golden.expect.forward = std::move(forward);
  return {};
}

/// Checks the number of leaves and each leaf's number of values; `biases` may be empty per leaf.
Status check_leaves(const Field& expect, const GoldenCase& golden) {
  const std::vector<const Dense*> found = std::visit([](const auto& model) { return leaves(model); }, golden.model);
  const auto check = [&](std::string_view key, const auto& values, bool biases) -> Status {
    if (!values) return {};
    const std::string path = fmt::format("{}.{}", expect.path(), key);
    if (values->size() != found.size()) {
      return {StatusCode::kInvalidArgument,
              fmt::format("{}: seen {} lists, wanted {}, one per leaf", path, values->size(), found.size())};
    }
    for (std::size_t leaf = 0; leaf < found.size(); ++leaf) {
      const Dense& dense = *found[leaf];
      const std::int64_t wanted = !biases ? dense.out * dense.in : dense.bias ? dense.out : 0;
      if (static_cast<std::int64_t>((*values)[leaf].size()) == wanted) continue;
      return {StatusCode::kInvalidArgument,
              fmt::format("{}[{}]: seen {} numbers, wanted {}", path, leaf, (*values)[leaf].size(), wanted)};
    }
    return {};
  };
  WEFT_RETURN_IF_ERROR(check("weights", golden.expect.weights, false));
  return check("biases", golden.expect.biases, true);
}

Status read_expect(const Field& field, GoldenCase& golden) {
  // expect_spec wins where a case has both; expect_reference is what another engine does and never compared.
  const std::string_view key = field.has("expect_spec") ? "expect_spec" : "expect";
  if (!field.has(key)) {
    if (field.has("expect_reference")) return {StatusCode::kUnsupported, "expect: only expect_reference is given"};
    return {StatusCode::kInvalidArgument, "expect: missing"};
  }
  WEFT_ASSIGN_OR_RETURN(const Field expect, field.member(key));
  WEFT_RETURN_IF_ERROR(expect.only({"losses", "weights", "biases", "forward_in", "forward_out", "forward_out_shape"}));
  if (expect.has("losses")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, expect.member("losses"));
    WEFT_ASSIGN_OR_RETURN(golden.expect.losses, member.numbers());
    if (golden.expect.losses->size() != golden.inputs.size()) {
      return member.wrong(fmt::format("{} losses, one per call", golden.inputs.size()));
    }
  }
  if (expect.has("weights")) {
    WEFT_ASSIGN_OR_RETURN(golden.expect.weights, lists(expect, "weights"));
  }
  if (expect.has("biases")) {
    WEFT_ASSIGN_OR_RETURN(golden.expect.biases, lists(expect, "biases"));
  }
  WEFT_RETURN_IF_ERROR(read_forward(expect, golden));
  const Expected& expected = golden.expect;
  if (!expected.losses && !expected.weights && !expected.biases && !expected.forward) {
    return expect.wrong("losses, weights, biases or forward_out to compare with");
  }
  return check_leaves(expect, golden);
}

}  // namespace

bool is_golden_case(const nlohmann::json& value) {
  if (!value.is_object() || !(value.contains("model") || value.contains("grid") || value.contains("mode")))
    return false;
  return value.contains("expect") || value.contains("expect_spec") || value.contains("expect_reference") ||
         value.contains("inputs");
}

Result<GoldenCase> read_golden_case(const Field& field) {
  GoldenCase golden;
  if (field.has("name")) {
    WEFT_ASSIGN_OR_RETURN(const Field name, field.member("name"));
    WEFT_ASSIGN_OR_RETURN(golden.name, name.text());
  }
  WEFT_RETURN_IF_ERROR(field.only({"name", "seed", "note", "model", "grid", "mode", "loss", "lr", "calls", "alt_times",
                                   "cache_every", "ticks", "input_shape", "target_shape", "inputs", "targets", "expect",
                                   "expect_reference", "expect_spec"}));
  WEFT_RETURN_IF_ERROR(read_options(field, golden));
  WEFT_RETURN_IF_ERROR(read_model(field, golden));
  WEFT_RETURN_IF_ERROR(read_calls(field, golden));
  WEFT_RETURN_IF_ERROR(read_expect(field, golden));
  return golden;
}

bool is_seed_example(const nlohmann::json& value) {
  return value.is_object() && value.contains("modes") && value.contains("w") && value.contains("x");
}

Result<GoldenCase> read_seed_case(const Field& document, const Field& field) {
  GoldenCase golden;
  WEFT_ASSIGN_OR_RETURN(const Mode mode, read_mode(field));
  golden.name = to_string(mode);
  golden.options = {.mode = mode, .ticks = kSeedTicks};
  WEFT_ASSIGN_OR_RETURN(golden.options.lr, number(document, "lr"));
  WEFT_ASSIGN_OR_RETURN(const std::int64_t calls, integer(document, "calls", kMostCalls, kSeedCalls));

  const auto values = [&](std::string_view key, std::size_t wanted) -> Result<std::vector<double>> {
    WEFT_ASSIGN_OR_RETURN(const Field member, document.member(key));
    WEFT_ASSIGN_OR_RETURN(std::vector<double> numbers, member.numbers());
    if (numbers.size() != wanted) return member.wrong(fmt::format("{} numbers", wanted));
    return numbers;
  };
  WEFT_ASSIGN_OR_RETURN(const std::vector<double> w, values("w", 16));
  WEFT_ASSIGN_OR_RETURN(const std::vector<double> x, values("x", 8));
  std::vector<float> weights;
  for (const double weight : w) weights.push_back(static_cast<float>(weight));
  golden.model = seed_model(mode, weights);
  golden.input_shape = golden.target_shape = Shape{2, 4};
  golden.inputs.assign(static_cast<std::size_t>(calls), x);
  golden.targets.assign(static_cast<std::size_t>(calls), std::vector<double>(8, 0.0));

  WEFT_ASSIGN_OR_RETURN(const Field losses, field.member("losses"));
  WEFT_ASSIGN_OR_RETURN(golden.expect.losses, losses.numbers());
  if (golden.expect.losses->size() != golden.inputs.size())
    return losses.wrong(fmt::format("{} losses, one per call", calls));
  return golden;
}

}  // namespace weft::verify
