// Whether the judge finds out: a case of each class agrees, and one with a bit turned in any of its results does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "agreement/worker.hpp"

namespace multifold::agreement {
namespace {

class judges : public testing::TestWithParam<const char*> {};

void turn_a_bit(outcome& got) { got.bytes.back() ^= std::byte{1}; }

TEST_P(judges, find_a_bit_that_is_turned) {
  const auto folder = std::filesystem::path(testing::TempDir());
  worker w(1 << 16, folder);
  const trial t = parse_trial(GetParam());
  EXPECT_EQ(w.judge(t).difference, "");
  EXPECT_NE(w.judge(t, turn_a_bit).difference, "");
  for (std::size_t i = 0; i < t.beside.size(); ++i) {
    EXPECT_NE(w.judge(t, [i](outcome& got) { turn_a_bit(got.beside[i]); }).difference, "");
  }
}

INSTANTIATE_TEST_SUITE_P(of_each_class, judges,
                         testing::Values("op=sum dtype=f32 extents=7,40 axes=1 data=wild:3",
                                         "op=dot dtype=f64 extents=5,9 other=1,5 data=wild:3",
                                         "op=var dtype=i32 extents=90 segments=ranges32:7:3 data=wide:4",
                                         "op=argmax dtype=f16 extents=90 keys=mixed:4:8 data=ordinary:4",
                                         "op=sum dtype=bf16 extents=6,30 axes=0 keys=runs32:3:5 data=wild:4",
                                         "op=mean dtype=f32 extents=6,30 marks=60:1:gaps:7 data=wide:2",
                                         "op=std dtype=f32 extents=50 beside=sum,argmin,describe,all data=wide:2",
                                         "op=sum dtype=f64 extents=50 state=1 data=wild:2",
                                         "op=mean dtype=f64 extents=50 place=pipe endless=1 data=wild:2",
                                         "op=sum dtype=i16 extents=50 entry=range data=wide:2",
                                         "op=min dtype=f32 extents=5,9 strides=-9,1 shift=50 entry=range data=wide:2",
                                         "op=mean dtype=f32 extents=8,9 other=0,1 axes=0 entry=weighted data=wide:2",
                                         "op=argmin dtype=u8 extents=8,9 axes=0 pieces=5 entry=merge data=wide:2",
                                         "op=mean dtype=f64 extents=8,9 pieces=4 entry=parts data=wild:2",
                                         "op=mean dtype=f32 extents=8,9 axes=1 entry=logsumexp data=ordinary:2",
                                         "op=dot dtype=f32 extents=8,2 entry=complex data=wide:2",
                                         "op=prod dtype=f64 extents=3,8,2 axes=1 entry=complex data=factors:2",
                                         "op=sum dtype=u16 extents=8,9 strides=1,8 axes=1 entry=fold data=wild:3"));

}  // namespace
}  // namespace multifold::agreement
