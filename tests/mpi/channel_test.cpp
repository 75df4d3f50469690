// Packets between ranks: of any size, in chunks, apart from the program's messages, and refused where memory ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace multifold {
namespace {

using detail::mpi::channel;
using detail::mpi::failure_kind;
using detail::mpi::packet;

packet numbered(std::size_t bytes) {
  packet p;
  for (std::size_t i = 0; i < bytes; ++i) p.body.push_back(static_cast<std::byte>(i * 31));
  return p;
}

std::string text_of(const packet& p) { return {reinterpret_cast<const char*>(p.body.data()), p.body.size()}; }

TEST(mpi_channel, packets_of_any_size_arrive_in_chunks) {
  for (const std::size_t most : {std::size_t{1000}, std::size_t{1} << 30}) {
    const channel ranks(MPI_COMM_WORLD, most);
    for (const std::size_t bytes : {0, 1, 2031, 2032, 2033, 3032, 3033, 100'000}) {
      const packet sent = numbered(bytes);
      if (ranks.rank() == 1) ranks.send(sent, 0);
      if (ranks.rank() == 0 && ranks.size() > 1) {
        EXPECT_EQ(ranks.receive(1).body, sent.body);
      }
      EXPECT_EQ(ranks.broadcast(ranks.rank() == 0 ? sent : packet{}).body, sent.body);
    }
  }
}

TEST(mpi_channel, states_of_many_results_merge_in_chunks) {
  const channel ranks(MPI_COMM_WORLD, 1000);
  const auto x = wild<double>(8 * 200);
  const auto whole = reduce_to_state(op_kind::sum, make_view(x.data(), {8, 200}), {.axes = {0}});
  const part rows = part_of(cuts(8)[0]);
  const auto mine = make_view(x.data() + rows.first * 200, {rows.count, 200});
  const auto make = [&] { return reduce_to_state(op_kind::sum, mine, {.axes = {0}}); };
  const state made =
      detail::mpi::merge_ranks(detail::mpi::attempt("", make), ranks, detail::mpi::rank_order::end_to_end);
  EXPECT_EQ(made.bytes(), whole.bytes());
}

TEST(mpi_channel, messages_of_the_program_stay_apart) {
  const int size = ranks_of_world(), next = (rank_of_world() + 1) % size;
  int sent = 1000 + rank_of_world(), found = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&found, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  const std::vector<float> x(10, 1.0f);
  EXPECT_EQ(reduce(op_kind::sum, x, MPI_COMM_WORLD).value<float>(), static_cast<float>(10 * size));
  MPI_Send(&sent, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(found, 1000 + (rank_of_world() + size - 1) % size);
}

// The head of a packet that is longer than any memory, by the bytes that a rank would send.
std::array<std::byte, 2048> endless() {
  std::array<std::byte, 2048> head{};
  head[6] = std::byte{1};  // 2^48 bytes
  return head;
}

TEST(mpi_channel, memory_that_cannot_be_had_is_refused_by_the_receiver) {
  const channel ranks(MPI_COMM_WORLD);
  const auto head = endless();
  if (ranks.rank() == 1) {
    int ready = 1;
    MPI_Send(head.data(), 2048, MPI_BYTE, 0, 0, detail::mpi::duplicate_of(MPI_COMM_WORLD));
    MPI_Recv(&ready, 1, MPI_INT, 0, 0, detail::mpi::duplicate_of(MPI_COMM_WORLD), MPI_STATUS_IGNORE);
    EXPECT_EQ(ready, 0);
  }
  if (ranks.rank() == 0 && ranks.size() > 1) {
    const packet found = ranks.receive(1);
    EXPECT_EQ(found.kind, failure_kind::out_of_memory);
    EXPECT_EQ(text_of(found), "rank 0: no memory for a state of 281474976710656 bytes");
  }
  EXPECT_EQ(ranks.broadcast(numbered(5000)).body.size(), 5000u);
}

TEST(mpi_channel, memory_that_cannot_be_had_is_refused_by_all) {
  const channel ranks(MPI_COMM_WORLD);
  if (ranks.size() == 1) return;
  if (ranks.rank() == 0) {  // as broadcast() does
    auto head = endless();
    int lacking = ranks.size(), least = 0;
    MPI_Bcast(head.data(), 2048, MPI_BYTE, 0, detail::mpi::duplicate_of(MPI_COMM_WORLD));
    MPI_Allreduce(&lacking, &least, 1, MPI_INT, MPI_MIN, detail::mpi::duplicate_of(MPI_COMM_WORLD));
    EXPECT_EQ(least, 1);
    return;
  }
  const packet found = ranks.broadcast({});
  EXPECT_EQ(found.kind, failure_kind::out_of_memory);
  EXPECT_EQ(text_of(found), "rank 1: no memory for a state of 281474976710656 bytes");
}

TEST(mpi_channel, errors_that_the_communicator_returns_are_exceptions) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const channel fatal(comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);  // after the first call, too
  const channel ranks(comm);
  const std::string text = thrown<error>([&] { ranks.send({}, ranks.size()); });
  EXPECT_EQ(text.find("MPI_Send failed: "), 0u) << text;
  EXPECT_NE(text.find("rank"), std::string::npos) << text;
  MPI_Comm_free(&comm);
}

int duplicates_freed = 0;

TEST(mpi_channel, a_duplicate_is_made_once_and_freed_with_its_communicator) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const MPI_Comm duplicate = detail::mpi::duplicate_of(comm);
  EXPECT_EQ(detail::mpi::duplicate_of(comm), duplicate);
  int key = MPI_KEYVAL_INVALID;
  const auto count = [](MPI_Comm, int, void*, void*) {
    ++duplicates_freed;
    return MPI_SUCCESS;
  };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count, &key, nullptr);
  MPI_Comm_set_attr(duplicate, key, nullptr);
  MPI_Comm_free(&comm);
  EXPECT_EQ(duplicates_freed, 1);
  MPI_Comm_free_keyval(&key);
}

}  // namespace
}  // namespace multifold
