# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_generated/__init__.py - what generate.py writes: operations, types, and the synchronous client.
"""Made by generate.py; `make openapi` writes it anew."""
