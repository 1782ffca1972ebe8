# Driftwood: `make demo` and `make test` are all a newcomer needs; they install what is missing.
#
#   make build      the binary build/bin/driftwood
#   make demo       fetches a small chat model and lets it write
#   make demo-image makes a picture with the small model of models/shapes-sd
#   make test       builds and runs all tests (not the slow ones)
#   make test-slow  Stable Diffusion 1.4 at its real size, with random weights (2.1 GB), on DRIFTWOOD_DEVICE
#   make test-conformance  every case of the conformance suite on every device of this computer
#   make test-gpu   the tests that run kernels, on the first GPU
#   make test-asan  the tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   make bench      speed of the demo model on the default device, and the micro-benchmarks
#   make bench-peers  the demo model on Driftwood and its peers, side by side (bench/README.md)
#   make lint       clang-format and clang-tidy
#   make fuzz       runs each fuzzer for FUZZ_SECONDS

BUILD ?= build
JOBS ?= 2
FUZZ_SECONDS ?= 60
MODEL := models/SmolLM2-135M-Instruct.Q4_1.gguf

.PHONY: build build-tests demo demo-image model test test-conformance test-slow test-asan test-gpu bench bench-peers lint format fuzz setup clean

setup:
	@tools/install_packages.sh build
	@tools/fetch_webgpu.sh || echo "Going on without WebGPU." >&2

build: setup
	@cmake --preset release -B $(BUILD) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target driftwood

build-tests: build
	@tools/fetch_webgpu.sh software || echo "Going on without a Vulkan for tests." >&2
	@cmake --build $(BUILD) -j $(JOBS)

model:
	@tools/install_packages.sh model
	@tools/fetch_models.sh smollm2

demo: build model
	@$(BUILD)/bin/driftwood run $(MODEL) -p "Write three sentences about the sea." -n 96 --temp 0

demo-image: build
	@$(BUILD)/bin/driftwood image models/shapes-sd -p "a red circle on a blue background" --guidance 3 --steps 20 \
	  --size 128x128 --seed 1 -o $(BUILD)/demo.png

test: build-tests
	@tools/install_packages.sh test
	@tools/install_packages.sh model
	@tools/fetch_models.sh smollm2 gemma3
	@DRIFTWOOD_NEEDS_MODELS=1 ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-conformance: setup
	@cmake --preset release -B $(BUILD) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target test_conformance
	@tools/test_conformance.sh $(BUILD) $(JOBS)

test-asan: setup
	@cmake --preset asan > /dev/null
	@cmake --build build-asan -j $(JOBS)
	@ASAN_OPTIONS=detect_leaks=0 ctest --test-dir build-asan --output-on-failure

models/random-sd14/model_index.json:
	@tools/install_packages.sh slow
	@python3 tools/make_random_sd14.py models/random-sd14 --tokenizer models/shapes-sd/tokenizer

test-slow: setup models/random-sd14/model_index.json
	@cmake --preset release -B $(BUILD) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target test_slow
	@$(BUILD)/bin/test_slow

# The tests that run kernels, on the first GPU (opencl:0); models are compared in both precisions.
test-gpu: build-tests model
	@for room in gpu kernels conformance models llm diffusion; do $(BUILD)/bin/test_$$room || exit 1; done

bench: build model
	@$(BUILD)/bin/driftwood bench $(MODEL) -p 128 -n 64 -r 3
	@cmake --preset release -B $(BUILD) -DDRIFTWOOD_BENCHMARKS=ON > /dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@for program in $(BUILD)/bin/*_bench; do echo "== $$program"; $$program; done

# LLAMA_BENCH: llama.cpp's llama-bench. PEERS: further options of bench/compare.py.
bench-peers: build model
	@[ -x $(BUILD)/bench-venv/bin/python ] || python3 -m venv $(BUILD)/bench-venv
	@$(BUILD)/bench-venv/bin/pip install -q --disable-pip-version-check -r bench/requirements.txt
	@$(BUILD)/bench-venv/bin/python bench/compare.py --driftwood $(BUILD)/bin/driftwood \
	  --model "SmolLM2 135M Q4_1=$(MODEL)" -p 512 -n 64 --rounds 2 -r 2 \
	  $(if $(LLAMA_BENCH),--llama-bench "$(LLAMA_BENCH)") $(PEERS) \
	  --out $(BUILD)/peers.json --plot $(BUILD)/peers.svg
	@echo "Results in $(BUILD)/peers.json, drawn in $(BUILD)/peers.svg." >&2

lint:
	@tools/install_packages.sh lint
	@git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'bench/*.h' 'bench/*.cpp' | xargs clang-format-14 --dry-run --Werror
	@cmake --preset release -B build-lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > /dev/null
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-14 -p build-lint --quiet

format:
	@tools/install_packages.sh lint
	@git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'bench/*.h' 'bench/*.cpp' | xargs clang-format-14 -i

fuzz:
	@tools/install_packages.sh fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build build-fuzz -j $(JOBS)
	@for fuzzer in build-fuzz/bin/fuzz_*; do name=$${fuzzer##*/fuzz_}; mkdir -p build-fuzz/corpus/$$name; \
	  $$fuzzer -max_total_time=$(FUZZ_SECONDS) build-fuzz/corpus/$$name tests/fuzz/corpus/$$name || exit 1; done

clean:
	@rm -rf build build-*
