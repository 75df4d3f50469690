// How lanes go through batches of any strides: an element at a time, or a word of two elements.
#pragma once

#include <cstdint>
#include <optional>

#include "multifold/array.hpp"
#include "multifold/policy.hpp"

namespace multifold::detail {

/// Blocks of lanes that an SM has registers for: those that take words have two sums of each kind.
constexpr int lane_blocks(bool words) noexcept { return words ? 2 : part_blocks; }

/// The lanes of a block have `width` batches, each of them shared by `phases` lanes. A lane goes along one of the reduced
/// runs, the walk, or through a piece of it; a part is a piece of it at one place of the other runs, of which the run that
/// lanes lie along is cut into chunks, and a share is some parts behind each other. Strides are in elements, extents are
/// positive.
///
/// Elements of 2 bytes are taken as words: the line, which is the run of neighbours that lanes lie along, is a run of words
/// then, and what is said of batches and their elements is said of words. The first element of a line may lie in the middle
/// of a word (an odd line), so that word w has the elements 2 w - 1 and 2 w of it in place of 2 w and 2 w + 1. Where lines
/// of both kinds belong to a lane's batches, half of the lanes have those that are odd.
struct lane_walk {
  static constexpr int most_runs = 8;
  // Runs are the slowest first; an index is what a batch's elements are numbered by.
  std::int64_t kept_extent[most_runs], kept_stride[most_runs];                            // of batches
  std::int64_t other_extent[most_runs], other_stride[most_runs], other_index[most_runs];  // reduced, but for the walk
  std::int64_t walk_extent, walk_stride, walk_index;
  std::int64_t phase_stride, phase_index;  // from lane to lane of a batch
  std::int64_t phase_extent;               // places for lanes, of which as many as take turns have one at a time
  int kept_count, other_count;
  int width, phases;    // lanes of a block: width * phases, at most its threads
  int walk_phases;      // a lane has every so many-th element of a piece
  int turn_rows;        // and the first that its turn says, times so many
  int lane_rows;        // elements that a lane has of a piece, at most
  int pieces, chunks;   // of the walk, and of the places for lanes
  int parts;            // of a batch
  int share, shares;    // parts of a share, at most, and shares of a batch
  int batches, boxes;   // boxes of `step` batches
  int step;             // from box to box: `width`, or one less, where odd lines need the word behind
  bool beside;          // the lanes of a batch are neighbours; else those of neighbouring batches
  bool words, by_kind;  // of two elements; odd lines have lanes of their own, the second half of the phases
  int line;             // words of a line, the last of which may have one element alone
  std::int64_t line_elements;
  int word_step;  // of a line, from one element of a lane to its next one: 0 but where lanes go along the line

