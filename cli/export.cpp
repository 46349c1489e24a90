// weft export: a model's weights as an .npz file.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "weft/model_file.hpp"

namespace weft::cli {
namespace {

struct Options {
  std::string model, out;
};

Status export_model(const Options& options) {
  std::error_code error;
  if (std::filesystem::is_directory(options.out, error)) {
    return {StatusCode::kInvalidArgument, fmt::format("--out: seen {}, a folder, wanted a file", quote(options.out))};
  }
  WEFT_ASSIGN_OR_RETURN(const Model model, load(options.model));
  WEFT_RETURN_IF_ERROR(export_npz(model, options.out));
  std::size_t arrays = 0;
  std::int64_t numbers = 0;
  for (const Dense* leaf : std::visit([](const auto& kind) { return leaves(kind); }, model)) {
    arrays += leaf->bias ? 2 : 1;
    numbers += leaf->weight.elements() + (leaf->bias ? leaf->bias->elements() : 0);
  }
  fmt::print("arrays={} numbers={} out={}\n", arrays, numbers, printable(options.out));
  return {};
}

int run(const Options& options) {
  if (lower_case(std::filesystem::path(options.out).extension().string()) != ".npz")
    return misused("export", fmt::format("--out: seen {}, wanted a file that ends in .npz", quote(options.out)));
  const Status status = export_model(options);
  return status.ok() ? kExitOk : failed("export", status);
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("export", "Write a model's weights as an .npz file")->group("Models");
  command->add_option("MODEL", options->model, "The folder of a model, as weft train --out wrote it")
      ->type_name("DIR")
      ->required();
  command->add_option("--out", options->out, "The .npz file to write")->type_name("FILE")->required();
  command->footer(
      R"(Names are those of weights.safetensors: leaf.1.weight [out, in], leaf.1.bias [out]; float32 or float64, C order.
y = act(x W^T + b). In Python: w = numpy.load("weights.npz")["leaf.1.weight"].

Example:
  weft export run --out weights.npz)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
