#!/usr/bin/env python3
"""Turns what `driftwood ablate --json` prints into Markdown, and puts it into docs/evidence.md.

    bench/ablation_tables.py RESULT.json...                      prints the tables
    bench/ablation_tables.py --into docs/evidence.md NAME RESULT.json...
        writes them between the lines <!-- NAME begin --> and <!-- NAME end --> of a page

A result may be compressed (.gz, .xz). Needs nothing but Python's own library.
"""
import argparse
import gzip
import json
import lzma
import re
import shlex
import sys

GROUPS = [
    ("virtualised-access", "Virtualised access against addresses by hand"),
    ("storage", "Kinds of storage of activations"),
    ("weight-rows", "Layout of packed weights"),
    ("fusion", "Fusion"),
    ("quantization", "Activations as integers"),
    ("kv-cache", "KV cache"),
    ("memory-plan", "Memory plan"),
    ("kernel-selection", "Selection of kernels"),
    ("decode-launches", "One launch a token"),
    ("program-cache", "Programs kept on disk"),
]


def read(path):
    opener = {"gz": gzip.open, "xz": lzma.open}.get(path.rsplit(".", 1)[-1], open)
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def time(milliseconds):
    """Four digits that count."""
    for limit, form in ((100, "{:.1f}"), (10, "{:.2f}"), (1, "{:.3f}")):
        if milliseconds >= limit:
            return form.format(milliseconds)
    return "{:.4f}".format(milliseconds)


def command(document):
    """The command line that the options in a result stand for, without its defaults."""
    options = document["options"]
    words = ["driftwood", "ablate", document["model_filename"], "-r", str(options["repeats"])]
    names = {"n_prompt": ("-p", 128), "n_gen": ("-n", 16), "size": ("--size", ""), "precision": ("--precision", "auto"),
             "activations": ("--activations", "auto"), "storage": ("--storage", "buffer"), "least_ms": ("--least-ms", 20), "most_seconds": ("--most-seconds", 60),
             "weight_rows": ("--weight-rows", "interleaved"), "memory_plan": ("--memory-plan", "best"),
             "kv_type": ("--kv-type", "auto"), "kv_layout": ("--kv-layout", "token-major"),
             "clock": ("--clock", "wall"), "start_repeats": ("--start-repeats", 3)}
    for name, (flag, default) in names.items():
        value = options.get(name, default)
        if value != default:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    for name, flag in (("only", "--only"), ("no_fusion", "--no-fusion"), ("no_kernel", "--no-kernel")):
        for value in options.get(name, []):
            words += [flag, value]
    return shlex.join(words + ["--device", document["device"], "--json"])


def table(rows):
    has_bytes = any("on_bytes" in row for row in rows)
    head = ["technique", "stage", "on", "off", "ms on", "ms off", "off / on", "interval", "spread"]
    if has_bytes:
        head += ["MiB on", "MiB off"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * 4 + "---:|" * (len(head) - 4)]
    for row in rows:
        few = " ({} rounds)".format(row["rounds"]) if row["rounds"] < 6 else ""
        cells = [row["technique"], row["stage"], row["on"], row["off"], time(row["on_ms"]), time(row["off_ms"]),
                 "{:.3f}".format(row["ratio"]), "{ratio_low:.3f} to {ratio_high:.3f}".format(**row) + few,
                 "{:.1f} %".format(100 * row["ratio_spread"])]
        if has_bytes:
            cells += ["{:.2f}".format(row[name] / 2**20) if name in row else "" for name in ("on_bytes", "off_bytes")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page(document):
    clock = ", processor time" if document["options"].get("clock") == "processor" else ""
    parts = ["**{model}** on {name} ({api}; {driver}), version {version}, {date}{clock}:\n\n    {command}".format(
        clock=clock,
        model=document["model"], name=document["name"], api=document["api"], driver=document["driver"],
        version=document["version"], date=document["test_time"][:10],
        command="\n    ".join(document["commands"]))]
    for group, title in GROUPS:
        rows = [row for row in document["rows"] if row["group"] == group]
        if rows:
            parts.append("{}\n\n{}".format(title + ":", table(rows)))
    if document["skipped"]:
        parts.append("Not measured: " + " ".join(sorted({entry["reason"].split("\n")[0] for entry in document["skipped"]})))
    return "\n\n".join(parts)


def joined(documents):
    """Results of the same model and device, measured group by group, as one; their commands stay apart."""
    pages = {}
    for document in documents:
        key = (document["model"], document["device"], document["driver"])
        document["commands"] = [command(document)]
        if key not in pages:
            pages[key] = document
            continue
        first = pages[key]
        first["rows"] += document["rows"]
        first["skipped"] += document["skipped"]
        first["commands"] += document["commands"]
    return list(pages.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", nargs=2, metavar=("PAGE", "NAME"), help="the page, and the place in it")
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    arguments = parser.parse_args()
    text = "\n\n".join(page(document) for document in joined(map(read, arguments.results)))
    if not arguments.into:
        print(text)
        return
    path, name = arguments.into
    with open(path, encoding="utf-8") as file:
        before = file.read()
    begin, end = f"<!-- {name} begin -->", f"<!-- {name} end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(before):
        sys.exit(f"ablation_tables.py: '{path}' has no lines '{begin}' and '{end}'.")
    after = pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", before)
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)


if __name__ == "__main__":
    main()
