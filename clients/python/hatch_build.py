# SPDX-License-Identifier: Apache-2.0
# clients/python/hatch_build.py - a wheel that carries the daemon is of its platform; one that does not is of any.
"""Build hook: the daemon lies in src/torqued/_daemon when `make wheel` put it there."""
import os
import pathlib
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarriesDaemon(BuildHookInterface):
    def initialize(self, version, build_data):
        daemon = pathlib.Path(self.root) / "src" / "torqued" / "_daemon" / "torqued"
        if self.target_name == "wheel" and os.access(daemon, os.X_OK):
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
