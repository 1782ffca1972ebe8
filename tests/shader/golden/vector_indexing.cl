static float component_float4(float4 v, uint i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void indexing(__global float4* v, ulong v_offset) {
  __local float4 shared_vector;
  v = (__global float4*)((__global uchar*)v + v_offset);
  const uint k = (uint)get_local_id(0);
  if (get_local_id(0) == 0) shared_vector = (float4)(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const float4 a = v[0];
  float4 b = v[1];
  ((float*)&b)[k] = component_float4(a, k);
  v[k].z = a.w;
  ((__global float*)&v[2])[k] = ((__global float*)&v[1])[k];
  ((__local float*)&shared_vector)[k] = component_float4(b, k);
  barrier(CLK_LOCAL_MEM_FENCE);
  v[3] = shared_vector + b;
}
