"""Hermes as its users run it: with a home that enables the plugin, and one conversation.

    python one_conversation.py URL MESSAGE [CALL...]

prints JSON: the plugins that Hermes has loaded, whether the terminal can be used, the results of
the calls (`TOOL {JSON}` each), and the last answer of the conversation.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main(url: str, message: str, calls: list[str]) -> dict[str, Any]:
    from hermes_cli.plugins import discover_plugins, get_plugin_manager

    discover_plugins()
    plugins = [one for one in get_plugin_manager().list_plugins() if one["name"] == "talaria"]
    import tools.file_tools
    import tools.process_registry  # noqa: F401
    from tools.registry import registry
    from tools.terminal_tool import check_terminal_requirements

    said: dict[str, Any] = {"plugins": plugins, "usable": check_terminal_requirements()}
    said["results"] = [
        json.loads(registry.dispatch(tool, json.loads(arguments), task_id="default"))
        for tool, arguments in (call.split(" ", 1) for call in calls)
    ]
    if message:
        from run_agent import AIAgent

        agent = AIAgent(
            base_url=url,
            api_key="none",
            model="scripted",
            provider="custom",
            enabled_toolsets=["terminal", "file"],
            quiet_mode=True,
            skip_context_files=True,
            skip_memory=True,
            max_iterations=8,
        )
        said["answer"] = agent.run_conversation(message)["final_response"]
    return said


if __name__ == "__main__":
    said = main(sys.argv[1], sys.argv[2], sys.argv[3:])
    print("SAID " + json.dumps(said, default=str))
