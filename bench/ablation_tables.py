#!/usr/bin/env python3
"""Turns what `driftwood ablate --json` prints into Markdown, and puts it into docs/evidence.md.

    bench/ablation_tables.py RESULT.json...                      prints the tables
    bench/ablation_tables.py --into docs/evidence.md NAME RESULT.json...
        writes them between the lines <!-- NAME begin --> and <!-- NAME end --> of a page; groups and models that are
        there and not among the results stay

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
    """The parts of a model's section: its head, the commands, tables by group, and what was not measured."""
    clock = ", processor time" if document["options"].get("clock") == "processor" else ""
    head = "**{model}** on {name} ({api}; {driver}), version {version}, {date}{clock}:".format(
        clock=clock, model=document["model"], name=document["name"], api=document["api"], driver=document["driver"],
        version=document["version"], date=document["test_time"][:10])
    tables = {}
    for group, title in GROUPS:
        rows = [row for row in document["rows"] if row["group"] == group]
        if rows:
            tables[group] = "{}:\n\n{}".format(title, table(rows))
    skipped = ""
    if document["skipped"]:
        skipped = "Not measured: " + " ".join(sorted({entry["reason"].split("\n")[0] for entry in document["skipped"]}))
    return {"model": document["model"], "head": head, "commands": document["commands"], "tables": tables,
            "skipped": skipped}


def text_of(part):
    commands = "\n".join("    " + command for command in part["commands"])
    tables = [part["tables"][group] for group, _ in GROUPS if group in part["tables"]]
    return "\n\n".join([part["head"], commands] + tables + ([part["skipped"]] if part["skipped"] else []))


def parts_of(text):
    """What text_of() wrote, taken apart."""
    parts = []
    for paragraph in re.split(r"\n{2,}", text.strip()):
        named = re.match(r"\*\*(.+?)\*\* on ", paragraph)
        if named:
            parts.append({"model": named[1], "head": paragraph, "commands": [], "tables": {}, "skipped": ""})
            group = None
            continue
        if not parts:
            continue
        part = parts[-1]
        if paragraph.startswith("    "):
            part["commands"] += [line.strip() for line in paragraph.split("\n")]
        elif paragraph.startswith("Not measured:"):
            part["skipped"] = paragraph
        elif paragraph.startswith("|") and group is not None:
            part["tables"][group] += "\n\n" + paragraph
        else:
            group = next((group for group, title in GROUPS if paragraph.startswith(title)), None)
            if group is not None:
                part["tables"][group] = paragraph
    return parts


def merged(old, new):
    """A model's section with the groups of another measurement that it lacks, and when those were measured."""
    missing = {group: text for group, text in old["tables"].items() if group not in new["tables"]}
    date = re.search(r"\d{4}-\d\d-\d\d", old["head"])
    for group, text in missing.items():
        title, rest = text.split("\n", 1)
        if date and date[0] not in new["head"] and "(" not in title:
            title = "{} ({}):".format(title.rstrip(":"), date[0])
        missing[group] = title + "\n" + rest
    commands = [line for line in old["commands"] if any(f"--only {group} " in line for group in missing)]
    return dict(new, tables={**missing, **new["tables"]}, commands=sorted({*commands, *new["commands"]}))


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
    parts = [page(document) for document in joined(map(read, arguments.results))]
    if not arguments.into:
        print("\n\n".join(map(text_of, parts)))
        return
    path, name = arguments.into
    with open(path, encoding="utf-8") as file:
        before = file.read()
    begin, end = f"<!-- {name} begin -->", f"<!-- {name} end -->"
    pattern = re.compile(re.escape(begin) + "(.*?)" + re.escape(end), re.S)
    there = pattern.search(before)
    if not there:
        sys.exit(f"ablation_tables.py: '{path}' has no lines '{begin}' and '{end}'.")
    new = {part["model"]: part for part in parts}
    old = {part["model"]: part for part in parts_of(there[1])}
    all_models = list(dict.fromkeys([*old, *new]))
    text = "\n\n".join(text_of(merged(old[model], new[model]) if model in old and model in new
                               else new.get(model) or old[model]) for model in all_models)
    after = pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", before)
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)


if __name__ == "__main__":
    main()
