// Files by their names, and chunks that Python makes: iterators, and what gives rows.
#include "arguments/python_source.hpp"

#include <algorithm>
#include <cstring>

#include "arguments/taken_array.hpp"

namespace multifold::python {
namespace {

bool is_path(nb::handle object) { return nb::isinstance<nb::str>(object) || nb::hasattr(object, "__fspath__"); }
bool is_iterator(nb::handle object) { return PyIter_Check(object.ptr()) != 0; }
bool is_arrow_chunks(nb::handle object) { return nb::hasattr(object, "iterchunks"); }  // a pyarrow.ChunkedArray
bool has_rows(nb::handle object) {
  return nb::hasattr(object, "shape") && nb::hasattr(object, "dtype") && nb::hasattr(object, "__getitem__");
}

// An object that is let go of with the GIL, from whichever thread the source dies in.
struct kept {
  nb::object object;
  ~kept() {
    nb::gil_scoped_acquire gil;
    object.reset();
  }
};

// The elements of `chunk` in row-major order and in this machine's byte order.
nb::object as_dense(nb::handle chunk, dtype type) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (is_masked(chunk)) raise_type_error("multifold takes no masked arrays, whose masks it would ignore");
  const nb::object array = numpy.attr("asarray")(chunk);
  if (dtype_from(array.attr("dtype")) != type) {
    raise_type_error("a chunk of " + numpy_name(dtype_from(array.attr("dtype"))) + " after one of " + numpy_name(type));
  }
  const nb::object native = array.attr("astype")(scalar_type(type), nb::arg("copy") = false);
  return numpy.attr("ravel")(native);
}

// Elements that have been fetched and wait to be copied.
class fetched {
 public:
  explicit fetched(dtype type) : type_(type) {}

  void set(nb::handle chunk) {
    array_.reset();
    array_.emplace(as_dense(chunk, type_));
    next_ = 0;
  }

  std::int64_t left() const noexcept { return array_ ? array_->view().elements() - next_ : 0; }

  std::int64_t copy_to(std::span<std::byte> chunk) {
    const std::int64_t item = item_bytes(type_), room = static_cast<std::int64_t>(chunk.size()) / item;
    const std::int64_t count = std::min(room, left());
    const auto* from = static_cast<const std::byte*>(array_->view().data) + next_ * item;
    std::memcpy(chunk.data(), from, static_cast<std::size_t>(count * item));
    next_ += count;
    return count;
  }

  void clear() { array_.reset(); }

 private:
  dtype type_;
  std::optional<taken_array> array_;
  std::int64_t next_ = 0;
};

// Brings elements out of what `next_chunk` returns, chunk by chunk, until it returns null.
template <class NextChunk>
class chunks {
 public:
  chunks(dtype type, NextChunk next_chunk) : state_(std::make_shared<state>(type, std::move(next_chunk))) {}

  std::int64_t operator()(std::int64_t, std::span<std::byte> memory) {
    nb::gil_scoped_acquire gil;
    while (state_->now.left() == 0) {
      const nb::object chunk = state_->next_chunk();
      if (!chunk.is_valid()) return 0;
      state_->now.set(chunk);
    }
    const std::int64_t count = state_->now.copy_to(memory);
    if (state_->now.left() == 0) state_->now.clear();
    return count;
  }

 private:
  struct state {
    state(dtype type, NextChunk next) : now(type), next_chunk(std::move(next)) {}
    ~state() {
      nb::gil_scoped_acquire gil;
      now.clear();
    }
    fetched now;
    NextChunk next_chunk;
  };
  std::shared_ptr<state> state_;
};

// What the iterator gives next; null at its end.
nb::object next_of(nb::handle iterator) {
  nb::object chunk = nb::steal(PyIter_Next(iterator.ptr()));
  if (!chunk.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
  return chunk;
}

std::unique_ptr<source> from_iterator(nb::handle iterator) {
  const nb::object first = next_of(iterator);
  if (!first.is_valid())
    throw nb::value_error(
        "the iterator has no chunk, and so no dtype: multifold.State(op, dtype) knows the value of no elements");
  const dtype type = dtype_from(nb::module_::import_("numpy").attr("asarray")(first).attr("dtype"));
  const auto rest = std::make_shared<kept>(nb::borrow(iterator)), head = std::make_shared<kept>(first);
  const auto next_chunk = [rest, head]() -> nb::object {
    if (head->object.is_valid()) return std::move(head->object);
    return next_of(rest->object);
  };
  return make_source("iterator", {type, {-1}, false}, chunks(type, next_chunk));
}

std::unique_ptr<source> from_rows(nb::handle array) {
  const dtype type = dtype_from(array.attr("dtype"));
  std::vector<std::int64_t> extents;
  for (nb::handle extent : nb::object(array.attr("shape"))) extents.push_back(nb::cast<std::int64_t>(extent));
  const nb::object rows = nb::module_::import_("multifold._chunked").attr("rows")(array);
  const auto next_chunk = [all = std::make_shared<kept>(rows)]() { return next_of(all->object); };
  return make_source("rows", {type, extents, false}, chunks(type, next_chunk));
}

}  // namespace

bool is_source(nb::handle object) {
  if (is_path(object) || is_iterator(object)) return true;
  if (is_arrow_chunks(object)) return true;
  return !taken_array::fits(object) && !nb::hasattr(object, "to_numpy") && has_rows(object);
}

std::unique_ptr<source> source_from(nb::handle object) {
  if (is_path(object)) {
    const nb::bytes path(nb::object(nb::module_::import_("os").attr("fsencode")(object)));
    return open_source(std::string(path.c_str(), path.size()), std::nullopt);
  }
  if (is_arrow_chunks(object))
    return from_iterator(nb::object(nb::module_::import_("multifold._columns").attr("arrays_of")(object)));
  return is_iterator(object) ? from_iterator(object) : from_rows(object);
}

}  // namespace multifold::python
