"""The peers: which are here, how they are built, and a process that answers (peer.h says what)."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROBE = """import importlib.metadata as m, importlib.util as u, json
print(json.dumps({n: [m.version(n), u.find_spec(n).submodule_search_locations[0]] for n in ("torch", "jax") if u.find_spec(n)}))"""
ORDER = ["torch eager", "libtorch", "JAX jit", "JAX loop", "FANN"]  # of the table


def complain(text):
    print(f"bench/peers/run: {text}", file=sys.stderr)


def environment(threads):
    values = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        values[name] = str(threads)
    if threads == 1:
        values["XLA_FLAGS"] = values.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
    return values


def pinned(processors):
    return (lambda: os.sched_setaffinity(0, processors)) if hasattr(os, "sched_setaffinity") else None


def call(command, processors, threads):
    """What the command prints, on those processors. None where it fails; its complaint is shown."""
    done = subprocess.run(command, env=environment(threads), preexec_fn=pinned(processors), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    complain(f"{' '.join(map(str, command[:2]))} ended with {done.returncode}:\n{done.stderr.strip()}")
    return None


class Peer:
    """A process that has the work in memory and waits to be asked."""

    def __init__(self, name, command, processors, threads):
        self.name, self.failed = name, False
        self.process = subprocess.Popen(command, env=environment(threads), preexec_fn=pinned(processors), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        if not self.failed:
            complain(f"{self.name} ended with {self.process.wait()}")
        self.failed = True
        return None

    def ask(self, line):
        """The answer, or None where the process has ended, which is said once."""
        if self.failed:
            return None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, as reading will tell
        return self.read()

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def built(command, program, sources):
    """The complaint of the compiler, or None. What is there already of the same command and sources is taken."""
    sum_ = hashlib.sha256("\0".join(command).encode())
    for source in sources:
        sum_.update(source.read_bytes())
    stamp = program.with_suffix(".sum")
    if program.exists() and stamp.exists() and stamp.read_text() == sum_.hexdigest():
        return None
    program.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["?"]
        return f"{sources[0].name} does not compile: {errors[0].strip()}"
    stamp.write_text(sum_.hexdigest())
    return None


def fann_command(folder):
    compiler = shutil.which("cc")
    version = subprocess.run(["pkg-config", "--modversion", "fann"], capture_output=True, text=True, check=False) \
        if shutil.which("pkg-config") else None
    if not compiler or version is None or version.returncode != 0:
        return None, "wanted cc, pkg-config and libfann-dev"
    source, program = HERE / "fann_cpu.c", folder / "fann_cpu"
    wrong = built([compiler, "-std=c99", "-O2", f'-DPEER_VERSION="{version.stdout.strip()}"', "-o", str(program),
                   str(source), "-lfann", "-lm"], program, [source, HERE / "peer.h"])
    return [str(program)], wrong


def libtorch_command(folder, torch):
    """Against the libtorch in the installed torch, (version, folder)."""
    compiler = shutil.which("c++")
    if not compiler or torch is None:
        return None, "wanted c++ and, for --python, torch, which has it inside"
    home = pathlib.Path(torch[1])
    source, program = HERE / "libtorch_cpu.cpp", folder / "libtorch_cpu"
    includes = [part for place in ("include", "include/torch/csrc/api/include") for part in ("-isystem", str(home / place))]
    wrong = built([compiler, "-std=c++20", "-O2", *includes, "-o", str(program), str(source), f"-L{home / 'lib'}",
                   "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{home / 'lib'}", "-Wl,--allow-shlib-undefined",
                   f'-DPEER_VERSION="{torch[0]}"'], program, [source, HERE / "peer.h"])
    return [str(program)], wrong


def commands(python, folder):
    """{peer: (command, more)}, and why those that are missing are."""
    try:
        probe = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)
    except OSError as wrong:
        sys.exit(f"bench/peers/run: --python {python}: {wrong.strerror}, wanted an interpreter")
    here = json.loads(probe.stdout) if probe.returncode == 0 else {}
    found, missing = {}, []
    for name, module, script, more in (("torch eager", "torch", "torch_cpu.py", []), ("JAX jit", "jax", "jax_cpu.py", ["jit"]),
                                       ("JAX loop", "jax", "jax_cpu.py", ["loop"])):
        if module in here:
            found[name] = ([python, str(HERE / script)], more)
        else:
            missing.append(f"{name}: {python} has no {module}")
    for name, (command, wrong) in (("libtorch", libtorch_command(folder, here.get("torch"))),
                                   ("FANN", fann_command(folder))):
        if wrong is None:
            found[name] = (command, [])
        else:
            missing.append(f"{name}: {wrong}")
    return {name: found[name] for name in ORDER if name in found}, missing
