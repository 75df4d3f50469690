"""What programs see of the shared library: what public headers declare, all of it, and nothing else."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import consumer

INNER = [["host"], ["stream"], ["io"], ["detail"],
         *(["graphs", name] for name in ("calls", "pass_nodes", "check_place", "add_clearing", "check_places", "current_device",
                                         "comb", "chain_of", "work_node",
                                         "node_queue", "recording_queue", "update_queue")),
         *(["cuda", name] for name in ("kernels", "moments", "exact", "segments", "keys", "detail"))]
HEADERS = sorted(path for path in (consumer.PREFIX / "include").rglob("*.hpp"))


def symbols(*options, of):
    """(type, name) of each symbol that is defined, names as compilers write them."""
    lines = consumer.run("nm", "--defined-only", "--without-symbol-versions", *options, of).splitlines()
    return [(line[17], line[19:]) for line in lines if re.match(r"[0-9a-f]{16} [B-Zb-z] ", line)]  # A: of a version


def scopes(symbol):
    """["graphs", "name"] of multifold::graphs::name(...), of its table or its type; None of what is not multifold's."""
    match = re.match(rf"_Z(?:T[VIST])?NK?{consumer.NAMESPACE}", symbol)
    if not match:
        return None
    rest, names = symbol[match.end():], []
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        names.append(rest[length.end():end])
        rest = rest[end:]
    return names  # of an operator of multifold's own there is none


def is_inner(names):
    return any(names[:len(inner)] == inner for inner in INNER)


def inner_declarations(text):
    """Functions that a header declares in namespace detail, and does not define."""
    names = set()
    for part in re.findall(r"namespace detail \{(.*?)\}  // namespace detail", text, re.S):
        names |= set(re.findall(r"^(?!template|inline|constexpr|using|struct|class)[\w:<>&* ]+?\b(\w+)\([^{}]*?\)(?: noexcept)?;", part, re.M | re.S))
    return names


def parts_of_the_engine(text):
    """Functions of namespace host that programs name so that they are linked."""
    return set(re.findall(r"\w+(?=[,;])", " ".join(re.findall(r"^MULTIFOLD_EXPORT engine_part [\w, \n]+;", text, re.M))))


