#!/usr/bin/env python3
"""Times a diffusers folder of Stable Diffusion in PyTorch, as `driftwood bench` times it: text encoder, sampling with
guidance, decoder, and all of it, in half precision on the GPU, warmed up. Prints one line of JSON."""
import argparse
import json
import sys
import time

import diffusers
import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--size", default="512x512")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--guidance", type=float, default=7.5)
    parser.add_argument("--compile", action="store_true", help="torch.compile with graphs for UNet and decoder")
    arguments = parser.parse_args()
    width, height = (int(part) for part in arguments.size.split("x"))

    pipeline = diffusers.StableDiffusionPipeline.from_pretrained(
        arguments.model, torch_dtype=torch.float16, safety_checker=None, requires_safety_checker=False,
        local_files_only=True).to("cuda")
    pipeline.set_progress_bar_config(disable=True)
    if arguments.compile:
        pipeline.unet = torch.compile(pipeline.unet, mode="max-autotune", fullgraph=True)
        pipeline.vae.decode = torch.compile(pipeline.vae.decode, mode="max-autotune", fullgraph=True)

    limit = pipeline.tokenizer.model_max_length
    ids = torch.tensor([[(i * 7919 + 320) % pipeline.text_encoder.config.vocab_size for i in range(limit)]],
                       device="cuda")
    scale = pipeline.vae.config.scaling_factor
    seconds = {f"text 2x{limit}": [], f"unet {arguments.size}": [], f"decode {arguments.size}": [],
               f"image {arguments.size} {arguments.steps} steps": []}

    def mark():
        torch.cuda.synchronize()
        return time.perf_counter()

    with torch.inference_mode():
        for number in range(arguments.repeats + 2):
            generator = torch.Generator("cuda").manual_seed(1)
            begin = mark()
            prompt = pipeline.text_encoder(ids)[0]
            negative = pipeline.text_encoder(ids)[0]
            encoded = mark()
            latents = pipeline(prompt_embeds=prompt, negative_prompt_embeds=negative, width=width, height=height,
                               num_inference_steps=arguments.steps, guidance_scale=arguments.guidance,
                               generator=generator, output_type="latent").images
            sampled = mark()
            pipeline.vae.decode(latents / scale, return_dict=False)
            decoded = mark()
            if number < 2:  # compiles, and warms caches
                continue
            for samples, value in zip(seconds.values(),
                                      (encoded - begin, sampled - encoded, decoded - sampled, decoded - begin)):
                samples.append(value)
    print(json.dumps({"version": f"torch {torch.__version__}, diffusers {diffusers.__version__}",
                      "gpu_info": torch.cuda.get_device_name(), "seconds": seconds}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
