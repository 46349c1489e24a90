// Options whose values are checked in one way: a refusal names the flag, the value seen and the value wanted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "src/core/names.h"
#include "weft/status.hpp"

namespace weft::cli {

/// A whole number from `least` to `most`; `value` holds the default.
CLI::Option* add_integer(CLI::App& app, const std::string& flag, std::int64_t& value, std::int64_t least,
                         std::int64_t most, const std::string& description);

/// A finite number above zero; `value` holds the default.
CLI::Option* add_positive(CLI::App& app, const std::string& flag, double& value, const std::string& description);

/// The name of a device that weft knows, whether or not it is here.
CLI::Option* add_device(CLI::App& app, const std::string& flag, std::string& value, const std::string& description);

/// A folder.
CLI::Option* add_folder(CLI::App& app, const std::string& flag, std::string& value, const std::string& description);

/// A name that `parse` knows; `shown` lists the choices as "a|b|c", which completions offer too (or is
/// "MODE", for which they offer every mode).
template <typename T>
CLI::Option* add_named(CLI::App& app, const std::string& flag, T& value, Result<T> (*parse)(std::string_view),
                       const std::string& shown, const std::string& description) {
  const auto accept = [flag, &value, parse](const std::string& text) {
    Result<T> parsed = parse(text);
    if (!parsed.ok()) throw CLI::ValidationError(flag, std::string(without_noun(parsed.status().message())));
    value = *parsed;
  };
  return app.add_option_function<std::string>(flag, accept, description)
      ->type_name(shown)
      ->default_str(std::string(to_string(value)));
}

}  // namespace weft::cli
