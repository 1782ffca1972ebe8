# WebGPU's standard header, which tools/fetch_webgpu.sh puts into the project's folder or a system has. No library is
# linked: what is there is opened when the program runs.
set(DRIFTWOOD_WEBGPU_FOLDER "${PROJECT_SOURCE_DIR}/.packages/webgpu" CACHE PATH "Where webgpu.h and the WebGPU libraries lie")
find_path(DRIFTWOOD_WEBGPU_INCLUDE webgpu.h PATHS ${DRIFTWOOD_WEBGPU_FOLDER} PATH_SUFFIXES webgpu)

# Gives a room the header, and what uses it DRIFTWOOD_WEBGPU; without the header leaves src/gpu/webgpu out.
function(driftwood_webgpu target)
  if(DRIFTWOOD_WEBGPU_INCLUDE)
    target_include_directories(${target} SYSTEM PUBLIC ${DRIFTWOOD_WEBGPU_INCLUDE})
    target_compile_definitions(${target} PUBLIC DRIFTWOOD_WEBGPU)
    return()
  endif()
  message(STATUS "webgpu.h is not found: no WebGPU (tools/fetch_webgpu.sh fetches it)")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/gpu/webgpu/")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()
