# Which GPUs kernels are compiled for: multifold_cuda_architectures(OUT WANTED NVCC) makes a list for CMake of
#
#   native       the GPU of this machine
#   all-major    every generation that this nvcc knows and the kernels run on, and PTX for later ones
#   80;90;120    these, as CMAKE_CUDA_ARCHITECTURES has them
set(MULTIFOLD_LEAST_CUDA_ARCHITECTURE 80) # warps reduce integers with one instruction from here on

function(multifold_cuda_architectures out wanted nvcc)
  if(wanted STREQUAL "native")
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capabilities RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT status EQUAL 0 OR capabilities STREQUAL "")
      message(FATAL_ERROR "MULTIFOLD_CUDA_ARCHITECTURES=native, but nvidia-smi shows no GPU on this machine. "
        "Name architectures, 80;90 say, or take all-major.")
    endif()
    string(REPLACE "." "" capabilities "${capabilities}")
    string(REGEX REPLACE "[ \n]+" ";" found "${capabilities}")
    list(REMOVE_DUPLICATES found)
  elseif(wanted STREQUAL "all-major")
    execute_process(COMMAND "${nvcc}" --list-gpu-arch OUTPUT_VARIABLE known RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "MULTIFOLD_CUDA_ARCHITECTURES=all-major, but ${nvcc} does not say what it knows. "
        "Name architectures, 80;90 say.")
    endif()
    string(REGEX MATCHALL "compute_[0-9]+0\n" majors "${known}")
    string(REGEX REPLACE "compute_|\n" "" majors "${majors}")
    set(found "")
    foreach(each IN LISTS majors)
      if(NOT each LESS MULTIFOLD_LEAST_CUDA_ARCHITECTURE)
        list(APPEND found ${each})
      endif()
    endforeach()
    list(SORT found COMPARE NATURAL)
    list(POP_BACK found latest)
    list(TRANSFORM found APPEND "-real")
    list(APPEND found ${latest})
  else()
    set(found "${wanted}")
  endif()
  foreach(each IN LISTS found)
    if(NOT each MATCHES "^[0-9]+[af]?(-real|-virtual)?$")
      message(FATAL_ERROR "MULTIFOLD_CUDA_ARCHITECTURES has '${each}': expected native, all-major, or numbers such as "
        "80;90;120, each with -real or -virtual behind it if you like.")
    endif()
    string(REGEX MATCH "^[0-9]+" number "${each}")
    if(number LESS MULTIFOLD_LEAST_CUDA_ARCHITECTURE)
      message(FATAL_ERROR "MULTIFOLD_CUDA_ARCHITECTURES has ${each}: the kernels need compute capability 8.0 or newer, "
        "which is ${MULTIFOLD_LEAST_CUDA_ARCHITECTURE} here.")
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
