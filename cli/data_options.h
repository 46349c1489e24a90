// Options that say how data are read, for every command that reads some.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "weft/data.hpp"

namespace weft::cli {

/// --label, --task, --classes, --delimiter, --header, --missing, --missing-text, --categorical, --ignore, --arrays,
/// --data-dir and --memory. Both parts of `options` (tables, arrays) follow; the values they hold are the defaults.
void add_read_options(CLI::App& command, data::ReadOptions& options);

/// Those of them that a trained model leaves open: all but --task, --classes, --categorical and --ignore.
void add_alike_options(CLI::App& command, data::ReadOptions& options);

/// What was given on the command line (see add_alike_options), and beside it what the training's rows were read with.
data::ReadOptions alike_options(const CLI::App& command, const data::ReadOptions& given,
                                const data::ReadOptions& trained);

/// Why a flag that was given says nothing of these data, or nothing: "--label: has no effect with <data>, wanted ...".
std::string without_effect(const std::function<bool(const char* flag)>& given, std::string_view data,
                           const data::Dataset& dataset);
std::string without_effect(const CLI::App& command, std::string_view data, const data::Dataset& dataset);

/// A message of a reader with flags in place of the options that it names: "the missing option" is --missing.
Status with_flags(const Status& status);

}  // namespace weft::cli
