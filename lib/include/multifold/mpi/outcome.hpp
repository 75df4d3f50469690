// What a rank brings to a reduction over ranks: its state, or why it has none. All ranks throw the same error then.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/state.hpp"

namespace multifold::inline v0_1::detail::mpi {

/// Which exception of error.hpp it was; what is not in the library's tree is other.
enum class failure_kind : std::uint8_t {
  none,
  other,
  shape,
  format,
  io,
  unsupported,
  engine,
  overflow,
  out_of_memory,
  cancelled,
};

struct rank_failure {
  failure_kind kind = failure_kind::none;
  std::string text;
};

/// The exception that is being handled, as one of `who`, "rank 3".
inline rank_failure current_failure(const std::string& who) {
  const auto made = [&](failure_kind kind, const char* what) { return rank_failure{kind, who + ": " + what}; };
  try {
    throw;
  } catch (const engine_error& e) {  // before what it derives from
    return made(failure_kind::engine, e.what());
  } catch (const unsupported_error& e) {
    return made(failure_kind::unsupported, e.what());
  } catch (const shape_error& e) {
    return made(failure_kind::shape, e.what());
  } catch (const format_error& e) {
    return made(failure_kind::format, e.what());
  } catch (const io_error& e) {
    return made(failure_kind::io, e.what());
  } catch (const overflow_error& e) {
    return made(failure_kind::overflow, e.what());
  } catch (const out_of_memory& e) {
    return made(failure_kind::out_of_memory, e.what());
  } catch (const cancelled_error& e) {
    return made(failure_kind::cancelled, e.what());
  } catch (const std::bad_alloc&) {
    return made(failure_kind::out_of_memory, "host memory could not be had");
  } catch (const std::exception& e) {
    return made(failure_kind::other, e.what());
  } catch (...) {
    return made(failure_kind::other, "an exception that is no std::exception");
  }
}

[[noreturn]] inline void throw_failure(const rank_failure& failure) {
  switch (failure.kind) {
    case failure_kind::shape: throw shape_error(failure.text);
    case failure_kind::format: throw format_error(failure.text);
    case failure_kind::io: throw io_error(failure.text);
    case failure_kind::unsupported: throw unsupported_error(failure.text);
    case failure_kind::engine: throw engine_error(failure.text);
    case failure_kind::overflow: throw overflow_error(failure.text);
    case failure_kind::out_of_memory: throw out_of_memory(failure.text);
    case failure_kind::cancelled: throw cancelled_error(failure.text);
    case failure_kind::none:
    case failure_kind::other: break;
  }
  throw error(failure.text);
}

/// A state, unless there is a failure.
struct rank_outcome {
  std::optional<state> value;
  rank_failure failure;
};

/// What `make` returns, or what it throws as a failure of `who`.
template <class Make>
rank_outcome attempt(const std::string& who, const Make& make) {
  try {
    return {make(), {}};
  } catch (...) {
    return {std::nullopt, current_failure(who)};
  }
}

}  // namespace multifold::inline v0_1::detail::mpi
