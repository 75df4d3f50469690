// A call of the library whose exceptions become an outcome.
#pragma once

#include <exception>

#include "agreement/worker.hpp"
#include "multifold/correction.hpp"
#include "multifold/error.hpp"
#include "multifold/reduction.hpp"

namespace multifold::agreement {

template <class Call>
outcome attempt(const Call& call) {
  outcome got;
  const auto refused = [&](outcome::kind kind, const std::exception& problem) {
    got.what = kind;
    got.message = problem.what();
  };
  try {
    call(got);
  } catch (const unsupported_error& problem) {
    refused(outcome::kind::unsupported, problem);
  } catch (const shape_error& problem) {
    refused(outcome::kind::shape, problem);
  } catch (const overflow_error& problem) {
    refused(outcome::kind::overflow, problem);
  } catch (const out_of_memory& problem) {
    refused(outcome::kind::memory, problem);
  } catch (const std::exception& problem) {
    refused(outcome::kind::other, problem);
  }
  return got;
}

/// For entries that take plans.
inline reduction reduction_of(const trial& t) {
  reduction what = make_reduction(t.op, t.type, t.nan, t.wanted.value_or(accuracy::exact));
  if (t.result) what.result = *t.result;
  what.initial = initial_of(t);
  what.correction = correction(t.correction).held();
  return what;
}

}  // namespace multifold::agreement
