// Files that NumPy wrote, read by us; files that we wrote, read by NumPy.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "io/formats/zip/inflater.hpp"
#include "io/scratch.hpp"
#include "multifold/array.hpp"

namespace multifold::inline v0_1::io {
namespace {

// Every element type, both byte orders, both memory orders, every version; beside each NAME.npy the elements in memory
// order and this machine's byte order (NAME.raw), and what the header should come to (NAME.txt).
constexpr std::string_view writer = R"(
import sys, numpy as np
folder = sys.argv[1]
ours = dict(b1='bool', i1='i8', i2='i16', i4='i32', i8='i64', u1='u8', u2='u16', u4='u32', u8='u64',
            f2='f16', f4='f32', f8='f64')
random = np.random.default_rng(7)
shapes = [(), (1,), (5,), (0,), (0, 3), (3, 4), (2, 3, 4), (1, 1, 7), (9,) + (1,) * 20]
for descr, name in ours.items():
    for order in '<>':
        for memory in 'CF':
            for i, shape in enumerate(shapes):
                size = int(np.prod(shape))
                flat = random.integers(0, 256, size * int(descr[1]), dtype=np.uint8)
                if descr == 'b1': flat %= 2
                array = np.asarray(flat.view(descr).reshape(shape), dtype=order + descr, order=memory)
                version = (1 + i % 3, 0)
                stem = f'{folder}/{descr}-{"le" if order == "<" else "be"}-{memory}-{i}'
                with open(stem + '.npy', 'wb') as file:
                    np.lib.format.write_array(file, array, version=version)
                fortran = array.flags.f_contiguous and not array.flags.c_contiguous
                with open(stem + '.raw', 'wb') as file:
                    file.write(array.astype('=' + descr).tobytes('F' if fortran else 'C'))
                with open(stem + '.txt', 'w') as file:
                    file.write(f'{name} {shape} {fortran}')
)";

constexpr std::string_view refused_writer = R"(
import sys, numpy as np
folder = sys.argv[1]
np.save(folder + '/object.npy', np.array([1, 'x', None], dtype=object))
np.save(folder + '/bytes.npy', np.array([b'x', b'yz']))
np.save(folder + '/text.npy', np.array(['x', 'yz']))
np.save(folder + '/complex.npy', np.ones(3, complex))
np.save(folder + '/date.npy', np.array(['2024-01-01'], 'datetime64[D]'))
np.save(folder + '/span.npy', np.array([1], 'timedelta64[ns]'))
np.save(folder + '/void.npy', np.zeros(3, 'V2'))
np.save(folder + '/long.npy', np.ones(3, np.longdouble))
np.save(folder + '/fields.npy', np.zeros(2, [('x', '<f4'), ('y', '<i8', (2,))]))
import warnings
warnings.simplefilter('ignore')
np.save(folder + '/names.npy', np.zeros(2, [('\u03b1', '<f4')]))
np.save(folder + '/many.npy', np.zeros(2, [(f'field{i}', '<f4') for i in range(4000)]))
)";

constexpr std::string_view archive_writer = R"(
import io, sys, zipfile, numpy as np
folder = sys.argv[1]
arrays = dict(rows=np.arange(12.0).reshape(3, 4), columns=np.asfortranarray(np.arange(6, dtype='>i4').reshape(2, 3)),
              number=np.float32(7), nothing=np.zeros((0, 3), 'u1'))
np.savez(folder + '/stored.npz', **arrays)
np.savez_compressed(folder + '/compressed.npz', **arrays)
np.savez(folder + '/unnamed.npz', np.arange(5))
with zipfile.ZipFile(folder + '/commented.npz', 'w') as file:
    file.comment = b'PK\x05\x06 is not the end'
    file.writestr('notes.txt', 'no array')
    data = io.BytesIO()
    np.save(data, arrays['rows'])
    file.writestr('rows.npy', data.getvalue())
)";

constexpr std::string_view reader = R"(
import io, sys, numpy as np
folder = sys.argv[1]
for line in open(folder + '/list.txt'):
    stem, numpy_name, shape = line.rstrip('\n').split(';')
    array = np.load(f'{folder}/{stem}.npy')
    assert array.dtype == np.dtype(numpy_name), (line, array.dtype)
    assert array.shape == eval(shape), (line, array.shape)
    assert array.tobytes() == open(f'{folder}/{stem}.raw', 'rb').read(), line
    file = io.BytesIO()
    np.save(file, array)
    assert file.getvalue() == open(f'{folder}/{stem}.npy', 'rb').read(), (line, 'differs from what NumPy writes')
)";

class numpy_test : public with_folder {
 protected:
  void SetUp() override {
    const char* chosen = std::getenv("MULTIFOLD_PYTHON");
    for (const std::string candidate : {chosen ? chosen : "", "python3", "/usr/bin/python3"}) {
      if (candidate.empty()) continue;
      python_ = candidate;
      if (run_python("import numpy") == 0) return;
    }
    GTEST_SKIP() << "SKIPPED: no Python with NumPy; set MULTIFOLD_PYTHON or install python3-numpy";
  }

