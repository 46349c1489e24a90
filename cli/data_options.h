// Options that say how data are read, for every command that reads some.
#pragma once

#include <CLI/CLI.hpp>

#include "weft/data.hpp"

namespace weft::cli {

/// --label, --task, --classes, --delimiter, --header, --missing, --missing-text, --categorical, --ignore, --arrays,
/// --data-dir and --memory. Both parts of `options` (tables, arrays) follow; the values they hold are the defaults.
void add_read_options(CLI::App& command, data::ReadOptions& options);

}  // namespace weft::cli
