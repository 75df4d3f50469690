"""Who may see whom: reads every #include of the repository, and every line of the library, and names what breaks the rules.

    layering_test.py [ROOT]     prints one line per violation; exit 1 if there is any

Layers: core < plan < {host | device} < graphs < stream < reduce; io stands on core. The rules are the tables below.
"""

import pathlib
import re
import sys

# Which layers a layer may include.
VISIBLE = {
    "core": {"core"},
    "plan": {"core", "plan"},
    "host": {"core", "plan", "host"},
    "device": {"core", "plan", "device", "kernels"},
    "kernels": {"core", "kernels"},
    "io": {"core", "io"},
    "graphs": {"core", "plan", "device", "graphs"},
    "stream": {"core", "plan", "host", "device", "graphs", "stream"},
    "reduce": {"core", "plan", "host", "device", "io", "graphs", "stream", "reduce"},
}

# The layer of a public header. One that is not named here has that of its folder's name, or core, the strictest.
PUBLIC = {
    "plan.hpp": "plan",
    "reduce.hpp": "reduce",
    "rates.hpp": "reduce",
    "by_key.hpp": "reduce",
    "devices.hpp": "reduce",
    "fold.hpp": "reduce",
    "logsumexp.hpp": "reduce",
    "fold/shape.hpp": "reduce",
    "fold/walk.hpp": "reduce",
    "fold/run.hpp": "reduce",
    "segments.hpp": "reduce",
    "several.hpp": "reduce",
    "weighted.hpp": "reduce",
    "ranges.hpp": "reduce",
    "running.hpp": "reduce",
    "central_moments.hpp": "reduce",
    "cuda/reduce.hpp": "reduce",
    "complex.hpp": "reduce",
    "norm.hpp": "reduce",
    "state.hpp": "reduce",
    "mpi.hpp": "reduce",
    "mpi/channel.hpp": "reduce",
    "mpi/outcome.hpp": "reduce",
    "multifold.hpp": "reduce",
}

LIBRARY = ("lib", "graphs")  # folders of the library at the top

# Headers that only some parts of the repository may include: files whose path begins with one of these.
RESTRICTED = (
    (re.compile(r"cub/device/device_radix_sort\.cuh"), ("bench/", "tests/", "lib/src/device/keys/"),
     "of the library, only keys are sorted by CUB"),
    (re.compile(r"thrust/device_vector\.h"), ("bench/", "tests/", "lib/include/multifold/cuda/thrust.hpp"),
     "the library sees Thrust in multifold/cuda/thrust.hpp, which programs include themselves, only"),
    (re.compile(r"(cub(?!/device/device_radix_sort\.cuh)|thrust(?!/device_vector\.h))/"), ("bench/", "tests/"),
     "CUB and Thrust are baselines: bench and tests only"),
    (re.compile(r"(mpi\.h|multifold/mpi(\.hpp|/.*))$"), ("lib/include/multifold/mpi", "tests/mpi/", "examples/mpi_"),
     "the library links no MPI: multifold/mpi.hpp, which programs compile themselves, and its tests only"),
    (re.compile(r"(CLI|fmt|nlohmann)/"), ("apps/",), "CLI11, fmt and nlohmann belong to the programs: apps only"),
)

