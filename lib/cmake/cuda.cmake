# Decides whether the GPU engine is built, and sets MULTIFOLD_HAS_CUDA to 1 or 0.
set(MULTIFOLD_HAS_CUDA 0)
if(NOT MULTIFOLD_CUDA)
  return()
endif()

# Toolkits install themselves here, often without touching PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(MULTIFOLD_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(MULTIFOLD_NVCC)
    set(CMAKE_CUDA_COMPILER "${MULTIFOLD_NVCC}")
  endif()
endif()
# CMake's own default is too old for the kernels.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(MULTIFOLD_CUDA STREQUAL "AUTO")
    message(STATUS "multifold: no CUDA compiler found; building the CPU engine only")
    return()
  endif()
  message(FATAL_ERROR "MULTIFOLD_CUDA=${MULTIFOLD_CUDA}, but no CUDA compiler was found. "
    "Put nvcc on PATH, set CUDACXX to it, or configure with -DMULTIFOLD_CUDA=OFF.")
endif()
if(MULTIFOLD_CUDA_ARCHITECTURES)
  include(cuda_architectures)
  multifold_cuda_architectures(CMAKE_CUDA_ARCHITECTURES "${MULTIFOLD_CUDA_ARCHITECTURES}" "${CMAKE_CUDA_COMPILER}")
endif()
enable_language(CUDA)

# CMake 3.25 does not know that nvcc has C++20, and would compile C++17 without a word.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)
if(CUDAToolkit_VERSION VERSION_LESS 12.4)
  message(FATAL_ERROR "multifold needs CUDA 12.4 or newer, and this is ${CUDAToolkit_VERSION} "
    "(${CUDAToolkit_BIN_DIR}). Set CUDACXX to the nvcc of a newer one, or configure with -DMULTIFOLD_CUDA=OFF.")
endif()
set(MULTIFOLD_HAS_CUDA 1)
# A sixth of the bytes in objects and programs. Drivers that CUDA 12.4 came with, and newer ones, read it.
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>")
endif()
