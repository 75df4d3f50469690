"""Debian packages and the archive: built, looked through, installed, used, and removed without a trace.

As root they are installed on this machine, where no multifold is installed yet; otherwise they are unpacked.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import consumer

PACKAGES = consumer.SCRATCH / "packages"
RUNTIME = "libmultifold" + consumer.SHARED_NAME.removeprefix("libmultifold.so.")
NAMES = (RUNTIME, "libmultifold-dev", "multifold")
# Those who publish packages say who answers for them; the rest is how CPack calls ldconfig.
LINTIAN_TOLERATED = r"bogus-mail-host|lacks-ldconfig-trigger|pkg-config-bad-directive -L\S*cuda"


def may_install():
    return os.geteuid() == 0 and not list(pathlib.Path("/usr/lib").glob("libmultifold*")) and all(
        consumer.outcome("dpkg", "-s", name)[0] != 0 for name in NAMES)


@unittest.skipUnless(all(map(shutil.which, ("dpkg-shlibdeps", "cpack", "file"))), "dpkg-dev and file are not installed")
@unittest.skipIf(consumer.sanitized(), "sanitized programs are not packed")
class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(PACKAGES, ignore_errors=True)
        consumer.run("cpack", "--config", consumer.OPTIONS.build / "CPackConfig.cmake", "-G", "DEB;TGZ", "-B", PACKAGES,
                     where=consumer.OPTIONS.build)
        cls.packages = {name: next(PACKAGES.glob(f"{name}_{consumer.VERSION}-1_*.deb")) for name in NAMES}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(PACKAGES, ignore_errors=True)

    def field(self, name, field):
        return consumer.run("dpkg-deb", "-f", self.packages[name], field).strip()

    def test_what_they_say(self):
        self.assertEqual({path.name.split("_")[0] for path in PACKAGES.glob("*.deb")}, set(NAMES))
        self.assertRegex(self.field("libmultifold-dev", "Depends"), rf"\b{RUNTIME} \(= {consumer.VERSION}-1\)")
        for name in (RUNTIME, "multifold"):
            self.assertRegex(self.field(name, "Depends"), r"\blibc6 \(>= .*\blibstdc\+\+6 \(>= ")
        for name in NAMES:
            self.assertTrue(self.field(name, "Description").startswith("reductions of huge arrays"))

    def test_what_is_in_them(self):
        for name, package in self.packages.items():
            with tempfile.TemporaryDirectory() as folder:
                consumer.run("dpkg-deb", "-x", package, folder)
                root = pathlib.Path(folder)
                for document in ("copyright", "changelog.Debian.gz"):
                    self.assertTrue((root / f"usr/share/doc/{name}" / document).is_file())
                self.assertEqual([path.name for path in root.iterdir()], ["usr"])
                if name == "multifold":
                    self.check_page(root / "usr/share/man/man1/multifold.1.gz")
                    self.assertTrue((root / "usr/share/zsh/vendor-completions/_multifold").is_file())
                    self.assertIn(consumer.VERSION, consumer.run(root / "usr/bin/multifold", "--version"))
                    self.assertNotIn("RUNPATH", consumer.run("readelf", "-d", root / "usr/bin/multifold"))
                if name == "libmultifold-dev":
                    self.check_page(root / "usr/share/man/man3/multifold.3.gz")

    def check_page(self, page):
        self.assertTrue(page.is_file())
        if shutil.which("man"):
            self.assertIn("multifold - ", consumer.run("man", "-l", page, LC_ALL="C.UTF-8", MANPAGER="cat"))

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian(self):
        _, said = consumer.outcome("lintian", "--tag-display-limit", "0", *self.packages.values())
        errors = [line for line in said.splitlines() if line.startswith("E:") and not re.search(LINTIAN_TOLERATED, line)]
        self.assertEqual(errors, [])

    def test_the_archive(self):
        archive = next(PACKAGES.glob("multifold-*.tar.gz"))
        with tempfile.TemporaryDirectory() as folder:
            consumer.run("tar", "-xzf", archive, "--strip-components=1", "-C", folder)
            self.assertEqual({path.name for path in pathlib.Path(folder).iterdir()}, {"bin", "include", "lib", "share"})
            self.assertIn(consumer.VERSION, consumer.run(pathlib.Path(folder) / "bin/multifold", "--version"))

    def test_installed_used_and_removed(self):
        if not may_install():
            self.skipTest("needs root, and a machine without multifold")
        try:
            consumer.run("dpkg", "-i", *self.packages.values())
            self.use()
            files = {line for name in NAMES for line in consumer.run("dpkg", "-L", name).splitlines()}
        finally:
            consumer.outcome("dpkg", "-P", *reversed(NAMES))
        left = [path for path in files if "multifold" in path and os.path.lexists(path)]
        self.assertEqual(left, [])
        self.assertNotIn("multifold", consumer.run("ldconfig", "-p"))

    def use(self):
        done = subprocess.run(["/usr/bin/multifold", "sum", "-", "--dtype", "f8"], input=b"\0" * 8, check=True, stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, b"0\n")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "consumer"
            flags = consumer.run("pkg-config", "--cflags", "--libs", "multifold").split()
            consumer.run(consumer.OPTIONS.cxx, "-std=c++20", consumer.PROJECT / "main.cpp", "-o", program, *flags)
            self.assertIn(consumer.SHARED_NAME, consumer.run("ldd", program))
            consumer.run(program)
            consumer.run(*consumer.configure(f"{folder}/build", "-DWANTED=0.1;COMPONENTS;shared"))


if __name__ == "__main__":
    consumer.main()
