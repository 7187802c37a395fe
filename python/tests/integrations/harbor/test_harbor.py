"""Tasks in Harbor's format, from end to end by Harbor's own program."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harbor.models.task.config import EnvironmentConfig
from harbor.models.trial.paths import TrialPaths

from talaria import Talaria
from talaria.errors import InfrastructureError, NotFound
from talaria.integrations.harbor import CommandTimedOut, TalariaEnvironment

ENVIRONMENT = "talaria.integrations.harbor:TalariaEnvironment"
SOLVE = """#!/bin/bash
echo $(cat greeting.txt) 42 >answer.txt
cp answer.txt /logs/artifacts/
"""
CHECK = """#!/bin/bash
if [ "$(cat answer.txt)" = "hello 42" ]; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def task(tmp_path: Path, docker_image: str) -> Path:
    """A task that builds an image of its own."""
    folder = tmp_path / "answer"
    write(
        folder / "instruction.md",
        "Write it.\n$ echo $(cat greeting.txt) 42 >answer.txt\n$ exit 3\n",
    )
    write(
        folder / "task.toml",
        'schema_version = "1.4"\n[environment]\ncpus = 1\nmemory_mb = 512\n'
        '[environment.env]\nFLAVOUR = "vanilla"\n[verifier]\ntimeout_sec = 60.0\n',
    )
    dockerfile = f"FROM {docker_image}\nWORKDIR /app\nCOPY greeting.txt /app/\n"
    write(folder / "environment/Dockerfile", dockerfile)
    write(folder / "environment/greeting.txt", "hello\n")
    write(folder / "solution/solve.sh", SOLVE)
    write(folder / "tests/test.sh", CHECK)
    return folder


