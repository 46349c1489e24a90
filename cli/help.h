// How help shows options: what they take beside the flag, the default behind the description.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace weft::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    return " " + option->get_type_name();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string& value = option->get_default_str();
    return value.empty() ? option->get_description() : option->get_description() + " [" + value + "]";
  }
};

}  // namespace weft::cli
