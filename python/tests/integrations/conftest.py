"""What the tests of all integrations share: the code on their pages."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable

import pytest

PAGES = pathlib.Path(__file__).resolve().parents[3] / "docs" / "guide" / "integrations"


@pytest.fixture
def code_of_page() -> Callable[[str, str], str]:
    """The block of Python of a page behind the comment `<!-- test: NAME -->`."""

    def find(page: str, name: str) -> str:
        text = (PAGES / page).read_text()
        found = re.search(rf"<!-- test: {name} -->\n```python\n(.*?)```", text, re.DOTALL)
        assert found is not None, f"{page} has no block {name}"
        return found.group(1)

    return find
