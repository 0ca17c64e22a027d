#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""packages.py [OPTIONS] conan|vcpkg|recipes: makes the package, and builds and runs a project that uses it.

The package must hold the headers that CMake installs, and no others. The exit status is 77 where there is no such
packager: $SWEEP_CONAN or `conan`, $VCPKG_ROOT/vcpkg or `vcpkg`. `recipes` needs neither: versions are the header's.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **more):
    print("$", *command, flush=True)
    return subprocess.run([str(word) for word in command], check=True, **more)


def headers(folder):
    """The headers below the folder, and what stands in them."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for suffix in ("hpp", "cuh")
            for path in (folder / "sweep").rglob(f"*.{suffix}")}


def compare(package, installed):
    ours, theirs = headers(package / "include"), headers(installed / "include")
    wrong = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    if wrong or not ours:
        sys.exit(f"{package} does not hold the headers that are installed: {wrong or 'none'}")
    print(f"{len(ours)} headers, as installed")


def consume(options, *more):
    folder = options.work / "consumer"
    shutil.rmtree(folder, ignore_errors=True)
    run("cmake", "-S", HERE / "consumer", "-B", folder, f"-DEXPECTED_VERSION={options.version}",
        f"-DCMAKE_CXX_COMPILER={options.compiler}", "-DCMAKE_BUILD_TYPE=Release", "-DCONSUMER_FOREIGN=ON", *more)
    run("cmake", "--build", folder)
    run(folder / "program")


def conan(options, program):
    os.environ |= {"CONAN_HOME": str(options.work / "home"), "CXX": options.compiler}
    recipe = options.source / "packaging/conan"
    run(program, "profile", "detect", "--force")
    how = "--no-remote", "-s", "compiler.cppstd=20"
    run(program, "create", recipe, *how, "--test-folder=")
    run(program, "install", f"--requires=sweep/{options.version}", *how, "-g", "CMakeDeps", "-g", "CMakeToolchain",
        "--output-folder", options.work / "generated")
    found = json.loads(run(program, "list", f"sweep/{options.version}#*:*", "--format=json", capture_output=True,
                           text=True).stdout)
    (revision, what), = found["Local Cache"][f"sweep/{options.version}"]["revisions"].items()
    (package, _), = what["packages"].items()
    path = run(program, "cache", "path", f"sweep/{options.version}#{revision}:{package}", capture_output=True,
               text=True).stdout.strip()
    compare(pathlib.Path(path), options.installed)
    consume(options, f"-DCMAKE_TOOLCHAIN_FILE={options.work / 'generated/conan_toolchain.cmake'}")


def vcpkg(options, program):
    root = pathlib.Path(os.environ.get("VCPKG_ROOT") or pathlib.Path(program).resolve().parent)
    installed = options.work / "installed"
    run(program, "install", "sweep", "--classic", f"--overlay-ports={options.source / 'packaging/vcpkg'}",
        f"--x-install-root={installed}", f"--x-buildtrees-root={options.work / 'trees'}",
        f"--x-packages-root={options.work / 'packages'}")
    triplet, = (path for path in installed.iterdir() if (path / "include/sweep").is_dir())
    compare(triplet, options.installed)
    consume(options, f"-DCMAKE_TOOLCHAIN_FILE={root / 'scripts/buildsystems/vcpkg.cmake'}",
            f"-DVCPKG_INSTALLED_DIR={installed}", "-DVCPKG_MANIFEST_MODE=OFF", f"-DVCPKG_TARGET_TRIPLET={triplet.name}")


def recipes(options):
    port = json.loads((options.source / "packaging/vcpkg/sweep/vcpkg.json").read_text())
    if port["version"] != options.version:
        sys.exit(f"packaging/vcpkg/sweep/vcpkg.json: version {port['version']} is not the header's, {options.version}")
    compile((options.source / "packaging/conan/conanfile.py").read_text(), "conanfile.py", "exec")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("source", "installed", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    parser.add_argument("--version")
    parser.add_argument("--compiler")
    parser.add_argument("packager", choices=["conan", "vcpkg", "recipes"])
    options = parser.parse_args()
    if options.packager == "recipes":
        return recipes(options)
    of_root = pathlib.Path(os.environ.get("VCPKG_ROOT", "/nonexistent"), "vcpkg")
    named = os.environ.get("SWEEP_CONAN") if options.packager == "conan" else str(of_root) if of_root.exists() else None
    program = shutil.which(named or options.packager)
    if not program:
        print(f"skipped: no {options.packager}")
        return 77
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    try:
        (conan if options.packager == "conan" else vcpkg)(options, program)
    except subprocess.CalledProcessError as error:
        print((error.stdout or "") + (error.stderr or "") if isinstance(error.stdout, str) else "", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
