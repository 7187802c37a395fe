"""Approvals and passwords of sudo."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from talaria import (
    Approval,
    ApprovalPending,
    Approve,
    AsyncTalaria,
    Denied,
    Deny,
    NotFound,
    Talaria,
)

from .conftest import World

DANGEROUS = "rm -rf data; echo removed"


@pytest.fixture
def asked(world: World) -> Iterator[Talaria]:
    """A client in a directory with something to lose."""
    with Talaria(cwd=str(world.root / "work"), session_key="py-questions") as client:
        client.run("mkdir -p data")
        yield client


def test_without_anybody_the_question_waits(asked: Talaria) -> None:
    with pytest.raises(ApprovalPending) as error:
        asked.run(DANGEROUS)
    assert error.value.approval_id is not None
    assert error.value.reason == "pending"
    assert error.value.description
    question = next(one for one in asked.approvals.list() if one.id == error.value.approval_id)
    assert question.command == DANGEROUS
    asked.approvals.approve(question)
    assert asked.run(DANGEROUS).stdout == "removed\n"
    with pytest.raises(ApprovalPending):
        asked.run(DANGEROUS)


def test_a_handler_decides(asked: Talaria) -> None:
    seen: list[Approval] = []

    def decide(approval: Approval) -> object:
        seen.append(approval)
        return Approve() if len(seen) == 1 else Deny("keep the data")

    asked.approvals.handler(decide)
    assert asked.run(DANGEROUS).stdout == "removed\n"
    with pytest.raises(Denied) as error:
        asked.run(DANGEROUS)
    assert not isinstance(error.value, ApprovalPending)
    assert error.value.by == "person"
    assert error.value.words == "keep the data"
    assert [one.command for one in seen] == [DANGEROUS, DANGEROUS]
    asked.approvals.handler(None)
    with pytest.raises(ApprovalPending):
        asked.run(DANGEROUS)


@pytest.mark.parametrize("answer", [False, None, "yes", 1])
def test_only_true_approves(asked: Talaria, answer: object) -> None:
    asked.approvals.handler(lambda _: answer)
    with pytest.raises(Denied):
        asked.run(DANGEROUS)


def test_a_handler_that_fails_denies(asked: Talaria) -> None:
    def decide(_: Approval) -> bool:
        raise RuntimeError("broken")

    asked.approvals.handler(decide)
    with pytest.raises(Denied) as error:
        asked.run(DANGEROUS)
    assert error.value.by == "person"


def test_a_handler_may_use_the_client(asked: Talaria) -> None:
    asked.approvals.handler(lambda _: asked.run("test -d data", session=False).ok)
    assert asked.run(DANGEROUS).stdout == "removed\n"


def test_questions_can_be_iterated(asked: Talaria) -> None:
    with asked.approvals.questions() as questions:
        found: list[str] = []
        command = threading.Thread(target=lambda: found.append(asked.run(DANGEROUS).stdout))
        command.start()
        question = questions.next(timeout=20)
        assert question.command == DANGEROUS
        asked.approvals.approve(question, scope="once")
        command.join(20)
        assert found == ["removed\n"]


def test_a_call_that_does_not_wait(asked: Talaria) -> None:
    with asked.approvals.questions(), pytest.raises(ApprovalPending):
        asked.run(DANGEROUS, wait_approval=False)


def test_judging_runs_nothing(asked: Talaria) -> None:
    assert asked.judge("echo x").allowed
    verdict = asked.judge(DANGEROUS)
    assert verdict.verdict == "ask"
    assert verdict.description
    assert asked.judge("rm -rf /").verdict == "denied"
    with pytest.raises(Denied) as error:
        asked.run("rm -rf /", wait_approval=False)
    assert error.value.by == "hardline"


def test_a_grant(asked: Talaria) -> None:
    task = asked.task("py-grant")
    task.set_cwd(asked.cwd())
    asked.approvals.grant("rm -rf data", task="py-grant", covers="command", for_="1m")
    assert task.run("rm -rf data").ok


def test_answers_to_nothing(asked: Talaria) -> None:
    with pytest.raises(NotFound):
        asked.approvals.approve("appr_000000000000")
    with pytest.raises(NotFound):
        asked.approvals.deny("appr_000000000000", "no")


def test_an_asynchronous_handler(run: Callable[[Any], Any], world: World) -> None:
    async def work() -> None:
        async with AsyncTalaria(cwd=str(world.root / "work"), session_key="py-async") as t:
            await t.run("mkdir -p data")

            async def decide(approval: Approval) -> bool:
                await asyncio.sleep(0.01)
                return approval.command == DANGEROUS

            await t.approvals.handler(decide)
            assert (await t.run(DANGEROUS)).stdout == "removed\n"

    run(work())
