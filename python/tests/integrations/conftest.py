"""For the tests of every integration. tests/python/framework runs them, one framework at a time."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest

PACKAGES = (
    "inspect-ai",
    "mini-swe-agent",
    "harbor",
    "nemo-gym",
    "swe-rex",
    "hermes-agent",
    "openai-agents",
    "deepagents",
    "deepagents-code",
    "openhands-sdk",
)
PAGES = Path(__file__).resolve().parents[3] / "docs" / "guide" / "integrations"
LABEL = f"talaria-test-run={os.getpid()}"
HAS_DOCKER = "docker" in os.environ.get("TALARIA_ENGINES", "").split()


def pytest_report_header() -> list[str]:
    found = []
    for package in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append(f"framework: {package} {metadata.version(package)}")
    return found


def containers() -> set[str]:
    """The containers of this run; others use the same engine."""
    if not HAS_DOCKER:
        return set()
    list_them = ["docker", "ps", "-aq", "--filter", f"label={LABEL}"]
    listed = subprocess.run(list_them, capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


@pytest.fixture(scope="session", autouse=True)
def home() -> Path:
    """The home of the program: nobody is asked, and one command is refused."""
    home = Path(os.environ["TALARIA_HOME"])
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.yaml").write_text(
        "approvals:\n  headless: allow\n  rules:\n    - {answer: deny, argv: [touch, forbidden]}\n"
        f"terminal:\n  docker_extra_args: [--label, {LABEL}]\n"
    )
    return home


@pytest.fixture(scope="session")
def docker_image() -> str:
    """Debian with bash and python3, in the tests' own docker engine."""
    if not HAS_DOCKER:
        pytest.skip("no docker engine of the tests (TALARIA_ENGINES)")
    return os.environ["TALARIA_DOCKER_IMAGE"]


@pytest.fixture(scope="session")
def image_with_workdir(docker_image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An image with a WORKDIR, files in it, and variables."""
    folder = tmp_path_factory.mktemp("image")
    (folder / "Dockerfile").write_text(
        f"FROM {docker_image}\nWORKDIR /srv/app\nENV FLAVOUR=vanilla PATH=/opt/tools:$PATH\n"
        "COPY greeting /srv/app/\nCOPY hail /opt/tools/\n"
    )
    (folder / "greeting").write_text("hello\n")
    (folder / "hail").write_text("#!/bin/sh\necho hail from /opt/tools\n")
    (folder / "hail").chmod(0o755)
    name = "talaria-test-workdir"
    subprocess.run(["docker", "build", "-q", "-t", name, folder], check=True, capture_output=True)
    return name


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test leaves a container. (A fixture of a wider scope may have made one before.)"""
    before = containers()
    yield
    left = containers() - before
    if "keeps_container" not in request.keywords:
        assert not left, f"containers are left: {left}"


@pytest.fixture
def local_directory(tmp_path: Path) -> Path:
    """A directory for a sandbox at target local."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def code_of_page() -> Callable[[str, str], str]:
    """The block of Python of a page behind the comment `<!-- test: NAME -->`."""

    def find(page: str, name: str) -> str:
        text = (PAGES / page).read_text()
        found = re.search(rf"<!-- test: {name} -->\n```python\n(.*?)```", text, re.DOTALL)
        assert found is not None, f"{page} has no block {name}"
        return found.group(1)

    return find


@pytest.fixture
def check_version() -> Callable[[str], None]:
    """The version of a package is the one that the index of integrations names."""

    def check(package: str) -> None:
        version = metadata.version(package)
        index = PAGES.with_suffix(".md").read_text()
        rows = [line for line in index.splitlines() if package in line]
        assert any(re.search(rf"\b{re.escape(version)}\b", row) for row in rows), (package, version)

    return check
