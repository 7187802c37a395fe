"""Over `tools.environments.*`: the classes of environments, by what they are constructed with.

Each is a session of a program that was started with the settings which say the same.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from talaria.integrations.hermes.environment import TalariaEnvironment

from . import connection

CLASSES = {
    "local": "LocalEnvironment",
    "docker": "DockerEnvironment",
    "ssh": "SSHEnvironment",
    "singularity": "SingularityEnvironment",
    "modal": "ModalEnvironment",
    "managed_modal": "ManagedModalEnvironment",
    "daytona": "DaytonaEnvironment",
}


def names(module: str) -> list[str]:
    """What is laid over the module."""
    return [CLASSES[module.rpartition(".")[2]]]


def of_task(task: str) -> TalariaEnvironment:
    """The environment that the tools of a task use."""
    return _Session(connection.client().task(task))


def create(
    kind: str,
    *,
    image: str,
    cwd: str,
    timeout: int,
    ssh: Mapping[str, Any],
    container: Mapping[str, Any],
    task_id: str,
    host_cwd: str | None,
) -> Any:
    """An environment as the terminal tool asks for it."""
    resources = {
        "cpu": container.get("container_cpu", 1),
        "memory": container.get("container_memory", 5120),
        "disk": container.get("container_disk", 51200),
        "persistent_filesystem": container.get("container_persistent", True),
        "task_id": task_id,
    }
    if kind == "local":
        return LocalEnvironment(cwd=cwd, timeout=timeout)
    if kind == "ssh":
        return SSHEnvironment(
            host=ssh.get("host", ""),
            user=ssh.get("user", ""),
            port=ssh.get("port", 22),
            key_path=ssh.get("key", ""),
            cwd=cwd,
            timeout=timeout,
        )
    if kind == "docker":
        return DockerEnvironment(
            image,
            cwd,
            timeout,
            volumes=container.get("docker_volumes") or [],
            forward_env=container.get("docker_forward_env") or [],
            env=container.get("docker_env") or {},
            network=container.get("docker_network", True),
            host_cwd=host_cwd,
            auto_mount_cwd=container.get("docker_mount_cwd_to_workspace", False),
            extra_args=container.get("docker_extra_args") or [],
            **resources,
        )
    made = {
        "singularity": SingularityEnvironment,
        "modal": ModalEnvironment,
        "daytona": DaytonaEnvironment,
    }.get(kind)
    if made is None:
        raise ValueError(f"Unknown environment type: {kind}. Use one of: {', '.join(CLASSES)}")
    return made(image, cwd, timeout, **resources)


class _Session(TalariaEnvironment):
    """A session that this environment shares with the tools of its task."""


class _Own(TalariaEnvironment):
    """A session of its own, of a program with these settings."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        cwd: str,
        timeout: float,
        env: Mapping[str, str] | None = None,
        task_id: str | None = None,
    ) -> None:
        given = {name: _text(value) for name, value in settings.items() if value is not None}
        task = connection.client(given).task(task_id or f"hermes-{secrets.token_hex(6)}")
        super().__init__(task, cwd=cwd, timeout=timeout, env=dict(env or {}), release=task.close)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _resources(cpu: float, memory: int, disk: int, persistent: bool) -> dict[str, Any]:
    return {
        "TERMINAL_CONTAINER_CPU": cpu or None,
        "TERMINAL_CONTAINER_MEMORY": memory or None,
        "TERMINAL_CONTAINER_DISK": disk or None,
        "TERMINAL_CONTAINER_PERSISTENT": persistent,
    }


class LocalEnvironment(_Own):
    """Commands on this machine."""

    def __init__(self, cwd: str = "", timeout: int = 60, env: dict[str, str] | None = None) -> None:
        directory = os.path.expanduser(cwd) if cwd else os.getcwd()
        super().__init__({"TERMINAL_ENV": "local"}, directory, timeout, env)


