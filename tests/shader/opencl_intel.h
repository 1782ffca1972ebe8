// What a compiler of Intel's declares beyond OpenCL C: the shuffles of cl_intel_subgroups that kernels use.
#define DECLARE_SHUFFLES(type)                                                     \
  __attribute__((overloadable)) type intel_sub_group_shuffle(type, uint);          \
  __attribute__((overloadable)) type intel_sub_group_shuffle_xor(type, uint);      \
  __attribute__((overloadable)) type intel_sub_group_shuffle_up(type, type, uint); \
  __attribute__((overloadable)) type intel_sub_group_shuffle_down(type, type, uint);
DECLARE_SHUFFLES(float)
DECLARE_SHUFFLES(int)
DECLARE_SHUFFLES(uint)
