// GoldenFile: the cases of one file, recognised by what it holds and not by its name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/verify/golden_case.h"

namespace weft::verify {

/// A case that was read, or why not: kInvalidArgument (malformed) or kUnsupported.
struct GoldenEntry {
  std::string name;
  Result<GoldenCase> golden;
};

struct GoldenFile {
  std::filesystem::path path;
  std::vector<GoldenEntry> entries;
};

/// Reads every case of a file; it may hold none.
/// Errors: kNotFound, kIo, kDataLoss where it is no JSON, naming the file.
Result<GoldenFile> read_golden_file(const std::filesystem::path& path);

/// The *.json files of a folder, sorted by name. Errors: kNotFound, kIo.
Result<std::vector<std::filesystem::path>> golden_files(const std::filesystem::path& folder);

}  // namespace weft::verify
