# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweep as a Conan 2 package of headers: conan create packaging/conan -s compiler.cppstd=20"""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy


class Sweep(ConanFile):
    name = "sweep"
    description = "Generic parallel algorithms for threads and GPUs: scans, segments, reductions, compactions"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = "cuda", "gpu", "scan", "prefix-sum", "reduction", "stream-compaction", "header-only"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True
    root = pathlib.Path(__file__).resolve().parents[2]

    def set_version(self):
        text = (self.root / "include/sweep/version.hpp").read_text()
        number = int(re.search(r"^#define SWEEP_VERSION (\d+)$", text, re.M)[1])
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def export_sources(self):
        # Without the link from include to detail: packages hold files.
        for folder in ("include", "detail"):
            for pattern in ("*.hpp", "*.cuh"):
                copy(self, f"sweep/{pattern}", self.root / folder, pathlib.Path(self.export_sources_folder, folder),
                     excludes="sweep/detail/*" if folder == "include" else None)
        copy(self, "LICENSE", self.root, self.export_sources_folder)

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def package(self):
        source = pathlib.Path(self.source_folder)
        for folder in ("include", "detail"):
            copy(self, "*", source / folder, pathlib.Path(self.package_folder, "include"))
        copy(self, "LICENSE", source, pathlib.Path(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "sweep")
        self.cpp_info.set_property("cmake_target_name", "sweep::sweep")
