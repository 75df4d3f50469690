// Work without the GIL, which Ctrl-C ends.
#pragma once

#include <functional>
#include <stop_token>

namespace multifold::python {

/// Calls `work` with the GIL released; if it is `long_work`, on another thread, while this one looks for signals: what
/// a handler raises, such as KeyboardInterrupt, stops the work and is thrown.
void without_gil(bool long_work, const std::function<void(std::stop_token)>& work);

}  // namespace multifold::python
