// A checksum of rows as they were read: tells whether a source still holds what a model was trained on.
#pragma once

#include <cstdint>
#include <span>

#include "weft/data.hpp"

namespace weft::data {

/// Of the sizes, inputs, labels and targets; the same on every machine. `labels` are those of the data set, perhaps in
/// the numbering of a model. No proof against someone who wants two sources to agree.
std::uint64_t checksum_of(const Dataset& dataset, std::span<const std::int32_t> labels);

}  // namespace weft::data