class DockerEnvironment(_Own):
    """Commands in a container."""

    def __init__(
        self,
        image: str,
        cwd: str = "/root",
        timeout: int = 60,
        cpu: float = 0,
        memory: int = 0,
        disk: int = 0,
        persistent_filesystem: bool = False,
        task_id: str = "default",
        volumes: Sequence[str] | None = None,
        forward_env: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        network: bool = True,
        host_cwd: str | None = None,
        auto_mount_cwd: bool = False,
        run_as_host_user: bool = False,
        extra_args: Sequence[str] | None = None,
        persist_across_processes: bool = True,
    ) -> None:
        settings = {
            "TERMINAL_ENV": "docker",
            "TERMINAL_DOCKER_IMAGE": image,
            "TERMINAL_DOCKER_VOLUMES": list(volumes or []),
            "TERMINAL_DOCKER_FORWARD_ENV": list(forward_env or []),
            "TERMINAL_DOCKER_ENV": dict(env or {}),
            "TERMINAL_DOCKER_NETWORK": network,
            "TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE": auto_mount_cwd,
            "TERMINAL_DOCKER_RUN_AS_HOST_USER": run_as_host_user,
            "TERMINAL_DOCKER_EXTRA_ARGS": list(extra_args or []),
            "TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES": persist_across_processes,
            "TERMINAL_CWD": host_cwd if auto_mount_cwd else None,
            **_resources(cpu, memory, disk, persistent_filesystem),
        }
        super().__init__(settings, cwd, timeout, None, task_id)


class SSHEnvironment(_Own):
    """Commands on another host."""

    def __init__(
        self,
        host: str,
        user: str,
        cwd: str = "~",
        timeout: int = 60,
        port: int = 22,
        key_path: str = "",
    ) -> None:
        settings = {
            "TERMINAL_ENV": "ssh",
            "TERMINAL_SSH_HOST": host,
            "TERMINAL_SSH_USER": user,
            "TERMINAL_SSH_PORT": port,
            "TERMINAL_SSH_KEY": key_path or None,
        }
        super().__init__(settings, cwd, timeout)


class SingularityEnvironment(_Own):
    """Commands in an instance of Singularity or Apptainer."""

    def __init__(
        self,
        image: str,
        cwd: str = "~",
        timeout: int = 60,
        cpu: float = 0,
        memory: int = 0,
        disk: int = 0,
        persistent_filesystem: bool = False,
        task_id: str = "default",
    ) -> None:
        settings = {
            "TERMINAL_ENV": "singularity",
            "TERMINAL_SINGULARITY_IMAGE": image,
            **_resources(cpu, memory, disk, persistent_filesystem),
        }
        super().__init__(settings, cwd, timeout, None, task_id)


class ModalEnvironment(_Own):
    """Commands in a sandbox of Modal."""

    MODE = "direct"

    def __init__(
        self,
        image: str,
        cwd: str = "/root",
        timeout: int = 60,
        modal_sandbox_kwargs: Mapping[str, Any] | None = None,
        persistent_filesystem: bool = True,
        task_id: str = "default",
        cpu: float = 0,
        memory: int = 0,
        disk: int = 0,
    ) -> None:
        more = dict(modal_sandbox_kwargs or {})
        settings = {
            "TERMINAL_ENV": "modal",
            "TERMINAL_MODAL_MODE": self.MODE,
            "TERMINAL_MODAL_IMAGE": image,
            **_resources(
                more.get("cpu", cpu),
                more.get("memory", memory),
                more.get("ephemeral_disk", disk),
                persistent_filesystem,
            ),
        }
        super().__init__(settings, cwd, timeout, None, task_id)


class ManagedModalEnvironment(ModalEnvironment):
    """Commands in a sandbox of a managed gateway."""

    MODE = "managed"


class DaytonaEnvironment(_Own):
    """Commands in a sandbox of Daytona."""

    def __init__(
        self,
        image: str,
        cwd: str = "/home/daytona",
        timeout: int = 60,
        cpu: int = 1,
        memory: int = 5120,
        disk: int = 10240,
        persistent_filesystem: bool = True,
        task_id: str = "default",
    ) -> None:
        settings = {
            "TERMINAL_ENV": "daytona",
            "TERMINAL_DAYTONA_IMAGE": image,
            **_resources(cpu, memory, disk, persistent_filesystem),
        }
        super().__init__(settings, cwd, timeout, None, task_id)
