#compdef weft
# zsh completion of weft; made by: weft completions zsh
_weft() {
  if ((CURRENT == 2)); then
    local -a commands=(
      'demo:Run the two-layer example under one mode or all of them'
      'train:Train a model on a data set'
      'eval:Judge a trained model\: loss, accuracy, a line for each class'
      'predict:Say what a trained model makes of rows, as CSV or .npy'
      'verify:Check a device against golden cases or against another device'
      'bench:Time training steps\: shapes x modes x devices'
      'modes:List the 33 update modes\: schedule, rule, formula'
      'data:Say what a data set holds\: shape, types, ranges, classes'
      'export:Write a model'\''s weights as an .npz file'
      'import:Take weights by name out of a safetensors file'
      'devices:Say what can train here, and why the rest cannot'
      'version:Print version, compiler, build type and devices'
      'completions:Print a completion script for a shell'
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
    demo)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--mode[A mode (see weft modes), or all\: the 29 published ones]:value:(NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync all)' \
        '--steps[Training calls, all on one session; must be positive]:N:' \
        '--device[Where to train]:value:(cpu native_cpu cuda metal)' ;;
    train)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--data[Or csv\:FILE, idx\:IMAGES,LABELS, npy\:X,Y, npz\:FILE]:file:_files' \
        '--val[Share of the rows for validation]:X:' \
        '--test[Share of the rows for testing; without it the source'\''s own, or 0.2]:X:' \
        '--scale[Of the inputs, by numbers of the training part]:value:(unit standardise none)' \
        '--scale-target[The same of the targets of a regression]:value:(standardise unit none)' \
        '--label[The label'\''s column\: its name, its index from 0, last, or none]:COLUMN:' \
        '--delimiter[Between fields\: one character, comma, semicolon, tab or detect]:CHAR:' \
        '--header[Whether line 1 names the columns]:value:(detect yes no)' \
        '--missing[Empty fields\: an error, their rows left out, or the training part'\''s mean]:value:(refuse drop mean)' \
        '--missing-text[What stands for a missing value beside the empty field]:TEXT:' \
        '--categorical[Columns that are categories though they look like numbers]:COLUMN:' \
        '--ignore[Columns to leave out]:COLUMN:' \
        '--task[Labels of classes, or numbers to learn]:value:(classification regression)' \
        '--classes[Labels are 0 to N-1; without it the labels that appear are the classes]:N:' \
        '--arrays[Of npz\: the names of the inputs and the labels]:X,Y:' \
        '--data-dir[Where the files of digits or fashion-mnist lie]:folder:_files -/' \
        '--memory[Refuse data that need more, as 800M or 4G; half of the machine'\''s without it]:BYTES:' \
        '--model[Widths of dense layers, or a model.json]:file:_files' \
        '--activation[Of the hidden layers; the last one is linear]:value:(linear relu relu2 leakyrelu silu gelu tanh sigmoid)' \
        '--bias[Give every layer a bias]' \
        '--init[How fresh weights are drawn]:value:(uniform xavier he zeros)' \
        '--weights[Start from the weights in this safetensors file]:file:_files' \
        '--mode[The update mode (see weft modes)]:value:(NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync)' \
        '--loss[Softmax cross-entropy or mean squared error]:value:(ce mse)' \
        '--batch[Samples in a training call]:N:' \
        '--epochs[Passes over the training samples]:N:' \
        '--seed[Names the parts, the fresh weights and the order of samples]:N:' \
        '--ticks[Of a mesh'\''s clock in a call; as many as cells]:N:' \
        '--device[Where to train (see weft devices)]:value:(cpu native_cpu cuda metal)' \
        '--threads[Of native_cpu; 0 for the physical cores]:N:' \
        '--precision[Of cuda\: how the factors of products may be rounded]:value:(fp32 tf32 bf16)' \
        '--lr[Learning rate]:X:' \
        '--lr-schedule[How the learning rate goes on after the warm-up]:value:(constant step cosine)' \
        '--warmup[Epochs in which the learning rate rises from 0, 0.5 for instance]:X:' \
        '--lr-step[step\: epochs between two falls]:X:' \
        '--lr-factor[step\: what a fall multiplies by]:X:' \
        '--lr-min[cosine\: the last call'\''s learning rate]:X:' \
        '--optimizer[How a gradient moves the weights]:value:(sgd momentum nesterov adamw)' \
        '--momentum[Of momentum and nesterov]:X:' \
        '--weight-decay[Share of a weight that --lr 1 takes off in a step]:X:' \
        '--clip[Largest norm of a weight matrix'\''s or bias'\''s gradient]:X:' \
        '--out[Write the model and how it was made into this folder]:folder:_files -/' \
        '--print-program[Print the instructions of one training call and stop]' \
        '--quiet[Print only the final line]' \
        '--json[Print a JSON object for each epoch and a final one]' ;;
    eval)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--data[The rows\: a data set or a file (see weft data)]:SOURCE:' \
        '--part[Of the source that was trained on, drawn again]:value:(all train validation test)' \
        '--label[As weft data, where the model was not trained on a table]:COLUMN:' \
        '--delimiter[Between fields\: one character, comma, semicolon, tab or detect]:CHAR:' \
        '--header[Whether line 1 names the columns]:value:(detect yes no)' \
        '--missing[Empty fields\: an error, their rows left out, or the training part'\''s mean]:value:(refuse drop mean)' \
        '--missing-text[What stands for a missing value beside the empty field]:TEXT:' \
        '--arrays[Of npz\: the names of the inputs and the labels]:X,Y:' \
        '--data-dir[Where the files of digits or fashion-mnist lie]:folder:_files -/' \
        '--memory[Refuse data that need more, as 800M or 4G; half of the machine'\''s without it]:BYTES:' \
        '--device[Where to run it (see weft devices)]:value:(cpu native_cpu cuda metal)' \
        '--batch[Rows in one go]:N:' \
        '--threads[Of native_cpu; 0\: the physical cores]:N:' \
        '--precision[Of cuda\: how the factors of products may be rounded]:value:(fp32 tf32 bf16)' \
        '--loss[What was trained for, where run.json is missing]:value:(ce mse)' \
        '--json[Print JSON]' \
        '1:file:_files' ;;
    predict)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--data[The rows\: a data set or a file (see weft data)]:SOURCE:' \
        '--part[Where --data is the source that was trained on\: a part, drawn again]:value:(all train validation test)' \
        '--label[As weft data, where the model was not trained on a table]:COLUMN:' \
        '--delimiter[Between fields\: one character, comma, semicolon, tab or detect]:CHAR:' \
        '--header[Whether line 1 names the columns]:value:(detect yes no)' \
        '--missing[Empty fields\: an error, their rows left out, or the training part'\''s mean]:value:(refuse drop mean)' \
        '--missing-text[What stands for a missing value beside the empty field]:TEXT:' \
        '--arrays[Of npz\: the names of the inputs and the labels]:X,Y:' \
        '--data-dir[Where the files of digits or fashion-mnist lie]:folder:_files -/' \
        '--memory[Refuse data that need more, as 800M or 4G; half of the machine'\''s without it]:BYTES:' \
        '--out[Write .csv or .npy instead of CSV to stdout]:file:_files' \
        '--outputs[CSV of a classification\: a column for each class too]' \
        '--raw[Of a model trained for ce\: its outputs as they are, not as probabilities]' \
        '--device[Where to run it (see weft devices)]:value:(cpu native_cpu cuda metal)' \
        '--batch[Rows in one go]:N:' \
        '--threads[Of native_cpu; 0\: the physical cores]:N:' \
        '--precision[Of cuda\: how the factors of products may be rounded]:value:(fp32 tf32 bf16)' \
        '--loss[What was trained for, where run.json is missing]:value:(ce mse)' \
        '1:file:_files' ;;
    verify)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--golden[Run every case of the JSON files in this folder]:folder:_files -/' \
        '--device[The device to check]:value:(cpu native_cpu cuda metal)' \
        '--against[Train small models in all 33 modes on this device too, and compare]:value:(cpu native_cpu cuda metal)' \
        '--allow-unsupported[Let cases that weft cannot run (they are counted, with the reason) not fail the whole]' ;;
    bench)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--work[Layers and batch, may be repeated]:WIDTHS:BATCH:' \
        '--mode[May be repeated]:value:(NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync all stack line mesh)' \
        '--device[May be repeated]:value:(cpu native_cpu cuda metal)' \
        '--threads[Of native_cpu; 0 for the physical cores]:N:' \
        '--precision[Of cuda\: how the factors of products may be rounded]:value:(fp32 tf32 bf16)' \
        '--activation[Of the hidden layers; the last one is linear]:value:(linear relu relu2 leakyrelu silu gelu tanh sigmoid)' \
        '--bias[Give every layer a bias]' \
        '--loss[Mean squared error or softmax cross-entropy]:value:(mse ce)' \
        '--optimizer[How a gradient moves the weights]:value:(sgd momentum nesterov adamw)' \
        '--seconds[Spent on each timing]:X:' \
        '--repeats[That share them; their median counts]:N:' \
        '--calls[Time a Session\:\:train for each step too]' \
        '--growth[Show what a layer and a weight take in place of rates]' \
        '--json[Print JSON instead of the table]' \
        '--compare[Say how the times stand to those in this file]:file:_files' ;;
    modes)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--json[Print JSON\: a list of {id, name, schedule, rule, published, formula}]' ;;
    data)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--label[The label'\''s column\: its name, its index from 0, last, or none]:COLUMN:' \
        '--delimiter[Between fields\: one character, comma, semicolon, tab or detect]:CHAR:' \
        '--header[Whether line 1 names the columns]:value:(detect yes no)' \
        '--missing[Empty fields\: an error, their rows left out, or the training part'\''s mean]:value:(refuse drop mean)' \
        '--missing-text[What stands for a missing value beside the empty field]:TEXT:' \
        '--categorical[Columns that are categories though they look like numbers]:COLUMN:' \
        '--ignore[Columns to leave out]:COLUMN:' \
        '--task[Labels of classes, or numbers to learn]:value:(classification regression)' \
        '--classes[Labels are 0 to N-1; without it the labels that appear are the classes]:N:' \
        '--arrays[Of npz\: the names of the inputs and the labels]:X,Y:' \
        '--data-dir[Where the files of digits or fashion-mnist lie]:folder:_files -/' \
        '--memory[Refuse data that need more, as 800M or 4G; half of the machine'\''s without it]:BYTES:' \
        '--json[Print JSON]' \
        '1:file:_files' ;;
    export)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--out[The .npz file to write]:file:_files' \
        '1:file:_files' ;;
    import)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--model[The model that takes them\: widths, a model.json or the folder of one]:file:_files' \
        '--activation[Of the hidden layers, with widths; the last one is linear]:value:(linear relu relu2 leakyrelu silu gelu tanh sigmoid)' \
        '--bias[Give every layer a bias, with widths]' \
        '--out[Write model.json and weights.safetensors into this folder]:folder:_files -/' \
        '--rename[A name of the file, whole or up to a point, and its name in the model]:FROM=TO:' \
        '--partial[Write the model though arrays are missing or do not fit]' \
        '--init[How the weights are drawn that the file does not give]:value:(uniform xavier he zeros)' \
        '--seed[Names those weights]:N:' \
        '1:file:_files' ;;
    devices)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--json[Print JSON\: a list of {name, available, description, reason}]' ;;
    version)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--json[Print JSON\: {version, compiler, build_type, devices}]' ;;
    completions)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '1:value:(bash zsh fish)' ;;
  esac
}
_weft "$@"
