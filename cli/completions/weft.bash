# bash completion of weft; made by: weft completions bash
_weft() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W 'demo train eval predict verify bench modes data export import devices version completions --version --help -h' -- "$word"))
    return
  fi
  case ${COMP_WORDS[1]} in
    demo)
      case $before in
        --mode) COMPREPLY=($(compgen -W 'NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync all' -- "$word")); return ;;
        --steps) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --device) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -W '--help -h --mode --steps --device' -- "$word")) ;;
    train)
      case $before in
        --data) COMPREPLY=($(compgen -f -W 'digits fashion-mnist' -- "$word")); return ;;
        --val) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --test) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --scale) COMPREPLY=($(compgen -W 'unit standardise none' -- "$word")); return ;;
        --scale-target) COMPREPLY=($(compgen -W 'standardise unit none' -- "$word")); return ;;
        --label) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --delimiter) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --header) COMPREPLY=($(compgen -W 'detect yes no' -- "$word")); return ;;
        --missing) COMPREPLY=($(compgen -W 'refuse drop mean' -- "$word")); return ;;
        --missing-text) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --categorical) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --ignore) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --task) COMPREPLY=($(compgen -W 'classification regression' -- "$word")); return ;;
        --classes) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --arrays) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --data-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --memory) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --model) COMPREPLY=($(compgen -f -W '' -- "$word")); return ;;
        --activation) COMPREPLY=($(compgen -W 'linear relu relu2 leakyrelu silu gelu tanh sigmoid' -- "$word")); return ;;
        --init) COMPREPLY=($(compgen -W 'uniform xavier he zeros' -- "$word")); return ;;
        --weights) COMPREPLY=($(compgen -f -W '' -- "$word")); return ;;
        --mode) COMPREPLY=($(compgen -W 'NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync' -- "$word")); return ;;
        --loss) COMPREPLY=($(compgen -W 'ce mse' -- "$word")); return ;;
        --batch) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --epochs) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --seed) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --ticks) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --device) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
        --threads) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --precision) COMPREPLY=($(compgen -W 'fp32 tf32 bf16' -- "$word")); return ;;
        --lr) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --lr-schedule) COMPREPLY=($(compgen -W 'constant step cosine' -- "$word")); return ;;
        --warmup) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --lr-step) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --lr-factor) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --lr-min) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --optimizer) COMPREPLY=($(compgen -W 'sgd momentum nesterov adamw' -- "$word")); return ;;
        --momentum) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --weight-decay) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --clip) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --out) COMPREPLY=($(compgen -d -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -W '--help -h --data --val --test --scale --scale-target --label --delimiter --header --missing --missing-text --categorical --ignore --task --classes --arrays --data-dir --memory --model --activation --bias --init --weights --mode --loss --batch --epochs --seed --ticks --device --threads --precision --lr --lr-schedule --warmup --lr-step --lr-factor --lr-min --optimizer --momentum --weight-decay --clip --out --print-program --quiet --json' -- "$word")) ;;
    eval)
      case $before in
        --data) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --part) COMPREPLY=($(compgen -W 'all train validation test' -- "$word")); return ;;
        --label) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --delimiter) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --header) COMPREPLY=($(compgen -W 'detect yes no' -- "$word")); return ;;
        --missing) COMPREPLY=($(compgen -W 'refuse drop mean' -- "$word")); return ;;
        --missing-text) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --arrays) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --data-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --memory) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --device) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
        --batch) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --threads) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --precision) COMPREPLY=($(compgen -W 'fp32 tf32 bf16' -- "$word")); return ;;
        --loss) COMPREPLY=($(compgen -W 'ce mse' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -f -W '--help -h --data --part --label --delimiter --header --missing --missing-text --arrays --data-dir --memory --device --batch --threads --precision --loss --json' -- "$word")) ;;
    predict)
      case $before in
        --data) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --part) COMPREPLY=($(compgen -W 'all train validation test' -- "$word")); return ;;
        --label) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --delimiter) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --header) COMPREPLY=($(compgen -W 'detect yes no' -- "$word")); return ;;
        --missing) COMPREPLY=($(compgen -W 'refuse drop mean' -- "$word")); return ;;
        --missing-text) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --arrays) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --data-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --memory) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --out) COMPREPLY=($(compgen -f -W '' -- "$word")); return ;;
        --device) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
        --batch) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --threads) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --precision) COMPREPLY=($(compgen -W 'fp32 tf32 bf16' -- "$word")); return ;;
        --loss) COMPREPLY=($(compgen -W 'ce mse' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -f -W '--help -h --data --part --label --delimiter --header --missing --missing-text --arrays --data-dir --memory --out --outputs --raw --device --batch --threads --precision --loss' -- "$word")) ;;
    verify)
      case $before in
        --golden) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --device) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
        --against) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -W '--help -h --golden --device --against --allow-unsupported' -- "$word")) ;;
    bench)
      case $before in
        --work) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --mode) COMPREPLY=($(compgen -W 'NormalBP StepBP Tween TweenChain StepTween StepTweenChain MeshBP MeshTween MeshTweenChain TweenSplit StepTweenSplit TweenAlt StepTweenAlt TweenSplitHeadProxy TweenSplitLinear TweenSplitFastProxy TweenSplitLinearCache TweenSplitHeadProxyAsync TweenSplitSparse MeshTweenSplit MeshTweenAlt MeshTweenSplitFastProxy MeshTweenSplitSparse StepTweenSplitHeadProxy StepTweenSplitLinear StepTweenSplitFastProxy StepTweenSplitLinearCache StepTweenSplitHeadProxyAsync StepTweenSplitSparse MeshTweenSplitHeadProxy MeshTweenSplitLinear MeshTweenSplitLinearCache MeshTweenSplitHeadProxyAsync all stack line mesh' -- "$word")); return ;;
        --device) COMPREPLY=($(compgen -W 'cpu native_cpu cuda metal' -- "$word")); return ;;
        --threads) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --precision) COMPREPLY=($(compgen -W 'fp32 tf32 bf16' -- "$word")); return ;;
        --activation) COMPREPLY=($(compgen -W 'linear relu relu2 leakyrelu silu gelu tanh sigmoid' -- "$word")); return ;;
        --loss) COMPREPLY=($(compgen -W 'mse ce' -- "$word")); return ;;
        --optimizer) COMPREPLY=($(compgen -W 'sgd momentum nesterov adamw' -- "$word")); return ;;
        --seconds) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --repeats) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --compare) COMPREPLY=($(compgen -f -W '' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -W '--help -h --work --mode --device --threads --precision --activation --bias --loss --optimizer --seconds --repeats --calls --growth --json --compare' -- "$word")) ;;
    modes)
      COMPREPLY=($(compgen -W '--help -h --json' -- "$word")) ;;
    data)
      case $before in
        --label) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --delimiter) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --header) COMPREPLY=($(compgen -W 'detect yes no' -- "$word")); return ;;
        --missing) COMPREPLY=($(compgen -W 'refuse drop mean' -- "$word")); return ;;
        --missing-text) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --categorical) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --ignore) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --task) COMPREPLY=($(compgen -W 'classification regression' -- "$word")); return ;;
        --classes) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --arrays) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --data-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --memory) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -f -W '--help -h --label --delimiter --header --missing --missing-text --categorical --ignore --task --classes --arrays --data-dir --memory --json' -- "$word")) ;;
    export)
      case $before in
        --out) COMPREPLY=($(compgen -f -W '' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -f -W '--help -h --out' -- "$word")) ;;
    import)
      case $before in
        --model) COMPREPLY=($(compgen -f -W '' -- "$word")); return ;;
        --activation) COMPREPLY=($(compgen -W 'linear relu relu2 leakyrelu silu gelu tanh sigmoid' -- "$word")); return ;;
        --out) COMPREPLY=($(compgen -d -- "$word")); return ;;
        --rename) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
        --init) COMPREPLY=($(compgen -W 'uniform xavier he zeros' -- "$word")); return ;;
        --seed) COMPREPLY=($(compgen -W '' -- "$word")); return ;;
      esac
      COMPREPLY=($(compgen -f -W '--help -h --model --activation --bias --out --rename --partial --init --seed' -- "$word")) ;;
    devices)
      COMPREPLY=($(compgen -W '--help -h --json' -- "$word")) ;;
    version)
      COMPREPLY=($(compgen -W '--help -h --json' -- "$word")) ;;
    completions)
      COMPREPLY=($(compgen -W '--help -h bash zsh fish' -- "$word")) ;;
  esac
}
complete -F _weft weft
