"""The OpenAI Agents SDK (`openai-agents`) with Talaria.

`TalariaSandboxClient` gives the SDK's sandbox agents their sandboxes. `TalariaShell` is the
executor of its `ShellTool`.
"""

from .client import TalariaSandboxClient, TalariaSandboxClientOptions
from .session import TalariaSandboxSession, TalariaSandboxSessionState
from .shell import TalariaShell

__all__ = [
    "TalariaSandboxClient",
    "TalariaSandboxClientOptions",
    "TalariaSandboxSession",
    "TalariaSandboxSessionState",
    "TalariaShell",
]
