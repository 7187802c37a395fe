"""inspect_ai's own conformance suite, at every target that is here."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from talaria.integrations.inspect import TalariaConfig, TalariaSandboxEnvironment

# Only root may make users and run commands as another one.
NEEDS_ROOT = ("test_exec_as_user",)


@pytest.fixture(params=["local", "docker"])
async def sandbox_env(request: pytest.FixtureRequest) -> AsyncIterator[TalariaSandboxEnvironment]:
    name = request.node.originalname
    target = request.param
    image = request.getfixturevalue("docker_image") if target == "docker" else None
    if target == "local" and os.geteuid() != 0 and name in NEEDS_ROOT:
        request.applymarker(pytest.mark.xfail(reason="only root makes users", strict=True))
    config = TalariaConfig(target=target, image=image)
    environments = await TalariaSandboxEnvironment.sample_init("self_check", config, {})
    try:
        yield environments["default"]
    finally:
        await TalariaSandboxEnvironment.sample_cleanup("self_check", config, environments, False)
        await TalariaSandboxEnvironment.task_cleanup("self_check", config, True)
