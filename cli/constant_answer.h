// The loss of always giving the same answer: what a training has to beat.
#pragma once

#include "weft/data.hpp"
#include "weft/loss.hpp"

namespace weft::cli {

/// Of the constant with the least loss over these samples: their mean target. Targets [n, outputs], n above 0.
double constant_answer_loss(const data::Samples& samples, Loss loss);

}  // namespace weft::cli
