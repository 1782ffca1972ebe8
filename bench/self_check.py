"""Tests of compare.py against examples of the output of each program (peers/examples), and of ablation_tables.py:
`bench/compare.py --self-check`."""
import contextlib
import io
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import types
import unittest

import compare

EXAMPLES = os.path.join(compare.HERE, "peers", "examples")


def example(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        return file.read()


class Parsing(unittest.TestCase):
    def test_llama_bench(self):
        results, facts = compare.parse_llama_bench(example("llama_bench.txt"))
        self.assertEqual(results, {"pp1024": [11431.0, 11432.0, 11433.0], "tg256 @ d512": [347.8, 348.0, 348.2]})
        self.assertEqual(facts["version"], "500 unknown")
        self.assertEqual(facts["backends"], "CUDA")

    def test_driftwood_for_images(self):
        results, facts = compare.parse_driftwood_image(example("driftwood_image.txt"))
        self.assertEqual(results, {"text 2x77": [0.0205, 0.0201, 0.0203], "unet 128x128": [0.9, 0.91, 0.905]})
        self.assertEqual(facts["options"], {"precision": "auto"})

    def test_litert_lm(self):
        results, _ = compare.parse_litert_lm(example("litert_lm.txt"), 1024, 256)
        self.assertEqual(results, {"pp1024": [9943.12], "tg256": [201.4]})

    def test_diffusers(self):
        results, facts = compare.parse_diffusers(example("diffusers.txt"))
        self.assertEqual(results["unet 512x512"], [0.536, 0.537])
        self.assertEqual(facts["version"], "torch 2.11.0, diffusers 0.42.1")

    def test_what_is_no_result_fails_with_a_reason(self):
        broken = ["", "no list", "[", "[1]", "[{}]", '[{"n_prompt": 1, "n_gen": 0, "samples_ts": "x"}]']
        for text in broken:
            with self.assertRaises(compare.PeerFailed):
                compare.parse_llama_bench(text)
            with self.assertRaises(compare.PeerFailed):
                compare.parse_driftwood_image(text)
            with self.assertRaises(compare.PeerFailed):
                compare.parse_diffusers(text)
        with self.assertRaises(compare.PeerFailed) as caught:
            compare.parse_litert_lm("An error occurred during benchmarking\nno GPU", 8, 8)
        self.assertIn("no GPU", str(caught.exception))


class Summaries(unittest.TestCase):
    def test_median_and_spread(self):
        result = compare.summary([5, 1, 3, 2, 4, 100, 3, 3])
        self.assertEqual((result["median"], result["least"], result["most"]), (3, 1, 100))
        self.assertEqual(result["spread"], 0.5)
        self.assertEqual(compare.summary([2])["spread"], 0)


class WholeRun(unittest.TestCase):
    """With programs that print such output in the place of the real ones."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.model = os.path.join(self.folder.name, "tiny.gguf")
        with open(self.model, "w", encoding="utf-8"):
            pass

    def tearDown(self):
        self.folder.cleanup()

    def program(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nif [ \"$1\" = --version ]; then echo {name} 1; exit; fi\ncat <<'END'\n{text}\nEND\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def arguments(self, **changes):
        rows = [{"n_prompt": 8, "n_gen": 0, "samples_ts": [20.0, 22.0]}, {"n_prompt": 0, "n_gen": 4, "samples_ts": [4.0]}]
        faster = [{"n_prompt": 8, "n_gen": 0, "samples_ts": [10.0]}]
        values = {"driftwood": self.program("driftwood", json.dumps(rows)), "driftwood_args": "", "device": None,
                  "model": [compare.Model(self.model)], "llama_bench": self.program("llama-bench", json.dumps(faster)),
                  "llama_args": "", "litert_lm": "litert-lm", "litert_model": [], "litert_backend": "gpu",
                  "diffusers_python": sys.executable, "prompt": 8, "generate": 4, "depth": 0, "steps": 1,
                  "size": "8x8", "rounds": 2, "repeats": 1}
        return types.SimpleNamespace(**{**values, **changes})

    def compare(self, **changes):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            document = compare.compare(self.arguments(**changes))
        return document, said.getvalue()

    def test_peers_take_turns_and_missing_ones_are_named(self):
        document, said = self.compare()
        medians = {(row["test"], row["peer"]): row["median"] for row in document["results"]}
        self.assertEqual(medians, {("pp8", "Driftwood"): 21.0, ("tg4", "Driftwood"): 4.0, ("pp8", "llama.cpp"): 10.0})
        self.assertEqual(len(document["results"][0]["samples"]), 4)
        self.assertIn("LiteRT-LM: no --litert-model", said)
        self.assertIn("PyTorch", document["left_out"])
        self.assertIn("2.10 times as fast", compare.table(document))
        order = [line for line in said.splitlines() if line.startswith("round")]
        self.assertTrue(order[0].endswith("Driftwood") and order[2].endswith("llama.cpp"))
        json.dumps(document)

    def test_a_peer_that_fails_is_named_and_the_others_go_on(self):
        document, _ = self.compare(llama_bench=self.program("broken", "nothing"))
        self.assertEqual([(row["peer"], row["model"]) for row in document["failed"]], [("llama.cpp", "tiny")])
        self.assertEqual(len(document["results"]), 2)

    def test_a_peer_that_is_not_there_is_left_out(self):
        document, said = self.compare(llama_bench="/nowhere/llama-bench")
        self.assertIn("'/nowhere/llama-bench' is not there", said)
        self.assertEqual({row["peer"] for row in document["results"]}, {"Driftwood"})


class Tables(unittest.TestCase):
    """Groups that are measured anew take the place of old ones, and the others stay."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.page = self.folder / "page.md"
        self.page.write_text("before\n<!-- here begin -->\n<!-- here end -->\nafter\n", encoding="utf-8")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, group, model="m", date="2026-01-02", ratio=1.5):
        row = {"group": group, "technique": group, "stage": "unet", "on": "on", "off": "off", "on_ms": 1, "off_ms": ratio,
               "ratio": ratio, "ratio_low": ratio, "ratio_high": ratio, "ratio_spread": 0.001, "rounds": 9}
        result = {"model": model, "model_filename": model, "name": "GPU", "api": "API", "driver": "1", "device": "x:0",
                  "version": "1", "test_time": date + "T00:00:00Z", "rows": [row], "skipped": [],
                  "options": {"repeats": 9, "only": [group]}}
        path = self.folder / "result.json"
        path.write_text(json.dumps(result), encoding="utf-8")
        run = subprocess.run([sys.executable, os.path.join(compare.HERE, "ablation_tables.py"), "--into", str(self.page),
                              "here", str(path)],
                             check=True, capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        return self.page.read_text(encoding="utf-8")

    def test_groups_and_models_that_are_not_measured_again_stay(self):
        self.write("fusion")
        self.write("storage", model="other")
        text = self.write("memory-plan", date="2026-03-04", ratio=1.25)
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
        self.assertIn("version 1, 2026-03-04:", text)
        self.assertIn("Fusion (2026-01-02):\n\n| technique", text)
        self.assertIn("Memory plan:\n\n| technique", text)
        self.assertIn("**other** on GPU", text)
        self.assertIn("--only fusion ", text)
        self.assertEqual(text, self.write("memory-plan", date="2026-03-04", ratio=1.25))
        self.assertNotIn("1.250", self.write("memory-plan", date="2026-03-05", ratio=1.75))


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
