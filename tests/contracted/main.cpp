// Runs where the processor has the fused multiply-adds that these tests are compiled to.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr int skipped = 77;
  if (!__builtin_cpu_supports("fma")) return skipped;
  return RUN_ALL_TESTS();
}
