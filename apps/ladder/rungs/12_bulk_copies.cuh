// Rung 12: the bulk copy engine fills a ring of tiles in shared memory.
//
// Since Hopper, one thread can ask for kilobytes: cp.async.bulk copies them from global to shared memory, by an engine
// of the SM, while all threads do other things. No registers are taken and no addresses computed for it.
// An mbarrier, an object in shared memory, tells when a copy is complete: the thread says how many bytes are to come,
// the engine counts them down, and when none is missing the barrier's phase flips. Threads wait for that flip.
//
// The ring has three stages, each with an mbarrier and a tile of 32 KiB. While the threads add the tile of one stage,
// the copies for the other two are under way. When all threads are done with a tile, which a __syncthreads() says, its
// stage is free, and the next copy may overwrite it. A stage is used again and again, so the phase that is waited for
// alternates: its parity is that of the turn.
//
// Each block takes a run of neighbouring tiles. On an H200 that is up to half a percent faster than dealing them in
// turn, tile by tile, and a seventh faster than blocks that claim the next tile with an atomic counter, whose result
// would also have other bits in each run.
//
// Copies are of whole multiples of 16 bytes between multiples of 16. The elements in front of and behind the whole
// tiles are read as in rung 11, and the last block that is done adds what the blocks leave, as in rung 10d.
// Defect: at this rate the memory is the limit, and only the memory. What is left is around the kernel.
// Next: the launches themselves (13_graph.cuh), the way of the data to the GPU (13_host_array.cuh), and the sum itself,
// which is still a rounded one (14_exact.cuh).
#pragma once

#include "10d_last_block.cuh"
#include "11_vectors.cuh"
#include "multifold/cuda/work_queue.hpp"

namespace multifold::ladder::gpu {

inline constexpr int stages = 3, stage_bytes = 32 << 10;

// PTX, the GPU's assembly language: CUDA C++ has no words for these. They name shared memory by 32-bit addresses.
#if __CUDA_ARCH__ >= 900
__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// One thread arrives at the barrier in each phase. The fence shows the barrier to the copy engine.
__device__ inline void start_barrier(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// The calling thread arrives, and the phase flips when so many bytes have come, too.
__device__ inline void expect_bytes(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

__device__ inline void start_copy(void* to, const void* from, unsigned bytes, std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

/// Returns when the phase of this parity is complete.
__device__ inline void wait_for(std::uint64_t* barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  }
}
#endif

/// Elements of one array in a stage.
template <class Op>
constexpr int tile_elements = stage_bytes / (Op::two_arrays ? 2 : 1) /
                              static_cast<int>(sizeof(typename Op::value_type));

template <class Op>
__global__ void __launch_bounds__(most_threads)
    bulk_copies(elements<Op> in, std::int64_t n, typename Op::acc* parts, unsigned* arrivals, typename Op::acc* out) {
#if __CUDA_ARCH__ >= 900
  using value = typename Op::value_type;
  constexpr int width = vector<value>::width, tile = tile_elements<Op>, bytes = tile * sizeof(value);
  extern __shared__ __align__(128) unsigned char ring[];
  __shared__ std::uint64_t full[stages];
  const std::int64_t head = misaligned_head(in, n), tiles = (n - head) / tile;
  const std::int64_t each = (tiles + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each;
  const std::int64_t count = ::max(std::int64_t{0}, ::min(each, tiles - first));
  // Asks for the k-th tile of this block.
  const auto ask = [&](std::int64_t k) {
    if (k >= count) return;
    const std::int64_t t = first + k;
    const int at = static_cast<int>(k % stages);
    expect_bytes(&full[at], stage_bytes);
    start_copy(ring + at * stage_bytes, in.x + head + t * tile, bytes, &full[at]);
    if (Op::two_arrays) start_copy(ring + at * stage_bytes + bytes, in.y + head + t * tile, bytes, &full[at]);
  };
  if (threadIdx.x == 0) {
    for (std::uint64_t& barrier : full) start_barrier(&barrier);
    for (int k = 0; k < stages; ++k) ask(k);
  }
  __syncthreads();  // no thread waits at a barrier that has not been started
  typename Op::acc mine = Op::identity();
  for (std::int64_t k = 0; k < count; ++k) {
    const int at = static_cast<int>(k % stages);
    const auto* const x = reinterpret_cast<const value*>(ring + at * stage_bytes);
    const auto* const y = Op::two_arrays ? x + tile : x;
    wait_for(&full[at], static_cast<unsigned>(k / stages % 2));
    for (int i = threadIdx.x * width; i < tile; i += blockDim.x * width) {
      mine = fold_vector<Op>(mine, load_vector(x + i), load_vector(y + i));
    }
    __syncthreads();
    if (threadIdx.x == 0) ask(k + stages);
  }
  mine = reduce_block<Op>(Op::combine(mine, fold_ends(in, n, head, head + tiles * tile)));
  finish_in_last_block<Op>(mine, parts, arrivals, out);
#endif
}

template <class Op>
void launch_bulk_copies(const run<Op>& r) {
  constexpr int ring_bytes = stages * stage_bytes;
  const auto kernel = bulk_copies<Op>;
  cuda::allow_shared_bytes(reinterpret_cast<const void*>(kernel), ring_bytes);  // more than the 48 KiB of every kernel
  const std::int64_t most = resident_blocks(kernel, r.threads, ring_bytes, r.multiprocessors);
  const std::int64_t blocks = std::min(most, ceil_div(r.count, tile_elements<Op>));
  kernel<<<static_cast<unsigned>(blocks), r.threads, ring_bytes, r.stream>>>(r.all(), r.count, r.space[0], r.arrivals,
                                                                             r.result);
  check_launch();
}

}  // namespace multifold::ladder::gpu
