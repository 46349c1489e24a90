// What a reader says of a file, with the file's path replaced by F.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/io/temporary_folder.h"
#include "weft/data.hpp"

namespace weft::test {

inline std::string without_path(std::string message, const std::filesystem::path& file) {
  const std::string path = file.string();
  for (auto at = message.find(path); at != std::string::npos; at = message.find(path))
    message.replace(at, path.size(), "F");
  return message;
}

/// A file of one test.
class DataFile {
 public:
  explicit DataFile(const std::string& bytes, const std::string& name = "data") : path_(folder_ / name) {
    spill(path_, bytes);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

inline Result<data::Dataset> read_text(const std::string& text, const data::CsvOptions& options = {}) {
  const DataFile file(text);
  return data::csv(file.path(), options);
}

/// "ok", or the code and the message: "data loss: csv: F:2: ...".
inline std::string csv_complaint(const std::string& text, const data::CsvOptions& options = {}) {
  const DataFile file(text);
  const auto dataset = data::csv(file.path(), options);
  if (dataset.ok()) return "ok";
  return std::string(to_string(dataset.status().code())) + ": " + without_path(dataset.status().message(), file.path());
}

inline std::vector<float> numbers(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

}  // namespace weft::test