# What <multifold/multifold.hpp> does not reach, because a compiler reads it for longer than all of multifold.
SLOW = set("""
atomic chrono complex condition_variable filesystem format fstream future iomanip iostream istream map mutex ostream
random ranges regex sstream stop_token thread unordered_map
""".split())
QUICK = "multifold/multifold.hpp"

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution expected filesystem format forward_list
fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map
memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
variant vector version
""".split())

CUDA_HEADER = re.compile(r"(cuda|cooperative_groups|nv|nvtx3|cub|thrust)[^>]*")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
PRINTS = re.compile(r"(?<![\w.:>])(?:std::)?(?:printf|fprintf|vprintf|puts|fputs|putchar|perror)\s*\(|std::(?:cout|cerr|clog)\b")
EXITS = re.compile(r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|_Exit|quick_exit|abort|terminate)\s*\(")
HOME_PATH = re.compile(r"(?<![\w.])/(?:home|Users|root)/\w[\w.-]*|\b[A-Z]:\\Users\\")

# What opens one of the library's namespaces: the inline one, of the version whose programs can use this one's binaries.
NAMESPACE = re.compile(r"^(?:\}  // )?namespace multifold\b(.*)")
VERSION = re.compile(r'#define MULTIFOLD_VERSION "(\d+)\.(\d+)')

OPTION = re.compile(r"\"[^\"\n]*(?<![\w-])--[a-z][^\"\n]*\"")

CODE = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
TEXT = CODE | {".py", ".sh", ".md", ".txt", ".cmake", ".json", ".in", ""}
IGNORED = {".git", ".cache", "build", "__pycache__"}


def files(root):
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and not IGNORED.intersection(name.parts):
            yield name


def layer_of(name):
    """The layer of a file of the repository, or of an include as it is written; None outside of the library."""
    parts = list(pathlib.PurePosixPath(name).parts)
    if parts[:1] == ["lib"]:
        parts = parts[2:]  # lib/include/..., lib/src/...
    if parts[:1] == ["graphs"]:
        return "graphs"
    if parts[:1] == ["multifold"]:
        if "kernels" in parts:
            return "kernels"
        if parts[1] in ("graphs", "plan"):
            return parts[1]
        return PUBLIC.get("/".join(parts[1:]), "device" if parts[1:2] == ["cuda"] else "core")
    if parts[:1] == ["device"] and "kernels" in parts:
        return "kernels"
    return parts[0] if parts and parts[0] in VISIBLE else None


def policy_of_kernels(include):
    return "policy" in pathlib.PurePosixPath(include).name


def include_problem(name, header, quoted):
    """What is wrong with one include of the file `name`, or None."""
    area = name.parts[0]
    for pattern, allowed, reason in RESTRICTED:
        if pattern.match(header) and not name.as_posix().startswith(allowed):
            return reason
    if area not in LIBRARY:
        return None

    layer = layer_of(name)
    if not quoted:
        if layer in ("core", "plan") and header not in STANDARD:
            return f"{layer} includes the standard library only"
        if layer in ("host", "io") and CUDA_HEADER.fullmatch(header):
            return f"{layer} compiles without CUDA"
        return None
    if header.startswith("."):
        return 'private headers are named relative to lib/src, such as "host/threads.hpp"'
    target = layer_of(header)
    if area == "graphs" and "/" not in header:
        target = "graphs"  # beside the file
    if target is None:
        return 'headers of the library are included as "multifold/..." or relative to lib/src'
    if layer == "kernels" and policy_of_kernels(header):
        return None
    if layer in VISIBLE and target not in VISIBLE[layer]:
        policy = " and policy.hpp" if layer == "kernels" else ""
        return f"{layer} may see {', '.join(sorted(VISIBLE[layer]))}{policy}, not {target}"
    return None


def without_comments_and_strings(text):
    """The code alone, line by line as before."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda match: "\n" * match.group().count("\n"), text)


def inline_namespace(root):
    """`inline v0_1` of version 0.1, `inline v1` of 1.0 and later; None without a version."""
    path = root / "lib/include/multifold/version.hpp"
    version = VERSION.search(path.read_text()) if path.is_file() else None
    if not version:
        return None
    major, minor = version.groups()
    return f"inline v0_{minor}" if major == "0" else f"inline v{major}"


def namespace_problems(text, inline):
    for number, line in enumerate(text.splitlines(), 1):
        opened = NAMESPACE.match(line)
        if opened and not re.match(rf"::{inline}(?!\w)", opened[1]):
            yield number, f"programs linked with two versions tell them by the namespace multifold::{inline}"


def code_problems(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            header = include.group(1) or include.group(2)
            problem = include_problem(name, header, quoted=include.group(2) is not None)
            if problem:
                yield number, f"includes {header}: {problem}"
    if name.parts[0] in LIBRARY:
        for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
            if PRINTS.search(line):
                yield number, "the library never prints; return a value or throw an error"
            if EXITS.search(line):
                yield number, "the library never ends the program; throw an error"
        for number, line in enumerate(text.splitlines(), 1):
            if OPTION.search(line.partition("//")[0]):
                yield number, "the library knows no command line: name the option as in C++ (reduce_options::threads)"


def slow_includes(root):
    """Where a header that QUICK reaches includes one of SLOW."""
    folders = [root / "lib/include", root / "graphs/include"]
    reached, seen = [QUICK], {QUICK}
    for header in reached:
        path = next((folder / header for folder in folders if (folder / header).is_file()), None)
        for number, line in enumerate(path.read_text().splitlines() if path else [], 1):
            include = INCLUDE.match(line)
            if include and include.group(1) in SLOW:
                yield f"{path.relative_to(root)}:{number}: includes {include.group(1)}: {QUICK} reaches it, and has to compile quickly"
            elif include and include.group(2) and include.group(2) not in seen:
                seen.add(include.group(2))
                reached.append(include.group(2))


def problems(root):
    yield from slow_includes(root)
    inline = inline_namespace(root)
    for name in files(root):
        if name.suffix not in TEXT:
            continue
        text = (root / name).read_text(errors="replace")
        found = list(code_problems(name, text)) if name.suffix in CODE else []
        if inline and name.parts[0] in LIBRARY and name.suffix in CODE:
            found += namespace_problems(text, inline)
        for number, line in enumerate(text.splitlines(), 1):
            if HOME_PATH.search(line):
                found.append((number, "names somebody's home directory"))
        for number, problem in sorted(found):
            yield f"{name}:{number}: {problem}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    found = list(problems(root))
    print("\n".join(found) if found else "every include keeps to its layer")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
