// Tiles of an array in shared memory: a ring of pipeline stages, which the copy engine fills while threads read others.
//
// A piece is a contiguous range of bytes that may begin and end anywhere. The engine copies multiples of 16 bytes
// between multiples of 16 (cp.async.bulk), so a piece comes with what stands around it in its first and last 16 bytes.
// It begins in shared memory as far behind a multiple of 128 as in global memory: on an H200, 30 KiB at a time are
// copied at 4620 GB/s like this, and at 3400 to 4240 where lines of both memories do not agree. So pieces that follow
// in steps stand in steps, too, which are the same modulo 128. What lies outside of the array is never read: there the
// ends are copied element by element.
//
// Cards before Hopper have no such engine. Lanes ask for the same 16 bytes one by one there (cp.async), and the barrier
// waits for those, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// A contiguous range of an array.
struct tile_piece {
  const std::byte* from;
  std::int64_t bytes;
};

/// Where the array lies: nothing outside is read.
struct array_range {
  const std::byte* first;
  const std::byte* end;
};

namespace detail {

// An mbarrier in shared memory flips its phase when so many threads have arrived, and all the bytes have come that it
// was told to expect.
__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ inline void start_barrier(std::uint64_t* barrier, int threads) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(threads) : "memory");
}
__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("{\n .reg .b64 state;\n mbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(barrier))
               : "memory");
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define MULTIFOLD_MBARRIER_WAIT "mbarrier.test_wait"
__device__ inline void show_barriers() {}
#else
#define MULTIFOLD_MBARRIER_WAIT "mbarrier.try_wait"
__device__ inline void show_barriers() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#endif
/// Returns when the phase of this parity is complete.
__device__ inline void wait_for(std::uint64_t* barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile("{\n .reg .pred p;\n " MULTIFOLD_MBARRIER_WAIT
                 ".parity.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  }
}
#undef MULTIFOLD_MBARRIER_WAIT
/// Whole groups of 16 bytes, which lane `lane` of `lanes` asks for in turn with the others; the phase of the barrier
/// waits for them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_copy_engine = false;
__device__ inline void copy_vectors(std::byte* to, const std::byte* from, unsigned bytes, std::uint64_t* barrier,
                                    int lane, int lanes) {
  for (unsigned i = 16u * static_cast<unsigned>(lane); i < bytes; i += 16u * static_cast<unsigned>(lanes)) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + i)),
                 "l"(__cvta_generic_to_global(from + i))
                 : "memory");
  }
  // One arrival more to wait for, which comes when these copies have; the lane's own is still to come.
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
#else
inline constexpr bool has_copy_engine = true;
__device__ inline void copy_vectors(std::byte* to, const std::byte* from, unsigned bytes, std::uint64_t* barrier, int,
                                    int) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
#endif

}  // namespace detail

/// A piece on its way to `to`, which is as far behind a multiple of 16 as its first element. Lane `lane` of `lanes`
/// asks for its share, and has to arrive at the barrier behind it.
template <class T>
__device__ void copy_piece(std::byte* to, const tile_piece& piece, const array_range& array, std::uint64_t* barrier,
                           int lane = 0, int lanes = 1) {
  const auto behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(piece.from) % 16);
  const std::byte* const end = piece.from + piece.bytes;
  const std::byte *engine_first = end, *engine_last = end;  // what is copied by 16 bytes
  const auto rest = static_cast<int>(reinterpret_cast<std::uintptr_t>(end) % 16);
  const std::byte* const whole = piece.from - behind;
  const std::byte* const first = whole < array.first && behind != 0 ? whole + 16 : whole;
  const std::byte* const last = rest == 0 ? end : end - rest + (end - rest + 16 > array.end ? 0 : 16);
  if (last > first) {
    detail::copy_vectors(to + (first - piece.from), first, static_cast<unsigned>(last - first), barrier, lane, lanes);
    engine_first = first;
    engine_last = last;
  }
  if (lane != 0) return;
  const auto one = [&](const std::byte* p) {
    *reinterpret_cast<T*>(to + (p - piece.from)) = *reinterpret_cast<const T*>(p);
  };
  for (const std::byte* p = piece.from; p < engine_first && p < end; p += sizeof(T)) one(p);
  for (const std::byte* p = engine_last; p < end; p += sizeof(T)) one(p);
}

/// The same of a piece that a warp has together: for the lanes of which asks_for_piece.
template <class T>
__device__ void copy_piece_of_warp(std::byte* to, const tile_piece& piece, const array_range& array,
                                   std::uint64_t* barrier, int lane) {
  if constexpr (detail::has_copy_engine) copy_piece<T>(to, piece, array, barrier);
  else copy_piece<T>(to, piece, array, barrier, lane, 32);
}
__device__ inline bool asks_for_piece(int lane) { return !detail::has_copy_engine || lane == 0; }

}  // namespace multifold::inline v0_1::cuda::kernels
