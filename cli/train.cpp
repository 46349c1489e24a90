// weft train: the command.
#include <memory>

#include "cli/command.h"
#include "cli/train_options.h"
#include "cli/training.h"

namespace weft::cli {

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainingOptions>();
  CLI::App* command = app.add_subcommand("train", "Train a model on a data set")->group("Train and check");
  add_training_options(*command, *options);
  command->footer(
      R"(docs/data.md says how each source is read, split and scaled. Each epoch has an order of the
samples, drawn from --seed and the same in every mode; samples that do not fill a batch sit it
out. Mesh modes train the layers as the cells of a grid behind a disabled ingress, with as many
clock ticks as layers. Line modes keep their pipe filled from epoch to epoch and drain it at the
end. seconds counts training alone, without evaluation. The last line of the output reads
  final mode=NormalBP epochs=20 test_loss=... test_accuracy=... seconds=... out=DIR

--out holds model.json and weights.safetensors (the model), data.json (how the data were read,
split and scaled), run.json (the flags that count) and metrics.jsonl (a line for each epoch). They
are replaced together when the training is over: one that fails, or comes to numbers that are not
finite, leaves them as they were. Until then the lines are in metrics.jsonl.part, which stays only
where the process is killed. weft eval and weft predict refuse files of two trainings. A training whose
last loss is above that of always giving the same answer says so, and leaves the files that were in
--out in a folder old.1 (old.2, ...) beside its own.
Ctrl-C and SIGTERM let the call under way end, drain the pipe and save; a second one ends at once.

Exit codes:
  0    done
  1    it failed: data that cannot be used, a device that is not here, files that cannot be written,
       weights that are not finite
  2    the command line cannot be used
  130  interrupted; what was learned is saved where --out is given

Examples:
  weft train --data digits
  weft train --data fashion-mnist --model 784-256-128-10 --bias --epochs 10 --out fashion
  weft train --data flowers.csv --label species --val 0.1 --test 0.2 --scale standardise
  weft train --data houses.csv --label price --task regression --bias --optimizer adamw --lr 0.01
  weft train --lr-schedule cosine --warmup 0.5 --optimizer momentum --lr 0.05 --json
  weft train --mode TweenSplitFastProxy --activation relu --bias --epochs 40 --out run
  weft train --model run --weights run/weights.safetensors --epochs 5 --out tuned
  weft train --mode StepBP --print-program)");
  command->final_callback([options, command, &action] {
    note_given(*command, *options);
    action = [options] { return run_training(*options); };
  });
}

}  // namespace weft::cli
