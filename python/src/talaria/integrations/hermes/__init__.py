"""Hermes (`hermes-agent`) with Talaria. There are two ways in:

- a plugin for Hermes: `register` adds the terminal backend `talaria`;
- an adapter for Hermes 0.16 (`talaria.integrations.hermes.adapter`): its tools `terminal`,
  `process`, `read_file`, `write_file`, `patch`, `search_files` and `execute_code` are those of
  Talaria, under the names from which Hermes imports them. `python -m talaria.integrations.hermes`
  is Hermes with it.
"""

from __future__ import annotations

from .environment import TalariaEnvironment
from .plugin import register

__all__ = ["TalariaEnvironment", "register"]
