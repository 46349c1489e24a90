#compdef weft
# zsh completion of weft; made by: weft completions zsh
_weft() {
  if ((CURRENT == 2)); then
    local -a commands=(
      'demo:Run the two-layer example under one mode or all of them'
      'train:Train a model on a data set'
      'verify:Check a device against golden cases or against another device'
      'modes:List the 33 update modes\: schedule, rule, formula'
      'data:Say what a data set holds\: shape, types, ranges, classes'
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
        '--data[The data set\: digits, the 8x8 UCI digits]:value:(digits)' \
        '--model[Widths of the layers, input first]:WIDTHS:' \
        '--activation[Of the hidden layers; the last one is linear]:value:(linear relu relu2 leakyrelu silu gelu tanh sigmoid)' \
        '--bias[Give every layer a bias]' \
        '--init[How fresh weights are drawn]:value:(uniform xavier he zeros)' \
        '--mode[The update mode (see weft modes)]:value:(NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync)' \
        '--loss[Softmax cross-entropy or mean squared error]:value:(ce mse)' \
        '--optimizer[How a gradient moves the weights]:value:(sgd momentum nesterov adamw)' \
        '--lr[Learning rate]:X:' \
        '--batch[Samples in a training call]:N:' \
        '--epochs[Passes over the training samples]:N:' \
        '--seed[Names the fresh weights and the order of samples]:N:' \
        '--device[Where to train (see weft devices)]:value:(cpu native_cpu cuda metal)' \
        '--out[Write model.json and weights.safetensors into this folder]:folder:_files -/' \
        '--print-program[Print the instructions of one training call and stop]' \
        '--quiet[Print only the final line]' ;;
    verify)
      _arguments \
        '--help[Print this]' \
        '-h[Print this]' \
        '--golden[Run every case of the JSON files in this folder]:folder:_files -/' \
        '--device[The device to check]:value:(cpu native_cpu cuda metal)' \
        '--against[Train small models in all 33 modes on this device too, and compare]:value:(cpu native_cpu cuda metal)' \
        '--allow-unsupported[Let cases that weft cannot run (they are counted, with the reason) not fail the whole]' ;;
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
