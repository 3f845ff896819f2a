# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/logs/__init__.py - recorded motion of other formats.
"""Recorded motion."""


class Log:
    """Motion."""
