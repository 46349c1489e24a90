// GoldenCase: a model, the calls to make on one session, and what must come out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/verify/json_field.h"
#include "weft/loss.hpp"
#include "weft/model_file.hpp"
#include "weft/session.hpp"

namespace weft::verify {

/// An inference pass with the final weights.
struct ExpectedForward {
  Shape input_shape;
  std::vector<double> input;
  std::optional<Shape> output_shape;
  std::vector<double> output;
};

/// What the case states; whatever is absent is not compared.
struct Expected {
  std::optional<std::vector<double>> losses;                // one per call, 0 while a line fills
  std::optional<std::vector<std::vector<double>>> weights;  // one per leaf, in leaf order
  std::optional<std::vector<std::vector<double>>> biases;   // likewise, empty: no bias
  std::optional<ExpectedForward> forward;
};

struct GoldenCase {
  std::string name;
  Model model;
  Loss loss = Loss::kMse;
  TrainOptions options;
  Shape input_shape, target_shape;
  std::vector<std::vector<double>> inputs, targets;  // one each per call
  Expected expect;
};

/// Whether this looks like a training case (or is meant to be one).
bool is_golden_case(const nlohmann::json& value);

/// Errors: kInvalidArgument where the case is malformed, kUnsupported where it is sound but asks for
/// what weft does not do; both name the field.
Result<GoldenCase> read_golden_case(const Field& field);

/// Whether this is the seed example: {w, x, lr, calls, modes}.
bool is_seed_example(const nlohmann::json& value);
/// One entry of the seed example's modes.
Result<GoldenCase> read_seed_case(const Field& document, const Field& mode);

}  // namespace weft::verify
