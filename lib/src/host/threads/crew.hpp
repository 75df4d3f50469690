// The thread pool: threads that wait for work between calls, so that a small array does not pay for starting them.
#pragma once

#include <functional>

namespace multifold::inline v0_1::host {

/// Calls `job(worker)` for up to `size` values of worker, 0 (this thread) included, at the same time, and returns when
/// all of them are done. Fewer may run where threads are short or busy with other callers: a job must not wait for a
/// worker that has not started. Any number of callers may be inside at once.
/// Numerics: jobs run in the default floating-point environment, whatever the caller's is; that is as before
/// afterwards. Throws: what the first job to fail threw.
void run_crew(int size, const std::function<void(int worker)>& job);

}  // namespace multifold::inline v0_1::host
