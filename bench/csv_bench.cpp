// How fast CSV is read: bytes of text a second, on one core, from the page cache.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "weft/data.hpp"
#include "weft/random.hpp"

namespace {

// A file of 784 features and a label, removed at the end.
class CsvFile {
 public:
  enum class Kind { kPixels, kDecimals, kScientific };

  CsvFile(Kind kind, int rows)
      : path_(std::filesystem::temp_directory_path() / fmt::format("weft_csv_bench_{}.csv", ::getpid())) {
    weft::Random random(1);
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    for (int row = 0; row < rows; ++row) {
      std::string line = fmt::format("{}", random.below(10));
      for (int i = 0; i < 784; ++i) {
        switch (kind) {
          case Kind::kPixels: line += fmt::format(",{}", random.below(5) == 0 ? random.below(256) : 0); break;
          case Kind::kDecimals: line += fmt::format(",{:.4f}", random.uniform(-4.0, 4.0)); break;
          case Kind::kScientific: line += fmt::format(",{:.8e}", random.uniform(-4.0, 4.0)); break;
        }
      }
      line += '\n';
      std::fwrite(line.data(), 1, line.size(), file);
    }
    std::fclose(file);
  }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;
  ~CsvFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(std::filesystem::file_size(path_)); }

 private:
  std::filesystem::path path_;
};

void read_csv(benchmark::State& state, CsvFile::Kind kind) {
  const CsvFile file(kind, static_cast<int>(state.range(0)));
  for (auto step : state) {
    auto data = weft::data::csv(file.path(), {.label = "0", .classes = 10});
    if (!data.ok()) state.SkipWithError(data.status().message().c_str());
    benchmark::DoNotOptimize(data);
  }
  state.SetBytesProcessed(state.iterations() * file.bytes());
}

BENCHMARK_CAPTURE(read_csv, pixels, CsvFile::Kind::kPixels)->Arg(70000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_csv, decimals, CsvFile::Kind::kDecimals)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_csv, scientific, CsvFile::Kind::kScientific)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
