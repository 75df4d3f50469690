// Whom a rung's gain is over, if it is not simply the rung below, and why it may have none.
#pragma once

namespace multifold::ladder::gpu {

struct comparison {
  const char* name;
  const char* against;  // as in climb.hpp; null for the rung below
  const char* no_gain;
};

inline constexpr comparison comparisons[] = {
    {"last warp unrolled", nullptr,
     "while one block ends its tree, others load: the memory is the limit, not the tree"},
    {"all unrolled", nullptr, "the tree was hidden behind the loads of other blocks before"},
    {"cascading", nullptr, "the memory was the limit already"},
    {"warp shuffles", nullptr, "with 32 elements a thread, the end of a row is a small part of it"},
    {"batched, tree", "cascading",
     "a long row keeps its block's place to the end, and the last turn does not fill them all"},
    {"batched, shuffles", nullptr, "a row of 262,144 elements or more has one end, in whatever form"},
    {"two passes", "batched, shuffles", "the memory was the limit already"},
    {"three passes", "two passes", "the second kernel was a small part of the whole"},
    {"atomic finish", "two passes", "the second kernel was a small part of the whole: see the short array"},
    {"last block done", "two passes", "the second kernel was a small part of the whole: see the short array"},
    {"grid barrier", "two passes", "the second kernel was a small part of the whole, and barriers take time, too"},
    {"clusters", "two passes", "eight times fewer partial results, where they were few already"},
    {"128-bit loads", "two passes", "with eight loads a thread, enough bytes were under way: the memory is the limit"},
    {"bulk copies", nullptr, "the memory was the limit already; what the threads save, they would only wait"},
    {"CUDA graph", "128-bit loads", "the launches are a small part of the whole: see the short array"},
    {"host array, 1 stream", "", ""},
    {"host array, 2 streams", nullptr, "a copy takes so much longer than a kernel that there is little to hide"},
    {"host array, 4 streams", nullptr, "the copies follow each other without gaps already: the link is the limit"},
    {"exact", "128-bit loads", "what it adds is not speed: the same bits in any order, and the right ones"},
};

}  // namespace multifold::ladder::gpu