  int run_python(std::string_view script) const {
    write("script.py", script);
    const bool quiet = script.starts_with("import numpy");
    return std::system(
        ("'" + python_ + "' '" + path("script.py") + "' '" + folder_.string() + "'" + (quiet ? " 2>/dev/null" : ""))
            .c_str());
  }

  std::string python_;
};

TEST_F(numpy_test, reads_all_that_numpy_writes) {
  ASSERT_EQ(run_python(writer), 0);
  int arrays = 0;
  for (const std::string& name : files()) {
    if (!name.ends_with(".npy")) continue;
    const std::string stem = path(name.substr(0, name.size() - 4));
    const auto in = open_npy(path(name));
    const array_layout& layout = in->layout();
    EXPECT_EQ(std::string(multifold::name(layout.type)) + " " + to_string(layout.extents) + " " +
                  (layout.fortran_order ? "True" : "False"),
              bytes_of(stem + ".txt"))
        << name;
    const std::string expected = bytes_of(stem + ".raw");
    std::string data(expected.size() + 8, '\0');
    const std::int64_t got = in->read(0, std::as_writable_bytes(std::span(data)));
    data.resize(static_cast<std::size_t>(got * item_bytes(layout.type)));
    EXPECT_EQ(data, expected) << name;
    ++arrays;
  }
  EXPECT_EQ(arrays, 12 * 2 * 2 * 9);
}

TEST_F(numpy_test, refuses_all_that_is_no_array_of_numbers) {
  ASSERT_EQ(run_python(refused_writer), 0);
  int refused = 0;
  for (const std::string& name : files()) {
    if (name.find(".np") == std::string::npos) continue;
    EXPECT_PRED2(says, error_of<unsupported_error>([&] { open_source(path(name), std::nullopt); }), name + ": byte ");
    ++refused;
  }
  EXPECT_EQ(refused, 11);
}

TEST_F(numpy_test, reads_the_archives_that_numpy_writes) {
  ASSERT_EQ(run_python(archive_writer), 0);
  const std::string stored = path("stored.npz");
  EXPECT_EQ(arrays_in(stored),
            (std::vector<std::string>{stored + ":rows", stored + ":columns", stored + ":number", stored + ":nothing"}));
  std::vector<double> numbers(12);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(read_all<double>(*open_source(stored + ":rows", std::nullopt)), numbers);
  const auto columns = open_source(stored + ":columns", std::nullopt);
  EXPECT_TRUE(columns->layout().fortran_order);
  EXPECT_EQ(read_all<std::int32_t>(*columns), (std::vector<std::int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(read_all<float>(*open_source(stored + ":number", std::nullopt)), std::vector<float>{7});
  EXPECT_EQ(open_source(stored + ":nothing", std::nullopt)->layout().extents, (std::vector<std::int64_t>{0, 3}));

  EXPECT_EQ(read_all<std::int64_t>(*open_source(path("unnamed.npz"), std::nullopt)).size(), 5u);
  EXPECT_EQ(read_all<double>(*open_source(path("commented.npz"), std::nullopt)), numbers);
  EXPECT_EQ(arrays_in(path("compressed.npz")).size(), 4u);
  if (!inflater::is_here()) return;
  EXPECT_EQ(read_all<double>(*open_source(path("compressed.npz:rows"), std::nullopt)), numbers);
  EXPECT_EQ(read_all<std::int32_t>(*open_source(path("compressed.npz:columns"), std::nullopt)),
            (std::vector<std::int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(read_all<float>(*open_source(path("compressed.npz:number"), std::nullopt)), std::vector<float>{7});
  EXPECT_EQ(open_source(path("compressed.npz:nothing"), std::nullopt)->layout().extents,
            (std::vector<std::int64_t>{0, 3}));
}

TEST_F(numpy_test, writes_what_numpy_reads_and_would_have_written) {
  constexpr std::array<std::pair<dtype, const char*>, 12> types{{{dtype::boolean, "bool"},
                                                                 {dtype::i8, "int8"},
                                                                 {dtype::i16, "int16"},
                                                                 {dtype::i32, "int32"},
                                                                 {dtype::i64, "int64"},
                                                                 {dtype::u8, "uint8"},
                                                                 {dtype::u16, "uint16"},
                                                                 {dtype::u32, "uint32"},
                                                                 {dtype::u64, "uint64"},
                                                                 {dtype::f16, "float16"},
                                                                 {dtype::f32, "float32"},
                                                                 {dtype::f64, "float64"}}};
  std::string list;
  for (const auto& [type, numpy_name] : types) {
    int number = 0;
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {1}, {0, 3}, {7, 5}, {2, 3, 4}, std::vector<std::int64_t>(30, 1)}) {
      std::string data(static_cast<std::size_t>(element_count(shape) * item_bytes(type)), '\x01');
      const std::string stem = std::string(numpy_name) + "-" + std::to_string(number++);
      multifold::write_npy(path(stem + ".npy"), type, shape, std::as_bytes(std::span(data)));
      write(stem + ".raw", data);
      list += stem + ";" + numpy_name + ";" + to_string(shape) + "\n";
    }
  }
  write("list.txt", list);
  EXPECT_EQ(run_python(reader), 0);
}

}  // namespace
}  // namespace multifold::inline v0_1::io
