// Archives that are written are read again, member by member; tests/cli reads them by NumPy.
#include "multifold/npz.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace multifold {
namespace {

class write_npz_to : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("npz_" + std::string(test->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "x.npz";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(write_npz_to, a_file_that_is_read_again) {
  const std::vector<double> sums{1, 2, 3};
  const std::vector<std::int64_t> where{7};
  const std::vector<npz_member> members{{"sum", dtype::f64, {3, 1}, std::as_bytes(std::span(sums))},
                                        {"argmax", dtype::i64, {}, std::as_bytes(std::span(where))},
                                        {"empty", dtype::f32, {0, 2}, {}}};
  write_npz(path_, members);
  EXPECT_EQ(arrays_in(path_), (std::vector<std::string>{path_ + ":sum", path_ + ":argmax", path_ + ":empty"}));
  for (const npz_member& each : members) {
    const auto source = open_source(path_ + ":" + each.name, std::nullopt);
    EXPECT_EQ(source->layout().type, each.type);
    EXPECT_EQ(source->layout().extents, each.extents);
    std::vector<std::byte> read(each.data.size() + 1);
    const auto count = source->read(0, std::span(read).first(each.data.size()));
    EXPECT_EQ(static_cast<std::size_t>(count * item_bytes(each.type)), each.data.size());
    read.pop_back();
    EXPECT_TRUE(std::equal(read.begin(), read.end(), each.data.begin(), each.data.end()));
  }
}

TEST_F(write_npz_to, nothing_that_is_wrong) {
  const std::vector<double> x{1, 2};
  const auto data = std::as_bytes(std::span(x));
  EXPECT_THROW(write_npz(path_, std::vector<npz_member>{{"a", dtype::f64, {3}, data}}), shape_error);
  EXPECT_THROW(write_npz(path_, std::vector<npz_member>{{"a", dtype::bf16, {8}, data}}), unsupported_error);
  const std::vector<npz_member> two(2, {"a", dtype::u8, {0}, {}});
  EXPECT_THROW(write_npz(folder_ / "no" / "x.npz", two), io_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace multifold
