// A communicator as reductions over ranks use it: packets of any size, apart from the messages of its owner, and the
// errors of MPI as exceptions. Nothing here knows what is reduced.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/mpi/outcome.hpp"

namespace multifold::inline v0_1::detail::mpi {

/// Throws error with MPI's text. A communicator whose errors are fatal, as they are by default, never returns one.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw error(std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

inline int free_duplicate(MPI_Comm, int, void* held, void*) {
  const std::unique_ptr<MPI_Comm> duplicate(static_cast<MPI_Comm*>(held));
  return MPI_Comm_free(duplicate.get());
}

/// The duplicate of `comm` that packets go through, made by the first call on it, and freed with it.
inline MPI_Comm duplicate_of(MPI_Comm comm) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  MPI_Comm* held = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, key, static_cast<void*>(&held), &found), "MPI_Comm_get_attr");
  if (!found) {
    auto made = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
    check_mpi(MPI_Comm_dup(comm, made.get()), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_attr(comm, key, made.get()), "MPI_Comm_set_attr");
    held = made.release();
  }
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;  // that of `comm` now
  check_mpi(MPI_Comm_get_errhandler(comm, &handler), "MPI_Comm_get_errhandler");
  check_mpi(MPI_Comm_set_errhandler(*held, handler), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
  return *held;
}

/// The bytes of a state, or the text of a failure.
struct packet {
  failure_kind kind = failure_kind::none;
  std::vector<std::byte> body;
};

/// Sends and receives packets of ranks of a communicator.
///
/// A packet begins with its head: kind and length, and as much of the body as there is room for, which is most states
/// of one result. If there is more, the receiver says first whether it has the memory, so that no message is left over.
class channel {
 public:
  /// Throws: error if MPI is not initialised, or `comm` is null; unsupported_error for intercommunicators.
  explicit channel(MPI_Comm comm, std::size_t most_message_bytes = std::size_t{1} << 30) : most_(most_message_bytes) {
    int initialized = 0, between = 0;
    check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (!initialized) throw error("MPI is not initialised: call MPI_Init first");
    if (comm == MPI_COMM_NULL) throw error("the communicator is MPI_COMM_NULL");
    check_mpi(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
    if (between)
      throw unsupported_error("an intercommunicator has two groups of ranks: MPI_Intercomm_merge joins them");
    comm_ = duplicate_of(comm);
    check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  void send(const packet& p, int to) const {
    const head first = head_of(p);
    const std::size_t length = p.body.size();
    const auto used = static_cast<int>(header_bytes + std::min(length, room));
    check_mpi(MPI_Send(first.data(), used, MPI_BYTE, to, tag, comm_), "MPI_Send");
    if (length <= room) return;
    int ready = 0;
    check_mpi(MPI_Recv(&ready, 1, MPI_INT, to, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    for (std::size_t at = room; ready && at < length; at += most_) {
      const auto count = static_cast<int>(std::min(most_, length - at));
      check_mpi(MPI_Send(p.body.data() + at, count, MPI_BYTE, to, tag, comm_), "MPI_Send");
    }
  }

  packet receive(int from) const {
    head first{};
    check_mpi(MPI_Recv(first.data(), head_bytes, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    packet p;
    const std::uint64_t length = number_at(first, 0);
    const int ready = begin(p, first) ? 1 : 0;
    if (length > room) check_mpi(MPI_Send(&ready, 1, MPI_INT, from, tag, comm_), "MPI_Send");
    if (!ready) return out_of_memory_on(rank_, length);
    for (std::size_t at = room; at < length; at += most_) {
      const auto count = static_cast<int>(std::min<std::uint64_t>(most_, length - at));
      check_mpi(MPI_Recv(p.body.data() + at, count, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    }
    return p;
  }

  /// That of rank 0, on every rank.
  packet broadcast(packet p) const {
    head first = rank_ == 0 ? head_of(p) : head{};
    check_mpi(MPI_Bcast(first.data(), head_bytes, MPI_BYTE, 0, comm_), "MPI_Bcast");
    const std::uint64_t length = number_at(first, 0);
    const bool ready = rank_ == 0 || begin(p, first);
    if (length <= room) return ready ? std::move(p) : out_of_memory_on(rank_, length);

    int lacking = ready ? size_ : rank_, least = 0;  // the first rank without memory
    check_mpi(MPI_Allreduce(&lacking, &least, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
    if (least < size_) return out_of_memory_on(least, length);
    for (std::size_t at = room; at < length; at += most_) {
      const auto count = static_cast<int>(std::min<std::uint64_t>(most_, length - at));
      check_mpi(MPI_Bcast(p.body.data() + at, count, MPI_BYTE, 0, comm_), "MPI_Bcast");
    }
    return p;
  }

 private:
  static constexpr int head_bytes = 2048, tag = 0;  // which MPI sends without asking first
  static constexpr std::size_t header_bytes = 16, room = head_bytes - header_bytes;
  using head = std::array<std::byte, head_bytes>;

  // Little-endian, as states are.
  static std::uint64_t number_at(const head& h, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(h[at + i]);
    return value;
  }
  static void put_number(head& h, std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) h[at + i] = static_cast<std::byte>(value >> 8 * i);
  }

  static head head_of(const packet& p) {
    head h{};
    put_number(h, 0, p.body.size());
    put_number(h, 8, static_cast<std::uint64_t>(p.kind));
    std::copy_n(p.body.begin(), std::min(p.body.size(), room), h.begin() + header_bytes);
    return h;
  }

  // Whether there is memory for the body, whose first bytes are there then.
  static bool begin(packet& p, const head& h) {
    const std::uint64_t length = number_at(h, 0);
    p.kind = static_cast<failure_kind>(number_at(h, 8));
    try {
      p.body.resize(length);
    } catch (const std::bad_alloc&) {
      return false;
    } catch (const std::length_error&) {
      return false;
    }
    std::copy_n(h.begin() + header_bytes, std::min<std::uint64_t>(length, room), p.body.begin());
    return true;
  }

  static packet out_of_memory_on(int rank, std::uint64_t bytes) {
    const std::string text =
        "rank " + std::to_string(rank) + ": no memory for a state of " + std::to_string(bytes) + " bytes";
    packet p{failure_kind::out_of_memory, std::vector<std::byte>(text.size())};
    std::memcpy(p.body.data(), text.data(), text.size());
    return p;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t most_;
  int rank_ = 0, size_ = 1;
};

}  // namespace multifold::inline v0_1::detail::mpi
