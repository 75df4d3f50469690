// The main of every test program: skipped tests are counted aloud, and are failures where a GPU is required.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>

namespace {

// CTest shows a test that returns this as skipped (lib/cmake/multifold_test_room.cmake).
constexpr int everything_skipped = 77;

bool gpu_is_required() {
  const char* value = std::getenv("MULTIFOLD_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

class no_skips : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (test.result()->Skipped()) ADD_FAILURE() << "skipped, and MULTIFOLD_REQUIRE_GPU=1 makes that a failure";
  }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const ::testing::UnitTest& run = *::testing::UnitTest::GetInstance();
  if (gpu_is_required()) ::testing::UnitTest::GetInstance()->listeners().Append(std::make_unique<no_skips>().release());

  const int status = RUN_ALL_TESTS();
  const int skipped = run.skipped_test_count();
  if (skipped > 0) std::cerr << "*** " << skipped << " of " << run.test_to_run_count() << " tests were SKIPPED\n";
  return status == 0 && skipped > 0 && skipped == run.test_to_run_count() ? everything_skipped : status;
}