  /// Lanes that take turns.
  MULTIFOLD_HD constexpr int turns() const { return by_kind ? phases / 2 : phases; }
  /// Results that a lane has: those of both elements of a word, which else belong to one batch.
  MULTIFOLD_HD constexpr int results_of_lane() const { return words && !beside ? 2 : 1; }
};

/// What a lane has of a part. Elements, or words, follow each other as the walk's do.
struct lane_piece {
  static constexpr int whole = -1, low_alone = -2, high_alone = -3;
  std::int64_t offset = 0, index = 0;  // of its first element from the array's, and its number in the batch
  int left = 0;                        // how many it has
  int word = whole;                    // which elements all words have, or the number of the first word in its line
  int odd = 0;                         // 1 in odd lines
};

/// The elements of a line that a word has, or where they are instead; -1 for one that belongs to no batch.
struct word_elements {
  std::int64_t low, high;
};
/// An odd line of an even number has its last element in its first word.
MULTIFOLD_HD constexpr word_elements elements_of_word(const lane_walk& walk, std::int64_t word, int odd) {
  const std::int64_t n = walk.line_elements, first = 2 * word - odd;
  const std::int64_t last = n % 2 == 0 && 2 * walk.line == n ? n - 1 : -1;
  return {first < 0 ? last : first < n ? first : -1, first + 1 < n ? first + 1 : -1};
}

/// Of the batch, or word, `batch` and of the lane `phase` of those that share it; `odd_array`: the array's first element is in
/// the middle of a word.
MULTIFOLD_HD constexpr lane_piece lane_piece_of(const lane_walk& walk, int batch, int phase, int part, int odd_array) {
  lane_piece of;
  auto left = static_cast<unsigned>(batch);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = walk.kept_count - 1; i > 0; --i) {
    const auto extent = static_cast<unsigned>(walk.kept_extent[i]), above = left / extent;
    of.offset += (left - above * extent) * walk.kept_stride[i];
    left = above;
  }
  if (walk.kept_count > 0) of.offset += left * walk.kept_stride[0];
  auto other = static_cast<unsigned>(part);
  int row = 0;
  if (walk.pieces > 1) {
    other /= static_cast<unsigned>(walk.pieces);
    row = (part - static_cast<int>(other) * walk.pieces) * walk.lane_rows * walk.walk_phases;
  }
  const int turns = walk.turns(), kind = phase >= turns ? 1 : 0, turn = phase - kind * turns;
  int place = turn;
  if (walk.chunks > 1) {
    const unsigned above = other / static_cast<unsigned>(walk.chunks);
    place += static_cast<int>(other - above * static_cast<unsigned>(walk.chunks)) * turns;
    other = above;
  }
  int rows = static_cast<int>(walk.walk_extent) - row;
  if (rows > walk.lane_rows * walk.walk_phases) rows = walk.lane_rows * walk.walk_phases;
  if (place >= walk.phase_extent) rows = 0;
  of.index = place * walk.phase_index + row * walk.walk_index;
  of.offset += place * walk.phase_stride + row * walk.walk_stride;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = walk.other_count - 1; i >= 0; --i) {
    const auto extent = static_cast<unsigned>(walk.other_extent[i]), above = other / extent, here = other - above * extent;
    of.offset += here * walk.other_stride[i];
    of.index += here * walk.other_index[i];
    other = above;
  }
  int first = turn * walk.turn_rows;
  if (walk.words) {
    of.odd = static_cast<int>((of.offset + odd_array) & 1);
    if (walk.by_kind && of.odd != kind) {
      // The next line of the walk is of the other kind, or none is.
      if (walk.walk_stride % 2 == 0) rows = 0;
      of.offset += walk.walk_stride;
      of.odd = kind;
      ++first;
    }
    of.offset -= of.odd;
    const int word = walk.beside ? place + (walk.word_step > 0 ? row : 0) : batch % walk.line;
    const word_elements elements = elements_of_word(walk, word, of.odd);
    const bool moved = elements.low >= 0 && elements.low != 2 * word - of.odd;
    if (walk.word_step > 0 || moved) of.word = word;
    else if (elements.high < 0) of.word = lane_piece::low_alone;
    else if (elements.low < 0) of.word = lane_piece::high_alone;
    if (walk.word_step == 0 && elements.low < 0 && elements.high < 0) rows = 0;
  }
  if (walk.walk_phases > 1) rows = (rows - first + walk.walk_phases - 1) / walk.walk_phases;
  of.left = rows > 0 ? rows : 0;
  return of;
}

/// The result of an element of word `batch`, `half` of 0 or 1, where lanes have several; -1 if it has none. `odd`: of the
/// lane's lines, 0 where those of the other kind have been added.
MULTIFOLD_HD constexpr std::int64_t result_of_word(const lane_walk& walk, int batch, int half, int odd) {
  const int line = batch / walk.line;
  const word_elements of = elements_of_word(walk, batch - line * walk.line, odd);
  const std::int64_t element = half == 0 ? of.low : of.high;
  return element < 0 ? -1 : line * walk.line_elements + element;
}

/// For elements of `item` bytes, taken as words or one by one, and a GPU that holds `slots` blocks. Nothing where it would
/// not serve: where no run is contiguous, where runs are too short, or too many.
std::optional<lane_walk> lane_walk_of(const batches& form, std::int64_t item, bool words, std::int64_t slots);

}  // namespace multifold::detail