def marked(text):
    """(classes, functions) that a header marks by MULTIFOLD_EXPORT; of operators the word operator."""
    classes = set(re.findall(r"\b(?:class|struct) MULTIFOLD_EXPORT (\w+)", text))
    functions = set(re.findall(r"^ *MULTIFOLD_EXPORT [^;(]*?(\w+)[+*]?\(", text, re.M))
    return classes, functions


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exported = symbols("-D", of=consumer.PREFIX / "lib/libmultifold.so")
        cls.texts = {path: path.read_text() for path in HEADERS}
        cls.words = set(re.findall(r"\w+", "\n".join(cls.texts.values())))
        cls.inner = set().union(*(inner_declarations(text) for path, text in cls.texts.items() if "kernels" not in path.parts))
        cls.classes, cls.functions = (set().union(*found) for found in zip(*map(marked, cls.texts.values())))
        cls.parts = parts_of_the_engine(cls.texts[consumer.PREFIX / "include/multifold/engine_parts.hpp"])

    def is_member(self, names):
        """Whether it is a function of a struct in a public header."""
        return len(names) == 3 and any(re.search(rf"struct {names[1]} \{{.*?\b{names[2]}\(", text, re.S) for text in self.texts.values())

    def is_marked(self, names):
        return bool(self.classes & set(names)) or (names[-1] if names else "operator") in self.functions | self.parts

    def test_only_what_headers_declare(self):
        self.assertGreater(len(self.exported), 100)
        for kind, symbol in self.exported:
            with self.subTest(symbol=symbol):
                names = scopes(symbol)
                self.assertIsNotNone(names, "is not multifold's")
                if is_inner(names):
                    self.assertTrue(names[-1] in self.inner | self.parts or self.is_member(names), "is in no public header")
                elif names:
                    self.assertIn(names[-1], self.words, "is in no public header")
                self.assertTrue(self.is_marked(names), "is marked in no public header")
                self.assertTrue(kind in "TRDB" or symbol.startswith("_ZT"), "is compiled by users, too")

    def test_exceptions_have_one_typeinfo(self):
        """So that who catches one that another shared object throws knows it, whatever its compiler compares."""
        thrown = marked(self.texts[consumer.PREFIX / "include/multifold/error.hpp"])[0]
        self.assertIn("error", thrown)
        exported = {symbol for _, symbol in self.exported}
        for _, symbol in symbols(of=consumer.PREFIX / "lib/libmultifold.a"):
            if symbol.startswith("_ZTI") and (scopes(symbol) or [""])[-1] in thrown:
                with self.subTest(symbol=symbol):
                    self.assertIn(symbol, exported)

    def test_all_that_headers_declare(self):
        exported = {symbol for _, symbol in self.exported}
        expected = 0
        for kind, symbol in symbols(of=consumer.PREFIX / "lib/libmultifold.a"):
            names = scopes(symbol)
            if kind not in "TRDB" or not names:
                continue
            shown = {"detail": self.inner, "host": self.parts}.get(names[0], set()) if len(names) == 2 else set()
            if names[-1] in shown or not is_inner(names) and names[-1] in self.words:
                expected += 1
                with self.subTest(symbol=symbol):
                    self.assertIn(symbol, exported)
        self.assertGreater(expected, 50)

    def test_every_header_compiles_and_links(self):
        """Each by itself, in one program with the tool's own objects."""
        include = consumer.PREFIX / "include"
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "headers.cpp"
            names = [path.relative_to(include) for path in HEADERS if "cuda" not in path.parts and not self.needs_more(path)]
            source.write_text("".join(f"#include <{name}>\n" for name in names) + "int main() { return 0; }\n")
            consumer.run(consumer.OPTIONS.cxx, *consumer.FLAGS, "-std=c++20", "-O0", "-I", include, source, "-o",
                         pathlib.Path(folder) / "headers", "-L", consumer.PREFIX / "lib", "-lmultifold")

    def needs_more(self, path):
        """Headers of CUDA, or of MPI, which are compiled where these are."""
        return bool(re.search(r"#include (<cuda|\"multifold/cuda/|<multifold/cuda/|<mpi.h>)", self.texts[path]))

    def test_the_tool_needs_no_more(self):
        """All of its objects, linked with the shared library instead of the rooms."""
        apps = consumer.OPTIONS.build / "apps"
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "multifold"
            objects = sorted((apps / "multifold").rglob("main.cpp.o"))
            consumer.run(consumer.OPTIONS.cxx, *consumer.FLAGS, *(["-no-pie"] if consumer.sanitized() else []), *objects,
                         apps / "multifold/libmultifold_commands.a", apps / "common/libmultifold_common.a", "-o", program,
                         "-L", consumer.PREFIX / "lib", "-lmultifold", "-Wl,-rpath," + str(consumer.PREFIX / "lib"))
            done = subprocess.run([program, "sum", "-", "--dtype", "f8"], input=b"\0" * 16, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual((done.returncode, done.stdout), (0, b"0\n"))

    def test_symbols_have_the_version_of_the_library(self):
        version = consumer.SHARED_NAME.rpartition(".so.")[2]
        lines = consumer.run("nm", "-D", "--defined-only", consumer.PREFIX / "lib/libmultifold.so").splitlines()
        for line in lines:
            self.assertTrue(line.endswith(f"@@MULTIFOLD_{version}") or line.endswith(f" A MULTIFOLD_{version}"), line)

    def test_the_name_by_which_programs_find_it(self):
        self.assertIn(f"soname: [{consumer.SHARED_NAME}]", consumer.run("readelf", "-d", consumer.PREFIX / "lib/libmultifold.so"))


if __name__ == "__main__":
    consumer.main()
