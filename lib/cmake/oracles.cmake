# Provides multifold_oracles, what exact results are compared with: GMP and MPFR. Tests link it, the library never does.
# Where they are missing the rooms that need them are not tested, and CMake says so; ./dev test installs them.
find_library(MULTIFOLD_MPFR mpfr)
find_library(MULTIFOLD_GMPXX gmpxx)
find_library(MULTIFOLD_GMP gmp)
if(MULTIFOLD_MPFR AND MULTIFOLD_GMPXX AND MULTIFOLD_GMP)
  add_library(multifold_oracles INTERFACE)
  target_link_libraries(multifold_oracles INTERFACE ${MULTIFOLD_MPFR} ${MULTIFOLD_GMPXX} ${MULTIFOLD_GMP})
else()
  message(WARNING "multifold: no GMP and MPFR (apt-get install libgmp-dev libmpfr-dev): test_core is not built")
endif()
