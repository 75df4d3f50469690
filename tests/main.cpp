// The main of every test program: skips are shown at the end, and are failures where a GPU is required.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <gtest/gtest.h>

namespace {

constexpr int skipped_for_ctest = 77;

bool gpu_is_required() {
  const char* value = std::getenv("MULTIFOLD_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  const ::testing::UnitTest& run = *::testing::UnitTest::GetInstance();
  const int skipped = run.skipped_test_count();
  if (status != 0 || skipped == 0) return status;

  std::cerr << "*** " << skipped << " of " << run.test_to_run_count() << " tests were SKIPPED\n";
  if (gpu_is_required()) {
    std::cerr << "*** MULTIFOLD_REQUIRE_GPU=1: a skipped test is a failure\n";
    return EXIT_FAILURE;
  }
  return skipped == run.test_to_run_count() ? skipped_for_ctest : status;
}
