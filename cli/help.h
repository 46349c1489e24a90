// How help shows options: what they take beside the flag, behind the description the default or that it is required.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace weft::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    if (option->get_positional() && option->get_type_name() == option->get_name()) return {};
    return " " + option->get_type_name();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string& value = option->get_default_str();
    if (!value.empty()) return option->get_description() + " [" + value + "]";
    const bool wanted = option->get_required() && !option->get_positional();
    return option->get_description() + (wanted ? " (required)" : "");
  }
};

}  // namespace weft::cli
