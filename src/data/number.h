// Numbers in text: the one place where they are parsed, the same under any locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::data {

enum class NumberFault : std::uint8_t { kNone, kNotNumber, kNotFinite, kTooLarge };

/// Parses all of `text`: digits, sign, point, exponent. What is too small for the type becomes the nearest value.
NumberFault parse_number(std::string_view text, float& number);
NumberFault parse_number(std::string_view text, double& number);

/// Digits held together by what is no part of a number: "1,5", "5;2", "1 000".
bool is_joined_number(std::string_view text);

/// "'1,5', wanted a number; a decimal comma is not read, write 1.5"
std::string number_complaint(std::string_view text, NumberFault fault);

}  // namespace weft::data
