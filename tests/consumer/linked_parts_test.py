"""What programs take of the archive: the parts of the CPU engine that they name, and no others."""

import pathlib
import re
import shutil
import tempfile
import unittest

import consumer

ARCHIVE = consumer.PREFIX / "lib/libmultifold.a"
PARTS = set(re.findall(r"\w+(?=[,;])", " ".join(re.findall(
    r"^MULTIFOLD_EXPORT engine_part [\w, \n]+;", (consumer.OPTIONS.source / "lib/include/multifold/engine_parts.hpp").read_text(), re.M))))
# What a large array may need on its way: a sum to measure the machine by, and counts of marks.
ALWAYS = {"f32_exact_sum", "tallies"}
REALS = ("f16", "bf16", "f32", "f64")

# A call, and the parts that it names.
CALLS = {
    "sum(x)": {"integer_sum_fold", *(f"{real}_exact_sum" for real in REALS)},
    "prod(x)": {"integer_product_fold", "real_product"},
    "min(x)": {"integer_extremum", "real_extremum"},
    "minmax(x)": {"integer_extremum", "real_extremum"},
    "argmax(x)": {"integer_arg_extremum", "real_arg_extremum"},
    "count_nonzero(x)": {"tallies"},
    "dot(x, x)": {"integer_moments", *(f"{real}_moments" for real in REALS)},
}

# Short arrays, and long ones, whose way through the library is another.
PROGRAM = """
#include <multifold/multifold.hpp>
template <class T>
void reduce() {
  for (const std::size_t count : {std::size_t{3}, std::size_t{1} << 20}) {
    const std::vector<T> x(count);
    multifold::CALL;
  }
}
int main() {
  reduce<std::int32_t>(), reduce<multifold::f16>(), reduce<multifold::bf16>(), reduce<float>(), reduce<double>();
}
"""
SUM_OF_FLOATS = """
#include <multifold/multifold.hpp>
int main(int argc, char**) { return multifold::sum(std::vector<float>(static_cast<std::size_t>(argc))) != 0; }
"""
UNLINKED = """
#include <multifold/multifold.hpp>
int main() {
  float x[2] = {}, product;
  try {
    multifold::detail::reduce_views({multifold::op_kind::prod, multifold::host::f32_exact_sum}, multifold::as_view(x), nullptr, 0, &product);
  } catch (const multifold::unsupported_error&) {
    return 3;
  }
}
"""


def pkg_config(*words):
    return consumer.run("pkg-config", *words, "multifold", PKG_CONFIG_PATH=str(consumer.PREFIX / "lib/pkgconfig"))


class Scratch:
    """A folder in which programs are linked with the archive."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def link(self, text, *options):
        source, program = self.folder / "program.cpp", self.folder / "program"
        source.write_text(text)
        libraries = pkg_config("--static", "--libs")
        consumer.run(consumer.OPTIONS.cxx, *consumer.FLAGS, "-std=c++20", "-O1", *(["-no-pie"] if consumer.sanitized() else []), *options,
                     "-I", consumer.PREFIX / "include", source, "-o", program, ARCHIVE,
                     *(word for word in libraries.split() if word != "-lmultifold"))
        return program


def functions_of(path):
    """The functions that are defined in a program, as compilers write them."""
    return set(re.findall(r"^[0-9a-f]+ [TtWu] (\S+)$", consumer.run("nm", "--defined-only", path), re.M))


def parts_of(path):
    names = functions_of(path)
    return {part for part in PARTS if f"_ZN{consumer.NAMESPACE}4host{len(part)}{part}ERKNS0_9reductionE" in names}


def public_members():
    """Of each object in the archive that has a function of a public header: its name, which others may share, and such a function."""
    inner = re.compile(rf"_ZNK?{consumer.NAMESPACE}(4host|6stream|2io|6detail|10bytes_text|10text_table|4cuda|6graphs)")
    found, last = [], ""
    for line in consumer.run("nm", "-A", "--defined-only", ARCHIVE).splitlines():
        match = re.match(rf".*:(\S+\.o):[0-9a-f]+ T (_ZNK?{consumer.NAMESPACE}\S+)$", line)
        if match and not inner.match(match[2]) and match[1] != last:
            last = match[1]
            found.append((last, match[2]))
    return found


@unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
class LinkedParts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = Scratch(folder.name)

    def test_functions_of_one_operation_take_its_parts(self):
        self.assertEqual(len(PARTS), 18)
        for call, expected in CALLS.items():
            with self.subTest(call=call):
                program = self.scratch.link(PROGRAM.replace("CALL", call))
                self.assertEqual(parts_of(program), expected | ALWAYS)
                consumer.run(program)

    def test_all_others_that_reduce_take_every_part(self):
        reducing = 0
        for member, function in public_members():
            with self.subTest(member=member, function=function):
                program = self.scratch.link("int main() {}\n", f"-Wl,--undefined={function}")
                if not any("13make_row_fold" in name for name in functions_of(program)) or member.startswith(("rates", "measure", "engines")):
                    continue  # the machine is measured by a sum that is named there
                reducing += 1
                self.assertEqual(parts_of(program), PARTS)
        self.assertGreaterEqual(reducing, 5)

    def test_what_is_not_linked_is_an_error(self):
        self.assertEqual(consumer.outcome(self.scratch.link(UNLINKED))[0], 3)

    def test_a_sum_is_small(self):
        if consumer.sanitized() or pkg_config("--variable=has_cuda").strip() != "0" or not {"-O2", "-O3"} & set(consumer.FLAGS):
            self.skipTest("what is measured is an optimised CPU engine")
        program = self.scratch.link(SUM_OF_FLOATS, "-s")
        self.assertLess(program.stat().st_size, 3_000_000)


if __name__ == "__main__":
    consumer.main()
