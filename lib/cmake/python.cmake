# Finds MULTIFOLD_PYTHON, a Python 3 with NumPy for tests that use it as an oracle; empty if there is none.
if(DEFINED ENV{MULTIFOLD_PYTHON})
  set(MULTIFOLD_PYTHON "$ENV{MULTIFOLD_PYTHON}" CACHE FILEPATH "A Python 3 that can import numpy" FORCE)
endif()
if(NOT MULTIFOLD_PYTHON)
  foreach(candidate python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import numpy, sys; print(sys.executable)" RESULT_VARIABLE status
      OUTPUT_VARIABLE executable OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(MULTIFOLD_PYTHON "${executable}" CACHE FILEPATH "A Python 3 that can import numpy" FORCE)
      break()
    endif()
  endforeach()
endif()
# Scripts that need the standard library only run without NumPy as well.
find_program(MULTIFOLD_PLAIN_PYTHON NAMES python3)
