// The library's fold over arrays in memory.
#include "functions/logsumexp.hpp"

#include "arguments/python_source.hpp"
#include "arguments/taken_array.hpp"
#include "calls/results.hpp"
#include "functions/folded.hpp"
#include "multifold/logsumexp.hpp"

namespace multifold::python {

nb::object logsumexp_of(nb::handle x, const keywords& given) {
  const settings set = settings_from(given);
  refuse_options("logsumexp", set.options);
  if (is_source(x)) raise_type_error("logsumexp is that of arrays in memory");
  const taken_array array(x);
  const array_view& view = array.view();
  if (!is_floating(view.type)) raise_type_error("logsumexp of integers: x.astype('float64') has one");
  reduce_result result;
  without_gil(is_long(view), [&](std::stop_token stop) {
    fold_options how = fold_options_from(set.options);
    how.stop = std::move(stop);
    visit_floating(view.type, [&]<class T>() { result = result_of(fold(logsumexp_fold<T>{}, view, how)); });
  });
  return result_object(result, x, set.as_number);
}

}  // namespace multifold::python
