// Labels: from numbers to classes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data.hpp"

namespace weft::data {

/// The most classes, and the most categories of a column, where their number was not given.
inline constexpr std::int64_t kMostClasses = 1000;
/// The most that may be given.
inline constexpr std::int64_t kMostGivenClasses = std::int64_t{1} << 20;

/// What is wrong with a number as a label ("wanted a whole number from 0 to 9"), or nothing. `classes` 0: any number.
std::string label_fault(double number, std::int64_t classes);

/// Fills labels and classes of the data set from numbers that have no fault.
/// Errors: kInvalidArgument, "<place>: ...", where they are more than kMostClasses different ones.
Status encode_labels(const std::vector<double>& numbers, std::int64_t classes, std::string_view place,
                     Dataset& dataset);

/// Errors: kInvalidArgument for a number of classes that cannot be.
Status check_classes(std::int64_t classes, std::string_view place);

}  // namespace weft::data
