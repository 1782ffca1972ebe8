static void stages_start_2(__local uint2* ring, uint arrivals) {
  if (get_local_id(0) == 0) {
    for (uint i = 0u; i < 4u; i++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"((uint)(size_t)ring + i * 8u), "r"(i < 2u ? 1u : arrivals) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void stage_open_2(__local uint2* ring, uint stage, uint turn, uint bytes) {
  uint full = (uint)(size_t)ring + stage * 8u;
  uint empty = (uint)(size_t)ring + stage * 8u + 16u;
  asm volatile("{ .reg .pred p; .reg .u32 c;\nsetp.eq.u32 p, %2, 0;\n@p bra DONE;\nmov.u32 c, 0;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nadd.u32 c, c, 1;\nsetp.lt.u32 p, c, 20000;\n@p bra AGAIN;\nDONE: }"
               :: "r"(empty), "r"((turn + 1u) & 1u), "r"(turn) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(full), "r"(bytes) : "memory");
}

static void stage_copy_2(__local uint2* ring, uint stage, uint to, ulong from, uint bytes) {
  uint full = (uint)(size_t)ring + stage * 8u;
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :: "r"(to), "l"(from), "r"(bytes), "r"(full) : "memory");
}

static void stage_wait_2(__local uint2* ring, uint stage, uint turn) {
  uint full = (uint)(size_t)ring + stage * 8u;
  asm volatile("{ .reg .pred p; .reg .u32 c;\nmov.u32 c, 0;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nadd.u32 c, c, 1;\nsetp.lt.u32 p, c, 20000;\n@p bra AGAIN;\nDONE: }"
               :: "r"(full), "r"(turn & 1u) : "memory");
}

static ulong matrix_descriptor(uint address, uint stride) {
  return (ulong)((address & 0x3ffffu) >> 4 | stride << 16) | 8ul << 32;
}

static void multiply_workgroup_16_1(float* sums, const uint4* left, uint right, uint right_stride) {
  asm volatile("//@{ .reg .pred p; .reg .b64 a, b; wgmma.fence.sync.aligned; mov.b64 b, %8; setp.ne.b64 p, b, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%10, %11, %12, %13}, b, p, 1, 1, 0; wgmma.commit_group.sync.aligned; }"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7])
               : "l"(matrix_descriptor(right, right_stride)), "l"((ulong)(2u * right_stride)),
                 "r"(left[0].x), "r"(left[0].y), "r"(left[0].z), "r"(left[0].w)
               : "memory");
}

static void multiply_workgroup_memory_16_1(float* sums, uint left, uint left_stride, uint right, uint right_stride) {
  asm volatile("//@{ .reg .pred p; .reg .b64 a, b; wgmma.fence.sync.aligned; mov.b64 b, %8; setp.ne.b64 p, b, 0; mov.b64 a, %10; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, a, b, p, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; }"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7])
               : "l"(matrix_descriptor(right, right_stride)), "l"((ulong)(2u * right_stride)), "l"(matrix_descriptor(left, left_stride)), "l"((ulong)(2u * left_stride))
               : "memory");
}

static void wait_for_matrix_8(float* sums) {
  asm volatile("//@wgmma.wait_group.sync.aligned 0;"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7])
               :: "memory");
}

static void stage_release_2(__local uint2* ring, uint stage) {
  uint empty = (uint)(size_t)ring + stage * 8u + 16u;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0;\n@p mbarrier.arrive.shared::cta.b64 _, [%0]; }"
               :: "r"(empty), "r"((uint)(get_local_id(0)) & 31u) : "memory");
}

__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void pipeline(__global const uint* restrict w, __global const uint4* restrict x, __global float* y,
                       ulong w_offset, ulong x_offset, ulong y_offset) {
  __local uint2 ring[4] __attribute__((aligned(128)));
  __local uint words[1152] __attribute__((aligned(128)));
  __local uint4 tile[256] __attribute__((aligned(128)));
  w = (__global const uint*)((__global const uchar*)w + w_offset);
  x = (__global const uint4*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint t = (uint)get_local_id(0);
  stages_start_2((__local uint2*)&ring, 4u);
  if (t == 0u) {
    for (uint stage = 0u; stage < 2u; stage++) {
      stage_open_2((__local uint2*)&ring, stage, 0u, 4352u);
      stage_copy_2((__local uint2*)&ring, stage, (uint)(size_t)&words + 4u * (stage * 576u), (ulong)((__global const uint*)(__global uint (*)[1])w + (stage * 32u / 32u * 576u + stage * 32u % 32u)), 4u * (288u));
      stage_copy_2((__local uint2*)&ring, stage, (uint)(size_t)&words + 4u * (stage * 576u + 288u), (ulong)((__global const uint*)(__global uint (*)[1])w + (stage * 32u / 32u * 576u + 288u + stage * 32u % 32u)), 4u * (32u));
      stage_copy_2((__local uint2*)&ring, stage, (uint)(size_t)&words + 4u * (stage * 576u + 320u), (ulong)((__global const uint*)(__global uint (*)[1])w + (stage * 32u / 32u * 576u + 288u + stage * 32u % 32u + 32u)), 4u * (256u));
      stage_copy_2((__local uint2*)&ring, stage, (uint)(size_t)&tile + 16u * (stage * 128u), (ulong)((__global const uint4*)(__global uint4 (*)[1])x + (stage * 128u)), 16u * (128u));
    }
  }
  float sums[8] = {0};
  for (uint stage_1 = 0u; stage_1 < 2u; stage_1++) {
    stage_wait_2((__local uint2*)&ring, stage_1, 0u);
    uint4 left[1] = {0};
    left[0] = (uint4)(words[stage_1 * 576u + t]) & (uint4)(983055u);
    multiply_workgroup_16_1((float*)&sums, (uint4*)&left, (uint)(size_t)&tile + 16u * (stage_1 * 128u), 16u);
    multiply_workgroup_memory_16_1((float*)&sums, (uint)(size_t)&tile + 16u * (stage_1 * 128u), 64u, (uint)(size_t)&tile + 16u * (stage_1 * 128u), 16u);
    wait_for_matrix_8((float*)&sums);
    stage_release_2((__local uint2*)&ring, stage_1);
  }
  for (uint i = 0u; i < 8u; i++) {
    y[t * 8u + i] = sums[i];
  }
}
