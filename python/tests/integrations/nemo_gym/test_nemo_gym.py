"""NeMo Gym's own sandbox objects, with the provider that its registry finds."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nemo_gym.sandbox import (
    AsyncSandbox,
    Sandbox,
    SandboxCreateError,
    SandboxSpec,
    SandboxStatus,
    get_provider_class,
    list_providers,
)

from talaria import Talaria
from talaria.integrations.nemo_gym import TalariaProvider


def test_the_entry_point_is_registered() -> None:
    assert "talaria" in list_providers()
    assert get_provider_class("talaria") is TalariaProvider


@pytest.mark.parametrize("target", ["local", "docker"])
def test_a_sandbox_from_start_to_stop(
    target: str, tmp_path: Path, local_directory: Path, request: pytest.FixtureRequest
) -> None:
    image = request.getfixturevalue("docker_image") if target == "docker" else None
    place = "/srv/work" if target == "docker" else str(local_directory)
    spec = SandboxSpec(
        image=image,
        workdir=place,
        env={"FLAVOUR": "vanilla"},
        files={f"{place}/task.txt": "40 and 2\n"},
        resources={"cpu": 1, "memory_mib": 256},
        ttl_s=600,
    )
    with Sandbox({"talaria": {"target": target}}, spec) as sandbox:
        sandbox.start()
        assert sandbox.status() == SandboxStatus.RUNNING
        result = sandbox.exec(
            "cat task.txt; echo $FLAVOUR $MORE; pwd; echo err >&2; exit 3", env={"MORE": "yes"}
        )
        assert result.stdout == f"40 and 2\nvanilla yes\n{place}\n"
        assert (result.stderr, result.return_code, result.error_type) == ("err\n", 3, None)
        source = tmp_path / "source.bin"
        source.write_bytes(bytes(range(256)) * 1000)
        sandbox.upload(source, f"{place}/new/copy.bin")
        sandbox.download(f"{place}/new/copy.bin", tmp_path / "back.bin")
        assert (tmp_path / "back.bin").read_bytes() == source.read_bytes()
        late = sandbox.exec("echo begun; sleep 60", timeout_s=1)
        assert (late.stdout, late.error_type) == ("begun\n", "timeout")
    assert sandbox.status() == SandboxStatus.STOPPED
    with Talaria() as t:
        assert t.sandboxes() == []


def test_a_refused_command_is_typed(local_directory: Path) -> None:
    spec = SandboxSpec(workdir=str(local_directory))
    with Sandbox({"talaria": {"target": "local"}}, spec).start() as sandbox:
        assert sandbox.exec("touch forbidden").error_type == "denied"
    assert not (local_directory / "forbidden").exists()


async def a_sandbox_that_is_gone(image: str) -> None:
    spec = SandboxSpec(image=image)
    async with AsyncSandbox({"talaria": {"target": "docker"}}, spec) as sandbox:
        await sandbox.start()
        with Talaria() as t:
            for one in t.sandboxes():
                one.close()
        assert (await sandbox.exec("true")).error_type == "sandbox"
        assert await sandbox.status() == SandboxStatus.STOPPED


def test_a_sandbox_that_is_gone_is_typed(docker_image: str) -> None:
    asyncio.run(a_sandbox_that_is_gone(docker_image))


def test_the_page_of_the_guide(code_of_page: Callable[[str, str], str], docker_image: str) -> None:
    code = code_of_page("nemo_gym.md", "sandbox").replace("python:3.12", docker_image)
    names: dict[str, Any] = {}
    body = compile(code, "nemo_gym.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    asyncio.run(eval(body, names))
    assert names["result"].stdout.startswith("Python 3.")


def test_workdir_and_variables_of_the_image(image_with_workdir: str) -> None:
    spec = SandboxSpec(image=image_with_workdir)
    with Sandbox({"talaria": {"target": "docker"}}, spec).start() as sandbox:
        shown = sandbox.exec("pwd; cat greeting; echo $FLAVOUR; hail")
        assert shown.stdout == "/srv/app\nhello\nvanilla\nhail from /opt/tools\n", shown


@pytest.mark.parametrize(
    "wrong",
    [
        {"resources": {"gpu": 1}},
        {"entrypoint": ["python3"]},
        {"provider_options": {"binds": "/:/host"}},
        {"image": "talaria-test-no-such-image:none", "provider_options": {"target": "docker"}},
    ],
)
def test_what_cannot_be_given_is_an_error(
    wrong: dict, docker_image: str, local_directory: Path
) -> None:
    spec = SandboxSpec(**{"workdir": str(local_directory), **wrong})
    with pytest.raises(SandboxCreateError):
        Sandbox({"talaria": {"target": "local"}}, spec).start()
