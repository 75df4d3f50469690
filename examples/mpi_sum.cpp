// Reductions over the ranks of an MPI program. mpirun -n 4 mpi_sum prints what one process does, but for the last line.
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <multifold/mpi.hpp>
#include <vector>

namespace mf = multifold;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // Elements begin, begin + 1, ... of a million numbers, whatever the number of ranks.
  constexpr std::int64_t n = 1'000'000;
  const std::int64_t begin = n * rank / ranks, end = n * (rank + 1) / ranks;
  std::vector<double> x;
  double rounded = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    x.push_back(std::ldexp(static_cast<double>(i % 1000 - 500), static_cast<int>(i % 89)));
    rounded += x.back();
  }
  double plain = 0;  // depends on the number of ranks
  MPI_Allreduce(&rounded, &plain, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  const double sum = mf::reduce(mf::op_kind::sum, x, MPI_COMM_WORLD).value<double>();
  const auto greatest = mf::reduce(mf::op_kind::argmax, x, MPI_COMM_WORLD).value<std::int64_t>();
  const mf::state spread = mf::allreduce(mf::reduce_to_state(mf::op_kind::var, x), MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("sum %.17g, the greatest is element %lld\n", sum, static_cast<long long>(greatest));
    std::printf("deviation %.17g of %lld elements\n", spread.finish(mf::op_kind::std).value<double>(),
                static_cast<long long>(spread.count()));
    std::printf("MPI_SUM %.17g\n", plain);
  }
  MPI_Finalize();
}

// sum -3.3651028824203851e+30, the greatest is element 88999
// deviation 1.0933736216074238e+28 of 1000000 elements
// MPI_SUM -3.3651028824196432e+30
