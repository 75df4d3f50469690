# Installs a build, and uses it from a project of its own; then checks that add_subdirectory configures as well.
# Needs -D: BUILD (of multifold), SOURCE (of multifold), PROJECT (the user's), CXX, FLAGS, CUDA (AUTO, ON or OFF)
set(scratch "${BUILD}/consumer")
file(REMOVE_RECURSE "${scratch}")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

set(configure "${CMAKE_COMMAND}" -G Ninja -S "${PROJECT}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${scratch}/prefix")
run(${configure} -B "${scratch}/installed" "-DCMAKE_PREFIX_PATH=${scratch}/prefix")
run("${CMAKE_COMMAND}" --build "${scratch}/installed")
# What multifold is compiled with is no affair of its users' own code.
file(READ "${scratch}/installed/compile_commands.json" commands)
string(REGEX MATCH "-fmad|-ffp-contract|relaxed-constexpr|MULTIFOLD_NO_CONTRACTION" imposed "${commands}")
if(imposed)
  message(FATAL_ERROR "a target that links multifold is compiled with ${imposed}:\n${commands}")
endif()
run("${scratch}/installed/consumer")
run(${configure} -B "${scratch}/embedded" "-DMULTIFOLD_SOURCE=${SOURCE}" "-DMULTIFOLD_CUDA=${CUDA}")
