// What holds for every plan, however it was chosen; and the machines that plans are drawn for in tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "multifold/plan/recipe.hpp"
#include "plan/layout.hpp"

namespace multifold::plan_tests {

inline engine_traits host_of(int threads) {
  engine_traits t;
  t.units = threads;
  t.name = std::to_string(threads) + " CPU threads";
  return t;
}

/// A device so small that every array is large for it.
inline engine_traits tiny_device() {
  engine_traits t;
  t.engine = engine_kind::device;
  t.name = "tiny";
  t.units = 2;
  t.blocks_per_unit = 1;
  t.threads = 64;
  t.part_bytes = 64;
  t.max_blocks = 8;
  return t;
}

/// Every part has elements, and together they are the batch.
inline void expect_parts_cover(const pass& at) {
  ASSERT_GE(at.parts, 1);
  ASSERT_GE(at.tile, 1);
  ASSERT_EQ(at.part_length % at.tile, 0);
  EXPECT_GE(int128_t{at.parts} * at.part_length, at.length);
  EXPECT_LT(int128_t{at.parts - 1} * at.tile, std::max<std::int64_t>(at.length, 1));
  // The first part is a longest one: nowhere else can there be more tiles.
  EXPECT_LT(int128_t{at.part_length - at.tile} * at.parts, std::max<std::int64_t>(at.length, 1));
}

inline void expect_grid_fits(const pass& at, const engine_traits& engine) {
  EXPECT_LE(at.blocks, engine.max_blocks);
  EXPECT_EQ(at.blocks > 0, at.batches > 0);
  EXPECT_GE(at.threads, 1);
  EXPECT_LE(at.threads, 512);
  const bool shared_columns = at.kind == kernel::columns;
  EXPECT_TRUE(shared_columns || (at.group & (at.group - 1)) == 0);
  if (engine.engine == engine_kind::device) {
    EXPECT_EQ(at.threads % 32, 0);
    EXPECT_TRUE(shared_columns || at.threads % at.group == 0);
    EXPECT_TRUE(at.form == block_form::shuffle || (at.threads & (at.threads - 1)) == 0);
  }
}

/// Slices lie side by side, the status word's first; what kernels find cleared is cleared once, before they run.
inline void expect_sound_recipe(const plan& p) {
  const recipe made = recipe_of(p);
  ASSERT_FALSE(made.slices().empty());
  EXPECT_EQ(made.slices().front().use, slice_use::status);
  std::int64_t end = 0;
  for (const recipe::slice& s : made.slices()) {
    EXPECT_EQ(s.offset, end);
    EXPECT_LE(s.pass, p.passes.size());
    const int128_t behind = (int128_t{s.offset} + s.bytes + 255) / 256 * 256;
    end = static_cast<std::int64_t>(std::min(behind, int128_t{INT64_MAX}));
  }
  EXPECT_EQ(p.workspace_bytes(), std::max(end, recipe_of(p, recipe_end::accumulators).workspace_bytes()));
  std::size_t cleared = 0, next_pass = 0;
  for (const recipe::step& s : made.steps()) {
    if (s.kind == step_kind::clear) {
      EXPECT_GE(s.first_slice, cleared);
      cleared = s.first_slice + std::size_t{s.slices};
      ASSERT_GT(s.slices, 0);
      ASSERT_LE(cleared, made.slices().size());
      continue;
    }
    EXPECT_GT(s.blocks, 0);
    EXPECT_GT(s.threads, 0);
    if (s.pass != recipe::step::no_pass) {
      EXPECT_EQ(s.pass, next_pass++);
    }
    if (s.kind == step_kind::part_sums || s.kind == step_kind::part_lanes) next_pass = p.passes.size();  // all of them
  }
  const bool all = p.form.results() > 0 && p.engine.engine == engine_kind::device;
  EXPECT_EQ(next_pass, all ? p.passes.size() + (p.again ? 1 : 0) : 0) << explain(p);
}

/// Each pass takes up what the one before left, in batches of its own, until one value a result is left.
inline void expect_sound(const plan& p) {
  ASSERT_FALSE(p.passes.empty());
  int128_t left = int128_t{p.form.results()} * p.form.length;
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const pass& at = p.passes[i];
    const bool last = i + 1 == p.passes.size();
    EXPECT_EQ(int128_t{at.batches} * at.length, left);
    EXPECT_TRUE(at.kind == kernel::tiles || (at.kind == kernel::partials) == (i > 0));
    const bool boxes = detail::reads_array(at, p.engine);
    if (boxes) {
      EXPECT_EQ(at.batches, at.array.outer * at.array.inner);
      EXPECT_EQ(at.length, at.array.length);
    }
    EXPECT_EQ(at.form, p.passes.front().form);
    ASSERT_NO_FATAL_FAILURE(expect_parts_cover(at));
    expect_grid_fits(at, p.engine);
    EXPECT_TRUE(i == 0 || at.parts < at.length) << "pass " << i + 1 << " reduces nothing";
    if (last) {
      EXPECT_EQ(at.batches, p.form.results());
      EXPECT_TRUE(at.parts == 1 || (at.how != finish::next_pass && p.engine.engine == engine_kind::device));
      EXPECT_TRUE(at.how != finish::atomic || merges_in_any_order(p.what));
    } else {
      EXPECT_TRUE(at.parts > 1 || boxes);
      EXPECT_EQ(at.how, finish::next_pass);
    }
    left = int128_t{at.batches} * at.parts;
  }
  EXPECT_TRUE(p.waiting_bytes == 0 || p.waiting_bytes == result_bytes(p.what));
  EXPECT_TRUE(p.waiting_bytes == 0 || p.engine.engine == engine_kind::device);
  expect_sound_recipe(p);
}

/// What was forced is in the plan.
inline void expect_obeyed(const plan& p, const plan_options& forced) {
  const pass& first = p.passes.front();
  EXPECT_EQ(static_cast<int>(p.passes.size()), forced.passes.value_or(static_cast<int>(p.passes.size())));
  EXPECT_EQ(first.parts, forced.parts.value_or(first.parts));
  EXPECT_EQ(first.form, forced.form.value_or(first.form));
  EXPECT_TRUE(first.parts == 1 || first.how == forced.how.value_or(first.how));
  for (const pass& at : p.passes) EXPECT_EQ(at.threads, forced.threads.value_or(at.threads));
}

inline bool same(const pass& a, const pass& b) {
  return a.kind == b.kind && a.batches == b.batches && a.length == b.length && a.parts == b.parts && a.tile == b.tile &&
         a.part_length == b.part_length && a.how == b.how && a.form == b.form && a.threads == b.threads &&
         a.group == b.group && a.vector == b.vector && a.blocks == b.blocks;
}

inline bool same_passes(const plan& a, const plan& b) {
  return std::equal(a.passes.begin(), a.passes.end(), b.passes.begin(), b.passes.end(), same);
}

}  // namespace multifold::plan_tests
