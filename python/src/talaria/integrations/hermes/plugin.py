"""The plugin: the terminal backend `talaria`.

A folder in `~/.hermes/plugins` with a `plugin.yaml` and one line of Python is enough:

    from talaria.integrations.hermes import register

It is configured like every backend, in `config.yaml`:

    terminal:
      backend: talaria
      backends:
        talaria:
          target: docker
          image: debian:12
"""

from __future__ import annotations

import functools
import importlib.util
import secrets
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from talaria import Talaria, find_program
from talaria.errors import TalariaError

from .environment import TalariaEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "talaria"
ISOLATED = ("docker", "podman", "singularity", "sandbox", "managed", "modal", "daytona")
OPTIONS = ("target", "image", "cpus", "memory", "disk", "ttl", "idle")
FIELDS: dict[str, dict[str, Any]] = {
    "target": {"type": "string", "description": "Where commands run: local, docker, ssh, ..."},
    "image": {"type": "string", "description": "Image of the container"},
    "cpus": {"type": "number", "description": "Processors"},
    "memory": {"type": "string", "description": "Memory, for example 2g"},
    "disk": {"type": "string", "description": "Disk space, for example 10g"},
    "ttl": {"type": "string", "description": "The sandbox is removed after this time"},
    "idle": {
        "type": "string",
        "description": "The sandbox is removed after this time without a command",
    },
    "gateway": {
        "type": "string",
        "description": "URL of a gateway; empty: a program of this machine",
    },
    "token": {"type": "secret", "description": "Token of the gateway"},
}

_clients: dict[tuple[str, str], Talaria] = {}
_lock = threading.Lock()


def client(config: Mapping[str, Any]) -> Talaria:
    """The client for this configuration; one for all environments.

    Hermes asks its person before it calls an environment. A second question about the same command
    would have nobody to answer it, so this client's session key has the approvals switched off;
    what is never allowed stays refused.
    """
    gateway, token = str(config.get("gateway") or ""), str(config.get("token") or "")
    with _lock:
        if (gateway, token) not in _clients:
            _clients[gateway, token] = (
                Talaria.connect(gateway, token) if gateway else _local_client()
            )
        return _clients[gateway, token]


def _local_client() -> Talaria:
    key = f"hermes-{secrets.token_hex(8)}"
    made = Talaria(session_key=key)
    made.call("approvals.yolo", {"session_key": key, "on": True})
    return made


def create_environment(
    *,
    cwd: str,
    timeout: float,
    task_id: str = "default",
    image: str | None = None,
    container_config: Mapping[str, Any] | None = None,
    backend_config: Mapping[str, Any] | None = None,
    **ignored: Any,
) -> TalariaEnvironment:
    """An environment of a sandbox of its own, as the configuration describes it."""
    config = configuration() if backend_config is None else backend_config
    options = {name: config[name] for name in OPTIONS if config.get(name)}
    if image and "image" not in options and options.get("target") not in (None, "local", "ssh"):
        options["image"] = image
    sandbox = client(config).sandbox(name=f"hermes-{task_id}"[:60], **options)
    return TalariaEnvironment(sandbox, cwd=cwd, timeout=timeout, release=sandbox.close)


def configuration() -> dict[str, Any]:
    """`terminal.backends.talaria` of the configuration of Hermes."""
    from hermes_cli.config import load_config

    terminal = load_config().get("terminal")
    backends = terminal.get("backends") if isinstance(terminal, Mapping) else None
    mine = backends.get(NAME) if isinstance(backends, Mapping) else None
    return dict(mine) if isinstance(mine, Mapping) else {}


def is_available() -> bool:
    """Whether there is a program to start, or a gateway is configured."""
    try:
        find_program(None)
    except TalariaError:
        return bool(configuration().get("gateway"))
    return True


def register(ctx: Any) -> None:
    """Called by Hermes when it loads the plugin."""
    if importlib.util.find_spec("agent.terminal_env_provider") is not None:
        from .provider import TalariaProvider

        ctx.register_terminal_environment_provider(TalariaProvider())
    else:
        extend_terminal_tool()


def extend_terminal_tool() -> None:
    """Hermes up to 0.19 has a fixed list of backends: this adds one to it, where it makes
    environments and where it checks whether the terminal can be used."""
    from tools import terminal_tool

    if getattr(terminal_tool, "talaria_backend", False):
        return
    terminal_tool.talaria_backend = True

    make: Callable[..., Any] = terminal_tool._create_environment

    @functools.wraps(make)
    def make_environment(env_type: str, *arguments: Any, **named: Any) -> Any:
        if env_type != NAME:
            return make(env_type, *arguments, **named)
        given = dict(zip(("image", "cwd", "timeout"), arguments, strict=False))
        return create_environment(**{**given, **named})

    check: Callable[[], bool] = terminal_tool.check_terminal_requirements

    @functools.wraps(check)
    def check_requirements() -> bool:
        config = terminal_tool._get_env_config()
        return is_available() if config["env_type"] == NAME else check()

    terminal_tool._create_environment = make_environment
    terminal_tool.check_terminal_requirements = check_requirements
    _replace_checks(check, check_requirements)


def _replace_checks(old: Any, new: Any) -> None:
    """The registry of tools holds the check itself, not its name."""
    from tools.registry import registry

    for entry in list(registry._tools.values()):
        if entry.check_fn is old:
            entry.check_fn = new
    for toolset, check in list(registry._toolset_checks.items()):
        if check is old:
            registry._toolset_checks[toolset] = new
