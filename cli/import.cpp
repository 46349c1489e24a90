// weft import: weights by name out of a safetensors file into a model of weft's.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/input_files.h"
#include "cli/model_option.h"
#include "cli/option.h"
#include "cli/out_folder.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "weft/model_file.hpp"

namespace weft::cli {
namespace {

constexpr std::size_t kWidth = 100;       // of the report
constexpr std::size_t kLeastColumn = 12;  // a column is not shortened below this
constexpr std::size_t kColumns = 6;

struct Options {
  std::string file, out;
  ModelOption model;
  Activation activation = Activation::kTanh;
  bool bias = false, partial = false;
  std::map<std::string, std::string> renames;
  Initialiser init = Initialiser::kUniform;
  std::int64_t seed = 1;
};

using Row = std::array<std::string, kColumns>;

Row row_of(const ImportedTensor& tensor) {
  if (tensor.fate == ImportedTensor::Fate::kMissing) {
    return {tensor.name, to_string(tensor.wanted), "-", "-", "-", std::string(to_string(tensor.fate))};
  }
  return {tensor.name, to_string(tensor.wanted), printable(tensor.from),
          tensor.type, to_string(tensor.seen),   std::string(to_string(tensor.fate))};
}

/// At most `width` bytes; what is cut out of the middle, between characters of UTF-8, leaves "..".
std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  std::size_t front = (width - 2) / 2, back = text.size() - (width - 2 - front);
  while (front > 0 && inside(front)) --front;
  while (back < text.size() && inside(back)) ++back;
  return text.substr(0, front) + ".." + text.substr(back);
}

/// The rows in columns, the widest ones shortened until a line fits.
void print_table(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto total = [&] {
    std::size_t sum = kColumns - 1;
    for (const std::size_t width : widths) sum += width;
    return sum;
  };
  while (total() > kWidth) {
    auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kLeastColumn) break;
    --*widest;
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < kColumns; ++c) {
      line += fmt::format("{}{:<{}}", c == 0 ? "" : " ", shortened(row[c], widths[c]), widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

std::size_t taken(const ImportReport& report) {
  return static_cast<std::size_t>(
      std::count_if(report.tensors.begin(), report.tensors.end(),
                    [](const ImportedTensor& tensor) { return tensor.fate == ImportedTensor::Fate::kTaken; }));
}

void print_report(const ImportReport& report) {
  std::vector<Row> rows{{"name in model", "wanted", "name in file", "type", "shape", "verdict"}};
  for (const ImportedTensor& tensor : report.tensors) rows.push_back(row_of(tensor));
  print_table(rows);
  for (const std::string& name : report.unused) fmt::print("unused {}\n", shortened(printable(name), kWidth - 7));
  const bool biases = std::any_of(report.unused.begin(), report.unused.end(),
                                  [](const std::string& name) { return name.ends_with("bias"); });
  const bool without = std::none_of(report.tensors.begin(), report.tensors.end(),
                                    [](const ImportedTensor& tensor) { return tensor.name.ends_with(".bias"); });
  if (biases && without)
    say("weft import: note: the file has biases and the model none; --bias gives every layer one\n");
}

/// What --model names, its weights drawn.
Result<Model> fresh_model(const Options& options) {
  Model model;
  if (const auto* path = std::get_if<std::filesystem::path>(&options.model)) {
    auto read = model_of_file(*path);
    if (!read.ok()) return Status(read.status().code(), "--model: " + read.status().message());
    model = *std::move(read);
  } else {
    model = model_of_widths(std::get<Widths>(options.model), options.activation, options.bias, Schedule::kStack);
  }
  const Init init{.seed = static_cast<std::uint64_t>(options.seed), .initialiser = options.init};
  WEFT_RETURN_IF_ERROR(std::visit([&](auto& root) { return root.initialise(init); }, model));
  return model;
}

/// What a training left there would speak of other weights.
Status check(const OutFolder& out) {
  WEFT_RETURN_IF_ERROR(out.check());
  for (const char* name : {"data.json", "run.json"}) {
    std::error_code ignored;
    if (!std::filesystem::exists(out.path() / name, ignored)) continue;
    return {StatusCode::kInvalidArgument,
            fmt::format("--out: {} holds {} of a training, wanted another folder", quote(out.path().string()), name)};
  }
  return {};
}

Status write(const Model& model, OutFolder& out) {
  std::uint64_t bytes = 0;
  for (const Dense* leaf : std::visit([](const auto& kind) { return leaves(kind); }, model)) {
    bytes += leaf->weight.bytes() + (leaf->bias ? leaf->bias->bytes() : 0);
  }
  WEFT_RETURN_IF_ERROR(out.prepare(bytes));
  WEFT_ASSIGN_OR_RETURN(const std::filesystem::path stage, out.stage());
  WEFT_RETURN_IF_ERROR(save(model, stage));
  return out.commit();
}

/// That what is written replaces nothing that is read.
Status check_inputs(const Options& options) {
  std::vector<std::filesystem::path> inputs{options.file};
  if (const auto* path = std::get_if<std::filesystem::path>(&options.model)) {
    inputs.push_back(*path);
    inputs.push_back(*path / "model.json");
  }
  for (const char* name : {"model.json", "weights.safetensors"}) {
    WEFT_RETURN_IF_ERROR(check_out(std::filesystem::path(options.out) / name, inputs));
  }
  return {};
}

Status import_model(const Options& options) {
  OutFolder out(options.out);
  WEFT_RETURN_IF_ERROR(check(out));
  WEFT_RETURN_IF_ERROR(check_inputs(options));
  WEFT_ASSIGN_OR_RETURN(Model model, fresh_model(options));
  WEFT_ASSIGN_OR_RETURN(const ImportReport report, import_weights(model, options.file, options.renames));
  print_report(report);
  const std::size_t count = taken(report), wanted = report.tensors.size();
  if (!report.complete() && !options.partial) {
    return {StatusCode::kInvalidArgument,
            fmt::format("{}: {} of {} arrays were taken, wanted all; nothing was written (--partial leaves the others "
                        "as --init draws them)",
                        quote(options.file), count, wanted)};
  }
  if (count == 0) {
    return {StatusCode::kInvalidArgument,
            fmt::format("{}: none of {} arrays was taken, wanted one at least; nothing was written (--rename FROM=TO "
                        "gives names)",
                        quote(options.file), wanted)};
  }
  WEFT_RETURN_IF_ERROR(write(model, out));
  fmt::print("taken={} of={} unused={} out={}\n", count, wanted, report.unused.size(), printable(options.out));
  return {};
}

int run(const Options& options) {
  const Status status = import_model(options);
  return status.ok() ? kExitOk : failed("import", status);
}

/// "fc1=leaf.1" into the map.
void add_rename(std::map<std::string, std::string>& renames, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
    throw CLI::ValidationError("--rename", fmt::format("seen {}, wanted FROM=TO as fc1=leaf.1", quote(text)));
  }
  if (!renames.emplace(text.substr(0, sign), text.substr(sign + 1)).second) {
    throw CLI::ValidationError("--rename",
                               fmt::format("seen {} twice, wanted one name for it", quote(text.substr(0, sign))));
  }
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("import", "Take weights by name out of a safetensors file")->group("Models");
  command->add_option("FILE", options->file, "A safetensors file, whoever wrote it")->type_name("FILE")->required();
  add_named<ModelOption>(*command, "--model", options->model, parse_model_option, "WIDTHS|FILE|DIR",
                         "The model that takes them: widths, a model.json or the folder of one")
      ->required();
  add_named<Activation>(*command, "--activation", options->activation, parse_activation,
                        "linear|relu|relu2|leakyrelu|silu|gelu|tanh|sigmoid",
                        "Of the hidden layers, with widths; the last one is linear");
  command->add_flag("--bias", options->bias, "Give every layer a bias, with widths");
  add_folder(*command, "--out", options->out, "Write model.json and weights.safetensors into this folder")->required();
  command
      ->add_option_function<std::vector<std::string>>(
          "--rename",
          [options](const std::vector<std::string>& list) {
            for (const std::string& text : list) add_rename(options->renames, text);
          },
          "A name of the file, whole or up to a point, and its name in the model")
      ->type_name("FROM=TO")
      ->type_size(1)
      ->allow_extra_args(false);
  command->add_flag("--partial", options->partial, "Write the model though arrays are missing or do not fit");
  add_named<Initialiser>(*command, "--init", options->init, parse_initialiser, "uniform|xavier|he|zeros",
                         "How the weights are drawn that the file does not give");
  add_integer(*command, "--seed", options->seed, 0, INT64_MAX, "Names those weights");
  command->footer(
      R"(The model's arrays are leaf.1.weight [out, in], leaf.1.bias [out] and so on, as weft export names them; those
of the file may be F32, F64, F16 or BF16. The report says of each what became of it, then what was unused.
A folder given as --model lends its architecture alone. --out replaces no file that is read.

Examples:
  weft import net.safetensors --model 784-128-10 --bias --activation relu --rename fc1=leaf.1 --rename fc2=leaf.2 \
    --out net
  weft import part.safetensors --model run --partial --seed 3 --out part)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
