"""Hermes 0.16 with the tools of Talaria: `python -m talaria.integrations.hermes`, not `hermes`."""

from __future__ import annotations

import sys

from .adapter import install

if __name__ == "__main__":
    install()
    try:
        from hermes_cli.main import main
    except ImportError:
        sys.exit(
            "hermes-agent is not installed here; install it with: pip install hermes-agent==0.16.0"
        )
    sys.argv[0] = "hermes"
    sys.exit(main())
