"""Evaluations by inspect_ai, with a model that plays a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate, use_tools
from inspect_ai.tool import bash
from inspect_ai.util import SandboxEnvironmentSpec, SandboxUnavailableError, sandbox

from talaria import Talaria
from talaria.integrations.inspect import TalariaConfig, TalariaSandboxEnvironment


@scorer(metrics=[accuracy()])
def file_says(name: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        found = await sandbox().read_file(name)
        return Score(value=CORRECT if found.strip() == target.text else INCORRECT, answer=found)

    return score


def counted(output: ModelOutput) -> ModelOutput:
    """Else the model counts tokens, by a vocabulary that is somewhere on the network."""
    output.usage = ModelUsage()
    return output


def call(command: str) -> ModelOutput:
    return counted(ModelOutput.for_tool_call("mockllm/model", "bash", {"command": command}))


def run(
    config: TalariaConfig | str | None, outputs: list[ModelOutput], logs: Path, **sample
) -> EvalLog:
    task = inspect_ai.Task(
        dataset=[Sample(input="Write the answer.", target="42", **sample)],
        solver=[use_tools(bash(timeout=20)), generate()],
        scorer=file_says("answer.txt"),
        sandbox=SandboxEnvironmentSpec("talaria", config),
    )
    outputs = [*outputs, counted(ModelOutput.from_content("mockllm/model", "Done."))]
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = inspect_ai.eval(task, model=model, log_dir=str(logs), display="none", epochs=1)
    return log


def tool_messages(log: EvalLog) -> list:
    assert log.samples
    return [message for message in log.samples[0].messages if message.role == "tool"]


@pytest.mark.parametrize("target", ["local", "docker"])
def test_a_model_solves_a_task(target: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    image = request.getfixturevalue("docker_image") if target == "docker" else None
    config = TalariaConfig(target=target, image=image, memory="256m", cpus=1)
    outputs = [call("cat numbers.txt; cat setup.txt"), call("echo $((40 + 2)) >answer.txt; pwd")]
    log = run(
        config,
        outputs,
        tmp_path,
        files={"numbers.txt": "40 and 2\n"},
        setup="#!/bin/bash\necho was set up >setup.txt\n",
    )
    assert log.status == "success", log.error
    assert log.results
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert "40 and 2\nwas set up" in tool_messages(log)[0].text
    with Talaria() as t:
        assert t.sandboxes() == []


def test_a_refused_command_is_a_permission_error_for_the_model(tmp_path: Path) -> None:
    log = run(
        TalariaConfig(target="local"),
        [call("touch forbidden"), call("echo 42 >answer.txt")],
        tmp_path,
    )
    assert log.status == "success", log.error
    [refused, _] = tool_messages(log)
    assert refused.error is not None
    assert refused.error.type == "permission"


def test_a_timeout_has_what_was_printed(tmp_path: Path) -> None:
    outputs = [call("echo begun; sleep 60"), call("echo 42 >answer.txt")]
    log = run(TalariaConfig(target="local"), outputs, tmp_path)
    [late, _] = tool_messages(log)
    assert late.error is not None
    assert late.error.type == "timeout"
    assert log.status == "success", log.error


def test_configuration_files(tmp_path: Path) -> None:
    file = tmp_path / "talaria.yaml"
    file.write_text("target: local\nenv:\n  GREETING: hello there\n")
    log = run(str(file), [call('echo "$GREETING"; echo 42 >answer.txt')], tmp_path / "logs")
    assert log.status == "success", log.error
    assert tool_messages(log)[0].text.strip() == "hello there"


async def test_workdir_and_variables_of_the_image(image_with_workdir: str) -> None:
    config = TalariaConfig(target="docker", image=image_with_workdir)
    environment = await TalariaSandboxEnvironment.create("workdir", config)
    try:
        result = await environment.exec(["sh", "-c", "pwd; cat greeting; echo $FLAVOUR; hail"])
        assert result.stdout == "/srv/app\nhello\nvanilla\nhail from /opt/tools\n", result
        assert await environment.read_file("greeting") == "hello\n"
    finally:
        await environment.close()
        await TalariaSandboxEnvironment.task_cleanup("workdir", config, True)


async def test_a_sandbox_that_is_gone_is_unavailable(docker_image: str) -> None:
    config = TalariaConfig(target="docker", image=docker_image)
    environment = await TalariaSandboxEnvironment.create("gone", config)
    try:
        await environment.sandbox.close()
        with pytest.raises(SandboxUnavailableError):
            await environment.exec(["true"])
        with pytest.raises(SandboxUnavailableError):
            await environment.read_file("/etc/hostname")
        with pytest.raises(ConnectionError):
            await environment.connection()
    finally:
        await TalariaSandboxEnvironment.task_cleanup("gone", config, True)


def test_what_a_killed_run_left_is_swept(docker_image: str, tmp_path: Path) -> None:
    """A run is killed in the middle; `inspect sandbox cleanup talaria` removes it all."""
    script = tmp_path / "task.py"
    script.write_text(
        "from inspect_ai import Task, eval, task\n"
        "from inspect_ai.dataset import Sample\n"
        "from inspect_ai.model import ModelOutput, ModelUsage, get_model\n"
        "from inspect_ai.solver import generate, use_tools\n"
        "from inspect_ai.tool import bash\n"
        "from inspect_ai.util import SandboxEnvironmentSpec\n"
        "from talaria.integrations.inspect import TalariaConfig\n"
        "import sys\n"
        "outputs = [ModelOutput.for_tool_call('mockllm/model', 'bash', {'command': 'sleep 300'})]\n"
        "outputs[0].usage = ModelUsage()\n"
        "config = TalariaConfig(target='docker', image=sys.argv[1])\n"
        "eval(Task(dataset=[Sample(input='x', id=1)], solver=[use_tools(bash()), generate()],\n"
        "          sandbox=SandboxEnvironmentSpec('talaria', config)),\n"
        "     model=get_model('mockllm/model', custom_outputs=outputs), display='none',\n"
        "     log_dir=sys.argv[2])\n"
    )
    child = subprocess.Popen([sys.executable, script, docker_image, tmp_path / "logs"])
    with Talaria() as t:
        try:
            while not (left := t.sandboxes()):
                assert child.poll() is None, "the run ended by itself"
        finally:
            child.kill()
            child.wait()
        assert left[0].info.name is not None
        assert left[0].info.name.startswith("inspect-")
        program = Path(sys.executable).with_name("inspect")
        swept = subprocess.run(
            [program, "sandbox", "cleanup", "talaria"], capture_output=True, text=True, check=True
        )
        assert "Removed 1 sandbox" in swept.stdout, swept
        assert t.sandboxes() == []


def test_the_page_of_the_guide(code_of_page: Callable[[str, str], str]) -> None:
    names: dict[str, Any] = {"dataset": [Sample(input="x")], "solver": generate()}
    exec(code_of_page("inspect.md", "task"), names)
    assert names["task"].sandbox.type == "talaria"
    assert names["task"].sandbox.config.memory == "2g"


def test_the_entry_point_is_registered() -> None:
    """In a new interpreter, nothing of ours imported: the name alone is enough."""
    code = (
        "from inspect_ai.util._sandbox.registry import registry_find_sandboxenv as find\n"
        "print(find('talaria').__module__)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert found.stdout.strip() == "talaria.integrations.inspect"


def test_configurations_survive_a_log(tmp_path: Path) -> None:
    """What a log keeps of a configuration makes the same one again."""
    config = TalariaConfig(target="local", env=(("A", "1"),), memory="1g")
    again = TalariaSandboxEnvironment.config_deserialize(json.loads(config.model_dump_json()))
    assert again == config
    assert hash(again) == hash(config)
