"""mini-swe-agent with its own deterministic model, by its own agent loop and its own program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments import get_environment
from minisweagent.models.test_models import DeterministicModel, make_output

from talaria import Talaria
from talaria.errors import InfrastructureError, NotFound
from talaria.integrations.mini_swe import TalariaEnvironment

CLASS = "talaria.integrations.mini_swe.TalariaEnvironment"
BROKEN = "def add(a, b):\n    return a - b\n"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat solver.py"
STEPS = [
    "cat solver.py",
    "python3 -B -c 'import solver; assert solver.add(40, 2) == 42'",
    "sed -i 's/a - b/a + b/' solver.py",
    "python3 -B -c 'import solver; assert solver.add(40, 2) == 42; print(\"passed\")'",
    SUBMIT,
]


def environment(**config: object) -> TalariaEnvironment:
    made = get_environment({"environment_class": CLASS, **config})
    assert isinstance(made, TalariaEnvironment)
    return made


def agent(env: TalariaEnvironment, steps: list[str]) -> DefaultAgent:
    outputs = [make_output(f"step {n}", [{"command": step}]) for n, step in enumerate(steps)]
    return DefaultAgent(
        DeterministicModel(outputs=outputs),
        env,
        system_template="You fix programs on {{system}} {{machine}}.",
        instance_template="{{task}} in {{cwd}}",
        cost_limit=0,
    )


def observations(run: DefaultAgent) -> list[str]:
    return [one["content"] for one in run.messages if one["role"] == "user"][1:]


@pytest.mark.parametrize("target", ["local", "docker"])
def test_the_agent_solves_a_task(
    target: str, local_directory: Path, request: pytest.FixtureRequest
) -> None:
    if target == "docker":
        env = environment(
            target="docker", image=request.getfixturevalue("docker_image"), cwd="/srv"
        )
    else:
        env = environment(target="local", cwd=str(local_directory))
    try:
        env.execute({"command": f"cat >solver.py <<'END'\n{BROKEN}END"})
        run = agent(env, STEPS)
        outcome = run.run("Fix add()")
        assert outcome["exit_status"] == "Submitted", outcome
        assert outcome["submission"] == BROKEN.replace("a - b", "a + b")
        assert run.messages[0]["content"].startswith("You fix programs on Linux ")
        seen = observations(run)
        assert BROKEN in seen[0]
        assert "<returncode>1</returncode>" in seen[1]
        assert "AssertionError" in seen[1]
        assert "passed" in seen[3]
        assert run.serialize()["info"]["config"]["environment_type"] == CLASS
    finally:
        env.cleanup()
        env.cleanup()
    with Talaria() as t:
        assert t.sandboxes() == []


def test_the_program_of_mini_swe_agent(local_directory: Path, tmp_path: Path) -> None:
    (local_directory / "solver.py").write_text(BROKEN)
    trajectory = tmp_path / "trajectory.json"
    config = tmp_path / "config.yaml"
    outputs = [make_output(step, [{"command": step}]) for step in STEPS]
    config.write_text(
        json.dumps(
            {
                "agent": {
                    "system_template": "You fix programs.",
                    "instance_template": "{{task}}",
                    "cost_limit": 0,
                },
                "environment": {"target": "local", "cwd": str(local_directory)},
                "model": {
                    "model_class": "minisweagent.models.test_models.DeterministicModel",
                    "model_name": "deterministic",
                    "outputs": outputs,
                },
            }
        )
    )
    mini = Path(sys.executable).with_name("mini")
    arguments = ["--environment-class", CLASS, "-c", config, "-t", "Fix add()", "-y"]
    ended = subprocess.run(
        [mini, *arguments, "--exit-immediately", "-o", trajectory],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    info = json.loads(trajectory.read_text())["info"]
    assert info["exit_status"] == "Submitted", info
    assert (local_directory / "solver.py").read_text() == BROKEN.replace("a - b", "a + b")
    with Talaria() as t:
        assert t.sandboxes() == []


def test_timeout_failure_and_refusal_are_results(local_directory: Path) -> None:
    env = environment(target="local", cwd=str(local_directory), timeout=1)
    late = env.execute({"command": "echo begun; sleep 60"})
    assert late["output"] == "begun\n"
    assert late["returncode"] == -1
    assert late["extra"]["exception_type"] == "CommandTimeout"
    failed = env.execute({"command": "echo out; echo err >&2; exit 3"})
    assert (failed["output"], failed["returncode"]) == ("out\nerr\n", 3)
    refused = env.execute({"command": "touch forbidden"})
    assert refused["returncode"] == -1
    assert refused["extra"]["exception_type"] == "Denied"
    assert not (local_directory / "forbidden").exists()
    env.cleanup()


def test_every_command_has_a_new_shell_unless_it_is_a_session(local_directory: Path) -> None:
    for session, expected in ((False, str(local_directory)), (True, "/")):
        env = environment(target="local", cwd=str(local_directory), session=session)
        env.execute({"command": "cd /; export WORD=kept"})
        shown = env.execute({"command": "pwd; echo $WORD"})["output"].splitlines()
        assert shown == [expected, "kept" if session else ""]
        env.cleanup()


def test_workdir_and_variables_of_the_image(image_with_workdir: str) -> None:
    env = environment(target="docker", image=image_with_workdir, env={"MORE": "yes"})
    shown = env.execute({"command": "pwd; cat greeting; echo $FLAVOUR $MORE; hail"})
    assert shown["output"] == "/srv/app\nhello\nvanilla yes\nhail from /opt/tools\n", shown
    env.cleanup()


def test_an_image_whose_files_are_hidden_is_named(
    docker_image: str, caplog: pytest.LogCaptureFixture
) -> None:
    text = f"FROM {docker_image}\nWORKDIR /workspace\n"
    build = ["docker", "build", "-q", "-t", "talaria-test-hidden", "-"]
    subprocess.run(build, input=text, text=True, check=True, capture_output=True)
    env = environment(target="docker", image="talaria-test-hidden")
    assert env.execute({"command": "pwd"})["output"] == "/workspace\n"
    assert "the image talaria-test-hidden begins in /workspace" in caplog.text
    env.cleanup()


def test_a_sandbox_that_is_gone_ends_the_run(docker_image: str) -> None:
    """The model is not told about a broken machine as if its command had failed."""
    env = environment(target="docker", image=docker_image)
    with Talaria() as t:
        for sandbox in t.sandboxes():
            sandbox.close()
    with pytest.raises((InfrastructureError, NotFound)):
        agent(env, ["true", SUBMIT]).run("Do it")
    env.cleanup()


def test_without_cleanup_nothing_is_left(docker_image: str) -> None:
    """A program that forgets its environment, and one that is not collected at its end."""
    code = (
        "from talaria.integrations.mini_swe import TalariaEnvironment as E\n"
        f"kept = E(target='docker', image={docker_image!r})\n"
        "kept.ring = kept\n"
        "print(kept.execute({'command': 'id -un'})['output'])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split()[-1] == "root"
    with Talaria() as t:
        assert t.sandboxes() == []
