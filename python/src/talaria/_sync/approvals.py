# Generated from _async/approvals.py by tools/generate_sync.py. Change that one.
"""What people are asked: whether a command may run, and passwords of sudo."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _log as log
from ..errors import Denied, NotFound, TalariaError
from ..questions import Answer, Approval, Approve, Deny, SudoRequest
from ..types import Command, Json, Scope, Time
from .runtime import Inbox, Background, outcome_of

if TYPE_CHECKING:
    from .runtime import Channel


class Approvals:
    """Questions whether a command may run, and their answers.

    With a handler, or while somebody iterates, a dangerous command of this client waits for the
    answer. Otherwise it fails with ApprovalPending, and its question waits in the home's queue.
    """

    def __init__(self, channel: Channel, session_key: str | None) -> None:
        self._channel = channel
        self._session_key = session_key
        self._background = Background()
        self._users = 0
        self._stop: Callable[[], None] | None = None
        self._handler: Callable[[Approval], Any] | None = None

    def list(self, *, all: bool = False) -> list[Approval]:
        """The open questions of the home, oldest first, also those of other programs. `all` adds
        those that were answered or have expired."""
        answer = self._channel.call("approvals.list", {"all": all or None})
        return [Approval.from_wire(one) for one in answer["approvals"]]

    def approve(
        self,
        approval: Approval | str,
        *,
        scope: Scope = "once",
        covers: str | None = None,
        for_: Time | None = None,
    ) -> Approval:
        """Yes: once, for the session, or always. `covers` and `for_` limit it further
        (docs/guide/approvals.md)."""
        return self._answer(approval, scope, {"covers": covers, "for": for_})

    def deny(self, approval: Approval | str, words: str | None = None) -> Approval:
        """No. The model gets `words`."""
        return self._answer(approval, "deny", {"words": words})

    def grant(
        self,
        command: Command,
        *,
        task: str | None = None,
        sandbox: str | None = None,
        cwd: str | None = None,
        covers: str | None = None,
        for_: Time | None = None,
    ) -> Json:
        """Approves a command before anybody asks."""
        params: Json = {
            "command" if isinstance(command, str) else "argv": command,
            "task": task,
            "sandbox": sandbox,
            "cwd": cwd,
            "covers": covers,
            "for": for_,
        }
        return (self._channel.call("approvals.grant", params))["grant"]

    def handler(self, function: Callable[[Approval], Any] | None) -> None:
        """Asks `function` about every dangerous command of this client. It returns `Approve(...)`,
        `Deny(words)`, `True` (once) or `False`. An exception denies. None ends that."""
        before, self._handler = self._handler, function
        if function is not None and before is None:
            self._subscribe()
            self._stop = self._channel.connection.listen(self._on_event)
        elif function is None and before is not None:
            if self._stop is not None:
                self._stop()
            self._unsubscribe()

    def questions(self) -> Questions:
        """The questions of this client's commands, as they come: iterate over it, in a thread or
        task of its own, and `close()` it at the end."""
        self._subscribe()
        return Questions(self)

    def __iter__(self) -> Questions:
        return Questions(self, subscribe=True)

    def _subscribe(self) -> None:
        self._users += 1
        params = {"session_key": self._session_key} if self._session_key else {}
        body = {"method": "approvals.subscribe", "params": params}
        self._channel.call("approvals.subscribe", params)
        self._channel.connection.keep("approvals", body)

    def _unsubscribe(self) -> None:
        self._users -= 1
        if self._users == 0 and not self._channel.connection.closed:
            params = {"session_key": self._session_key} if self._session_key else {}
            self._channel.connection.keep("approvals", None)
            self._channel.call("approvals.unsubscribe", params)

    def _answer(self, approval: Approval | str, choice: str, more: Json) -> Approval:
        number = approval.id if isinstance(approval, Approval) else approval
        params = {"id": number, "answer": choice, **more}
        return Approval.from_wire(self._channel.call("approvals.answer", params))

    def _on_event(self, event: Json) -> None:
        if event.get("type") == "approval_requested":
            self._background.run(lambda: self._handle(Approval.from_wire(event)))

    def _handle(self, approval: Approval) -> None:
        function = self._handler
        if function is None:
            return
        try:
            answer: Answer = outcome_of(function, approval)
        except Exception:
            log.exception("the handler of approvals failed: denied")
            answer = Deny("the program that had to decide failed")
        try:
            if isinstance(answer, Deny):
                self.deny(approval, answer.words)
            elif isinstance(answer, Approve):
                self.approve(
                    approval, scope=answer.scope, covers=answer.covers, for_=answer.for_
                )
            elif answer is True:
                self.approve(approval)
            else:
                self.deny(approval)
        except (Denied, NotFound) as error:  # somebody else was quicker
            log.debug("approval %s: %s", approval.id, error)
        except TalariaError as error:
            log.warning("approval %s was not answered: %s", approval.id, error)


class Questions:
    """An iterator over questions."""

    def __init__(self, approvals: Approvals, *, subscribe: bool = False) -> None:
        self._approvals = approvals
        self._inbox: Inbox[Approval] = Inbox()
        self._to_subscribe = subscribe
        self._closed = False
        self._stop = approvals._channel.connection.listen(self._on_event)  # pyright: ignore[reportPrivateUsage]

    def next(self, timeout: float | None = None) -> Approval:
        """The next question. Raises TimeoutError."""
        if self._to_subscribe:
            self._to_subscribe = False
            self._approvals._subscribe()  # pyright: ignore[reportPrivateUsage]
        return self._inbox.get(timeout)

    def close(self) -> None:
        """Ends it. Commands are no longer asked about, unless somebody else does."""
        if not self._closed:
            self._closed = True
            self._stop()
            if not self._to_subscribe:
                self._approvals._unsubscribe()  # pyright: ignore[reportPrivateUsage]

    def __iter__(self) -> Questions:
        return self

    def __next__(self) -> Approval:
        return self.next()

    def __enter__(self) -> Questions:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _on_event(self, event: Json) -> None:
        if event.get("type") == "approval_requested":
            self._inbox.put(Approval.from_wire(event))


class Sudo:
    """Passwords of sudo."""

    def __init__(self, channel: Channel, session_key: str | None) -> None:
        self._channel = channel
        self._params: Json = {"session_key": session_key} if session_key else {}
        self._background = Background()
        self._function: Callable[[SudoRequest], Any] | None = None
        self._stop: Callable[[], None] | None = None

    def handler(self, function: Callable[[SudoRequest], Any] | None) -> None:
        """Asks `function` for the password when a command of this client runs sudo. It returns the
        password, or None to refuse. None ends that."""
        connection = self._channel.connection
        before, self._function = self._function, function
        if function is not None and before is None:
            self._stop = connection.listen(self._on_event)
            self._channel.call("sudo.subscribe", self._params)
            connection.keep("sudo", {"method": "sudo.subscribe", "params": self._params})
        elif function is None and before is not None:
            if self._stop is not None:
                self._stop()
            connection.keep("sudo", None)
            self._channel.call("sudo.unsubscribe", self._params)

    def _on_event(self, event: Json) -> None:
        if event.get("type") == "sudo_requested":
            self._background.run(lambda: self._handle(event))

    def _handle(self, event: Json) -> None:
        request = SudoRequest(
            id=event["id"],
            command=event.get("command") or "",
            task=event.get("task") or "",
            session_key=event.get("session_key") or "",
            target=event.get("target") or "",
            timeout=event.get("timeout"),
        )
        password: str | None = None
        try:
            if self._function is not None:
                password = outcome_of(self._function, request)
        except Exception:
            log.exception("the handler of sudo failed: refused")
        try:
            params = {"id": request.id, "password": password}
            self._channel.tool({"method": "sudo.answer", "params": params})
        except TalariaError as error:
            log.warning("sudo %s was not answered: %s", request.id, error)
