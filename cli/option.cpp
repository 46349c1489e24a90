// Options whose values are checked in one way.
#include "cli/option.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/names.h"
#include "weft/device.hpp"

namespace weft::cli {
namespace {

[[noreturn]] void refuse(const std::string& flag, std::string_view seen, std::string_view wanted) {
  throw CLI::ValidationError(flag, fmt::format("seen {}, wanted {}", quote(seen), wanted));
}

}  // namespace

CLI::Option* add_integer(CLI::App& app, const std::string& flag, std::int64_t& value, std::int64_t least,
                         std::int64_t most, const std::string& description) {
  const auto accept = [=, &value](const std::string& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most) {
      refuse(flag, text,
             least == 1 ? fmt::format("a positive whole number of at most {}", most)
                        : fmt::format("a whole number from {} to {}", least, most));
    }
    value = number;
  };
  return app.add_option_function<std::string>(flag, accept, description)
      ->type_name("N")
      ->default_str(fmt::to_string(value));
}

CLI::Option* add_positive(CLI::App& app, const std::string& flag, double& value, const std::string& description) {
  const auto accept = [flag, &value](const std::string& text) {
    // JSON's numbers read the same under any locale, on every standard library.
    const auto json = nlohmann::json::parse(text.rfind('.', 0) == 0 ? "0" + text : text, nullptr, false);
    const double number = json.is_number() ? json.get<double>() : 0.0;
    if (!(number > 0.0) || !std::isfinite(number)) refuse(flag, text, "a number above 0");
    value = number;
  };
  return app.add_option_function<std::string>(flag, accept, description)
      ->type_name("X")
      ->default_str(fmt::to_string(value));
}

CLI::Option* add_device(CLI::App& app, const std::string& flag, std::string& value, const std::string& description) {
  std::vector<std::string> names;
  for (const DeviceInfo& device : devices()) names.push_back(device.name);
  const auto accept = [flag, names, &value](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) == names.end()) {
      refuse(flag, text, fmt::format("one of {}", fmt::join(names, ", ")));
    }
    value = text;
  };
  return app.add_option_function<std::string>(flag, accept, description)
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->default_str(value);
}

CLI::Option* add_folder(CLI::App& app, const std::string& flag, std::string& value, const std::string& description) {
  const auto accept = [flag, &value](const std::string& text) {
    if (text.empty()) refuse(flag, text, "a folder");
    value = text;
  };
  return app.add_option_function<std::string>(flag, accept, description)->type_name("DIR")->default_str(value);
}

}  // namespace weft::cli