def harbor(task: Path, jobs: Path, *arguments: str) -> dict[str, Any]:
    """Runs the job, and returns the result of its only trial."""
    program = Path(sys.executable).with_name("harbor")
    options = ["--path", str(task), "-e", ENVIRONMENT, "-o", str(jobs), "--yes", "--quiet"]
    ended = subprocess.run(
        [program, "run", *options, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        cwd=jobs.parent,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    [result] = jobs.glob("*/*/result.json")
    return json.loads(result.read_text())


def rewards(result: dict[str, Any]) -> dict[str, float]:
    assert result["exception_info"] is None, result["exception_info"]
    return result["verifier_result"]["rewards"]


def test_the_oracle_solves_a_task(task: Path, tmp_path: Path) -> None:
    result = harbor(task, tmp_path / "jobs", "--agent", "oracle")
    assert rewards(result) == {"reward": 1.0}
    artifacts = {path.read_text() for path in (tmp_path / "jobs").rglob("artifacts/**/answer.txt")}
    assert artifacts == {"hello 42\n"}
    with Talaria() as t:
        assert t.sandboxes() == []


def test_a_scripted_agent_solves_a_task(task: Path, tmp_path: Path) -> None:
    result = harbor(task, tmp_path / "jobs", "--agent", "scripted_agent:ScriptedAgent")
    assert rewards(result) == {"reward": 1.0}
    [codes] = (tmp_path / "jobs").rglob("agent/exit-codes")
    assert codes.read_text().split() == ["0", "3"]


def test_an_agent_that_does_nothing_gets_nothing(task: Path, tmp_path: Path) -> None:
    assert rewards(harbor(task, tmp_path / "jobs", "--agent", "nop")) == {"reward": 0.0}


def test_an_image_by_its_name(task: Path, tmp_path: Path, image_with_workdir: str) -> None:
    """What is beside the task is put into the WORKDIR of the image."""
    (task / "environment/Dockerfile").unlink()
    text = (task / "task.toml").read_text()
    image = f'[environment]\ndocker_image = "{image_with_workdir}"\n'
    (task / "task.toml").write_text(text.replace("[environment]\n", image, 1))
    result = harbor(task, tmp_path / "jobs", "--agent", "oracle")
    assert rewards(result) == {"reward": 1.0}


def test_an_image_that_cannot_be_made_is_named(
    task: Path, tmp_path: Path, docker_image: str
) -> None:
    dockerfile = f"FROM {docker_image}\nCOPY missing.txt /app/\n"
    (task / "environment/Dockerfile").write_text(dockerfile)
    result = harbor(task, tmp_path / "jobs", "--agent", "oracle")
    assert result["exception_info"]["exception_type"] == "SandboxBuildFailedError"
    assert "missing.txt" in result["exception_info"]["exception_message"]


def environment(folder: Path, **kwargs: Any) -> TalariaEnvironment:
    (folder / "environment").mkdir(exist_ok=True)
    config = EnvironmentConfig(**kwargs.pop("config"))
    return TalariaEnvironment(
        environment_dir=folder / "environment",
        environment_name="one",
        session_id="one__env",
        trial_paths=TrialPaths(folder / "trial"),
        task_env_config=config,
        logger=logging.getLogger("test"),
        **kwargs,
    )


def test_exec_and_files(image_with_workdir: str, tmp_path: Path) -> None:
    async def use() -> None:
        env = environment(tmp_path, config={"docker_image": image_with_workdir, "env": {"A": "1"}})
        await env.start(force_build=False)
        try:
            result = await env.exec(
                "pwd; echo $FLAVOUR $A $B; hail; echo err >&2; exit 5", env={"B": "2"}
            )
            assert result.stdout == "/srv/app\nvanilla 1 2\nhail from /opt/tools\n"
            assert (result.stderr, result.return_code) == ("err\n", 5)
            with pytest.raises(CommandTimedOut) as late:
                await env.exec("echo begun; sleep 60", timeout_sec=1)
            assert late.value.result.stdout == "begun\n"
            seen: list[tuple[str, str]] = []

            async def on_output(text: str, stream: str) -> None:
                seen.append((stream, text))

            with env.scoped_output_callback(on_output):
                streamed = await env.exec("echo one; echo two >&2")
            assert (streamed.stdout, streamed.stderr) == ("one\n", "two\n")
            assert sorted(seen) == [("stderr", "two\n"), ("stdout", "one\n")]
            source = tmp_path / "source"
            write(source / "deep/file.txt", "content\n")
            await env.upload_dir(source, "/data/tree")
            await env.upload_file(source / "deep/file.txt", "/data/tree")
            await env.download_dir("/data/tree", tmp_path / "back")
            assert (tmp_path / "back/deep/file.txt").read_text() == "content\n"
            assert os.access(tmp_path / "back/deep/file.txt", os.X_OK)
            await env.download_file("/data/tree/file.txt", tmp_path / "one.txt")
            assert (tmp_path / "one.txt").read_text() == "content\n"
            await env.exec("useradd worker", user="root")
            assert (await env.exec("id -un", user="worker")).stdout == "worker\n"
        finally:
            await env.stop(delete=True)
        await env.stop(delete=True)

    asyncio.run(use())


def test_a_sandbox_that_is_gone_is_typed(docker_image: str, tmp_path: Path) -> None:
    async def use() -> None:
        env = environment(tmp_path, config={"docker_image": docker_image})
        await env.start(force_build=False)
        with Talaria() as t:
            for sandbox in t.sandboxes():
                sandbox.close()
        with pytest.raises((InfrastructureError, NotFound)):
            await env.exec("true")
        await env.stop(delete=True)

    asyncio.run(use())


def test_a_target_without_images_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no images"):
        environment(tmp_path, target="local", config={"docker_image": "any"})


def test_a_target_that_is_not_isolated_is_refused(
    docker_image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERMINAL_DOCKER_VOLUMES", json.dumps([f"{tmp_path}:/host"]))

    async def use() -> None:
        env = environment(tmp_path, config={"docker_image": docker_image})
        with pytest.raises(ValueError, match="not isolated"):
            await env.start(force_build=False)

    asyncio.run(use())
    with Talaria() as t:
        assert t.sandboxes() == []


@pytest.mark.parametrize("name", ["docker-compose.yaml", "compose.yml"])
def test_compose_is_refused(name: str, tmp_path: Path) -> None:
    write(tmp_path / "environment" / name, "services: {}\n")
    with pytest.raises(ValueError, match="Compose"):
        environment(tmp_path, config={"docker_image": "any"})
