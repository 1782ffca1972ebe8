#!/usr/bin/env python3
"""Runs Driftwood and its peers side by side on this machine: the same models, in turns, with medians and spread.

    bench/compare.py --driftwood build/bin/driftwood --model "SmolLM2 135M=models/SmolLM2-135M-Instruct.Q4_1.gguf" \
        --llama-bench ~/llama.cpp/build/bin/llama-bench -p 1024 -n 256 --rounds 3 --out results.json --plot results.svg

README.md beside this file says how each peer is installed, at which version. A peer that is not there is left out with a
line that says why. `--self-check` tests the parsing against examples of outputs, without running anything.
"""
import argparse
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FORMAT = 1


class PeerFailed(Exception):
    """A peer that ran and gave no result."""


# ---- running


def run(command, env=None, timeout=3600):
    """Standard output of a command; PeerFailed with the last lines of what it said where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(env or {})}, check=False)
    except FileNotFoundError as error:
        raise PeerFailed(f"'{command[0]}' is not there") from error
    except subprocess.TimeoutExpired as error:
        raise PeerFailed(f"'{command[0]}' took more than {timeout} s") from error
    if done.returncode != 0:
        said = " / ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
        raise PeerFailed(f"'{command[0]}' left with {done.returncode}: {said}")
    return done.stdout


# ---- parsing: each gives {test: [samples]}, tokens a second, or seconds for pictures


def json_list(text):
    """The list of a JSON output, which may come after lines of a log."""
    for line_start in [match.start() for match in re.finditer(r"^\[", text, re.MULTILINE)]:
        try:
            value = json.loads(text[line_start:])
        except json.JSONDecodeError:
            continue
        if isinstance(value, list):
            return value
    raise PeerFailed("the output has no list in JSON")


def parse_llama_bench(text):
    """Rows of llama-bench and of `driftwood bench`, which have the same fields."""
    results, facts = {}, {}
    for row in json_list(text):
        try:
            prompt, generate, depth = int(row["n_prompt"]), int(row["n_gen"]), int(row.get("n_depth", 0))
            samples = [float(sample) for sample in row["samples_ts"]]
        except (KeyError, TypeError, ValueError) as error:
            raise PeerFailed(f"a row lacks what llama-bench gives: {error}") from error
        name = f"pp{prompt}" if prompt and not generate else f"tg{generate}" if generate and not prompt \
            else f"pp{prompt}+tg{generate}"
        if depth:
            name += f" @ d{depth}"
        # Of several settings (flash attention on and off) the faster is the peer's.
        if name not in results or statistics.median(samples) > statistics.median(results[name]):
            results[name] = samples
        version = " ".join(str(row[key]) for key in ("build_number", "build_commit") if row.get(key))
        if version:
            facts["version"] = version
        for key in ("backends", "gpu_info", "model_type", "options"):
            if row.get(key):
                facts[key] = row[key]
    return results, facts


def parse_driftwood_image(text):
    results, facts = {}, {}
    for row in json_list(text):
        try:
            name = re.sub(r" b\d+$", "", row["test"])
            results[name] = [float(ns) / 1e9 for ns in row["samples_ns"]]
        except (KeyError, TypeError, ValueError) as error:
            raise PeerFailed(f"a row lacks what driftwood bench gives: {error}") from error
        for key in ("backends", "gpu_info", "options"):
            if row.get(key):
                facts[key] = row[key]
    return results, facts


def parse_litert_lm(text, prompt, generate):
    results = {}
    for name, pattern in ((f"pp{prompt}", r"Prefill speed:\s*([0-9.]+)\s*tokens/s"),
                          (f"tg{generate}", r"Decode speed:\s*([0-9.]+)\s*tokens/s")):
        found = re.search(pattern, text)
        if not found:
            said = " / ".join(text.strip().splitlines()[-3:])
            raise PeerFailed(f"LiteRT-LM gave no '{name}': {said}")
        results[name] = [float(found.group(1))]
    return results, {}


def parse_diffusers(text):
    try:
        document = json.loads(text.strip().splitlines()[-1])
        return {name: [float(sample) for sample in samples] for name, samples in document["seconds"].items()}, \
            {"version": document["version"], "gpu_info": document["gpu_info"]}
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise PeerFailed(f"the output of peers/diffusers_bench.py is not what it should be: {error}") from error


# ---- peers


class Driftwood:
    def __init__(self, arguments, device):
        self.program, self.device, self.options = arguments.driftwood, device, arguments.driftwood_args.split()
        self.name = "Driftwood" + (f" ({device})" if device else "")

    def absent(self):
        return None if shutil.which(self.program) else f"'{self.program}' is not there (make build)"

    def facts(self):
        return {"version": run([self.program, "--version"]).strip()}

    def measure(self, model, task):
        command = [self.program, "bench", model.path, "-r", str(task.repeats), "-o", "json"] + self.options
        if self.device:
            command += ["--device", self.device]
        if model.is_image:
            return parse_driftwood_image(run(command + ["--steps", str(task.steps), "--size", task.size]))
        return parse_llama_bench(run(command + ["-p", str(task.prompt), "-n", str(task.generate), "-d", str(task.depth)]))


class LlamaCpp:
    name = "llama.cpp"

    def __init__(self, arguments):
        self.program, self.options = arguments.llama_bench, arguments.llama_args.split()

    def absent(self):
        if not self.program:
            return "no --llama-bench PATH is given (README.md says how the pinned version is built)"
        return None if shutil.which(self.program) else f"'{self.program}' is not there"

    def facts(self):
        return {}

    def measure(self, model, task):
        if model.is_image or not model.path.endswith(".gguf"):
            return {}, {}
        folder = os.path.dirname(os.path.abspath(self.program))
        env = {"LD_LIBRARY_PATH": os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH", "")]))}
        return parse_llama_bench(run([self.program, "-m", model.path, "-p", str(task.prompt), "-n", str(task.generate),
                                      "-d", str(task.depth), "-r", str(task.repeats), "-o", "json"] + self.options, env))


class LiteRtLm:
    name = "LiteRT-LM"

    def __init__(self, arguments):
        self.program, self.backend = arguments.litert_lm, arguments.litert_backend
        self.models = dict(pair.split("=", 1) for pair in arguments.litert_model)

    def absent(self):
        if not self.models:
            return "no --litert-model NAME=FILE.litertlm is given"
        return None if shutil.which(self.program) else \
            f"'{self.program}' is not there (pip install -r bench/peers/litert-lm.txt)"

    def facts(self):
        return {"version": run([self.program, "--version"]).strip(), "backends": self.backend}

    def measure(self, model, task):
        if model.name not in self.models or task.depth:
            return {}, {}
        results = {}
        for _ in range(task.repeats):
            text = run([self.program, "benchmark", self.models[model.name], "-p", str(task.prompt), "-d",
                        str(task.generate), "--backend", self.backend])
            for name, samples in parse_litert_lm(text, task.prompt, task.generate)[0].items():
                results.setdefault(name, []).extend(samples)
        return results, {}


class Diffusers:
    def __init__(self, arguments, compiled):
        self.python, self.compiled = arguments.diffusers_python, compiled
        self.name = "PyTorch, compiled" if compiled else "PyTorch"
        self.is_wanted = any(model.is_image for model in arguments.model)

    def absent(self):
        if not self.is_wanted:
            return "there is no model for images"
        try:
            found = run([self.python, "-c", "import diffusers, torch; print(torch.cuda.is_available())"]).strip()
        except PeerFailed:
            return f"'{self.python}' has no diffusers and torch (pip install -r bench/peers/diffusers.txt)"
        return None if found == "True" else "PyTorch finds no GPU here"

    def facts(self):
        return {}

    def measure(self, model, task):
        if not model.is_image:
            return {}, {}
        command = [self.python, os.path.join(HERE, "peers", "diffusers_bench.py"), model.path, "--steps", str(task.steps),
                   "--size", task.size, "--repeats", str(task.repeats)]
        return parse_diffusers(run(command + (["--compile"] if self.compiled else [])))


# ---- results


class Model:
    def __init__(self, text):
        self.name, _, self.path = text.rpartition("=")
        self.name = self.name or re.sub(r"\.gguf$", "", os.path.basename(self.path.rstrip("/")))
        if not os.path.exists(self.path):
            raise argparse.ArgumentTypeError(f"'{self.path}' is not there")
        self.is_image = os.path.exists(os.path.join(self.path, "model_index.json"))


def summary(samples):
    """Median, and half of the range that the middle half of the samples lies in."""
    ordered = sorted(samples)
    middle = ordered[len(ordered) // 4:len(ordered) - len(ordered) // 4]
    return {"median": statistics.median(ordered), "spread": (middle[-1] - middle[0]) / 2,
            "least": ordered[0], "most": ordered[-1], "samples": samples}


def machine():
    facts = {"system": platform.platform(), "processor": platform.processor() or platform.machine(),
             "cores": os.cpu_count()}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        facts["processor"] = names[0] if names else facts["processor"]
    except OSError:
        pass
    try:
        facts["gpus"] = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).splitlines()
    except PeerFailed:
        facts["gpus"] = []
    return facts


def compare(arguments):
    devices = arguments.device or [""]
    peers = [Driftwood(arguments, device) for device in devices]
    peers += [LlamaCpp(arguments), LiteRtLm(arguments), Diffusers(arguments, False), Diffusers(arguments, True)]
    present, left_out = [], {}
    for peer in peers:
        reason = peer.absent()
        if reason:
            left_out[peer.name] = reason
            print(f"left out: {peer.name}: {reason}", file=sys.stderr)
        else:
            present.append(peer)
    facts = {peer.name: peer.facts() for peer in present}
    samples, failed = {}, {}
    for number in range(arguments.rounds):
        for model in arguments.model:
            # Every second round goes the other way, so that none always comes after the same one.
            for peer in present if number % 2 == 0 else present[::-1]:
                if (model.name, peer.name) in failed:
                    continue
                print(f"round {number + 1} of {arguments.rounds}: {model.name}: {peer.name}", file=sys.stderr)
                try:
                    results, found = peer.measure(model, arguments)
                except PeerFailed as error:
                    failed[model.name, peer.name] = str(error)
                    print(f"failed: {model.name}: {peer.name}: {error}", file=sys.stderr)
                    continue
                facts[peer.name].update(found)
                for test, values in results.items():
                    samples.setdefault((model.name, test, peer.name), []).extend(values)
    units = {model.name: "s" if model.is_image else "tokens/s" for model in arguments.model}
    return {"format": FORMAT,
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "machine": machine(),
            "command": " ".join(sys.argv[1:]),
            "rounds": arguments.rounds, "repeats": arguments.repeats,
            "peers": facts, "left_out": left_out,
            "failed": [{"model": model, "peer": peer, "why": why} for (model, peer), why in failed.items()],
            "results": [{"model": model, "test": test, "peer": peer, "unit": units[model], **summary(values)}
                        for (model, test, peer), values in samples.items()]}


def table(document):
    lines = ["| model | test | peer | median | spread | Driftwood is |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for row in document["results"]:
        own = [other for other in document["results"] if other["peer"].startswith("Driftwood") and
               (other["model"], other["test"]) == (row["model"], row["test"])]
        ratio = ""
        if own and not row["peer"].startswith("Driftwood"):
            best = max(own, key=lambda other: other["median"] if row["unit"] != "s" else -other["median"])
            times = best["median"] / row["median"] if row["unit"] != "s" else row["median"] / best["median"]
            ratio = f"{times:.2f} times as fast"
        digits = 3 if row["unit"] == "s" else 1
        lines.append(f"| {row['model']} | {row['test']} | {row['peer']} | {row['median']:.{digits}f} {row['unit']} | "
                     f"± {row['spread']:.{digits}f} | {ratio} |")
    return "\n".join(lines)


def plot(document, path):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not there (pip install -r bench/requirements.txt)", file=sys.stderr)
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot
    results = document["results"]
    tests = list(dict.fromkeys(row["test"] for row in results))
    peers = list(dict.fromkeys(row["peer"] for row in results))
    colours = dict(zip(peers, ["#1b6b93", "#c0562f", "#7a7a7a", "#5a8f3c", "#8a5aa0", "#b59a2d"]))
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    bars_of = [max(len({row["model"] for row in results if row["test"] == test}) *
                   len({row["peer"] for row in results if row["test"] == test}), 6) for test in tests]
    figure, axes = pyplot.subplots(len(tests), 1, figsize=(8, 0.9 + sum(0.8 + 0.16 * bars for bars in bars_of)),
                                   height_ratios=bars_of, squeeze=False)
    for axis, test in zip(axes[:, 0], tests):
        rows = [row for row in results if row["test"] == test]
        models = list(dict.fromkeys(row["model"] for row in rows))
        own_peers = [peer for peer in peers if any(row["peer"] == peer for row in rows)]
        height = 0.8 / len(own_peers)
        for number, peer in enumerate(own_peers):
            places, medians, spreads = [], [], []
            for place, model in enumerate(models):
                for row in rows:
                    if row["model"] == model and row["peer"] == peer:
                        places.append(place + (number - (len(own_peers) - 1) / 2) * height)
                        medians.append(row["median"])
                        spreads.append(row["spread"])
            bars = axis.barh(places, medians, height, xerr=spreads, label=peer, color=colours.get(peer, "#333333"),
                             error_kw={"elinewidth": 0.8})
            axis.bar_label(bars, fmt="{:,.0f}" if rows[0]["unit"] != "s" else "{:.3f}", padding=3, fontsize=7)
        axis.set_yticks(range(len(models)), models, fontsize=8)
        axis.invert_yaxis()
        axis.margins(x=0.12)
        axis.set_title(f"{test}, {rows[0]['unit']}" + (" (shorter is better)" if rows[0]["unit"] == "s" else ""),
                       fontsize=9, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    handles = {label: handle for axis in axes[:, 0] for handle, label in zip(*axis.get_legend_handles_labels())}
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=min(len(handles), 4), fontsize=8,
                  frameon=False)
    where = (document["machine"]["gpus"] or [document["machine"]["processor"]])[0]
    figure.suptitle(f"{where}, {document['date'][:10]}", fontsize=9, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
    return True


def read_results(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("format") != FORMAT:
        raise SystemExit(f"compare.py: '{path}' is of format {document.get('format')}; this script reads {FORMAT}")
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftwood", default="build/bin/driftwood", help="the binary (default: %(default)s)")
    parser.add_argument("--driftwood-args", default="", help="further options of 'driftwood bench'")
    parser.add_argument("--device", action="append", help="device of Driftwood; several are compared (default: its own)")
    parser.add_argument("--model", type=Model, action="append", default=[], metavar="[NAME=]PATH",
                        help="GGUF file or diffusers folder; may be repeated")
    parser.add_argument("--llama-bench", help="llama.cpp's llama-bench")
    parser.add_argument("--llama-args", default="-ngl 99 -fa 0,1", help="its options (default: %(default)s); of several "
                        "settings the faster counts")
    parser.add_argument("--litert-lm", default="litert-lm", help="LiteRT-LM's command line (default: %(default)s)")
    parser.add_argument("--litert-model", action="append", default=[], metavar="NAME=FILE.litertlm",
                        help="its file for the model of that name")
    parser.add_argument("--litert-backend", default="gpu", help="default: %(default)s")
    parser.add_argument("--diffusers-python", default=sys.executable, help="a Python with diffusers and torch")
    parser.add_argument("-p", "--prompt", type=int, default=1024, help="tokens of the prompt (default: %(default)s)")
    parser.add_argument("-n", "--generate", type=int, default=256, help="tokens generated (default: %(default)s)")
    parser.add_argument("-d", "--depth", type=int, default=0, help="tokens in the cache before")
    parser.add_argument("--steps", type=int, default=20, help="of pictures (default: %(default)s)")
    parser.add_argument("--size", default="512x512", help="of pictures (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="times that all take turns (default: %(default)s)")
    parser.add_argument("-r", "--repeats", type=int, default=3, help="of each in a round (default: %(default)s)")
    parser.add_argument("--out", help="write the results to this file as JSON")
    parser.add_argument("--plot", help="draw them: .svg, .png or .pdf")
    parser.add_argument("--from", dest="source", metavar="RESULTS.json", help="measure nothing: draw these results")
    parser.add_argument("--self-check", action="store_true", help="test the parsing against examples of outputs")
    arguments = parser.parse_args()
    if arguments.self_check:
        sys.path.insert(0, HERE)
        import self_check
        return self_check.main()
    if arguments.source:
        document = read_results(arguments.source)
    elif not arguments.model:
        parser.error("there is no --model")
    else:
        document = compare(arguments)
    print(table(document))
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    if arguments.plot and not plot(document, arguments.plot):
        return 1
    return 0 if document["results"] and not document["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
