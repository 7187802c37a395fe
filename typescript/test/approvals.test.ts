import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';

import { ApprovalPending, Denied, type Approval } from '../src/index.js';
import { World } from './support/world.js';

const world = new World({ asks: true });
const t = world.client({ cwd: world.work, sessionKey: 'chat' });

function directory(name: string): string {
  mkdirSync(world.path(name), { recursive: true });
  return name;
}

test('without anybody to ask, a dangerous command is refused with the rule', async () => {
  directory('refused');
  await assert.rejects(t.run('rm -rf refused', { waitApproval: false }), (error: unknown) => {
    assert.ok(error instanceof Denied, String(error));
    assert.ok(error.rules.length > 0);
    return true;
  });
  assert.ok(existsSync(world.path('refused')));
});

test('a handler answers', async () => {
  const asked: Approval[] = [];
  await t.approvals.handler(async (question) => {
    asked.push(question);
    return question.command.includes('yes') ? true : { deny: 'keep it' };
  });
  directory('yes');
  directory('no');
  assert.equal((await t.run('rm -rf yes')).exitCode, 0);
  assert.equal(existsSync(world.path('yes')), false);
  await assert.rejects(t.run('rm -rf no'), (error: unknown) => {
    assert.ok(error instanceof Denied);
    assert.deepEqual([error.by, error.words, error.reason], ['person', 'keep it', 'declined']);
    assert.ok(error.rule);
    return true;
  });
  assert.ok(existsSync(world.path('no')));
  assert.deepEqual(
    asked.map(({ command, sessionKey }) => [command, sessionKey]),
    [
      ['rm -rf yes', 'chat'],
      ['rm -rf no', 'chat'],
    ],
  );
  assert.ok(
    asked.every(
      ({ description, rule, target }) => description !== '' && rule !== '' && target === 'local',
    ),
  );
  await t.approvals.handler(undefined);
});

test('a handler that throws denies', async () => {
  await t.approvals.handler(() => {
    throw new Error('lost my glasses');
  });
  directory('thrown');
  await assert.rejects(t.run('rm -rf thrown'), Denied);
  await t.approvals.handler(undefined);
});

test('questions are iterated and answered by another part of the program', async () => {
  const statuses: string[] = [];
  directory('asked');
  const questions = await t.approvals.questions().ready();
  const answering = (async () => {
    for await (const question of questions) return question.approve({ scope: 'session' });
    return undefined;
  })();
  await t.run('rm -rf asked', { onStatus: ({ waiting }) => statuses.push(waiting ?? '') });
  assert.equal(existsSync(world.path('asked')), false);
  assert.deepEqual(statuses, [(await answering)?.id]);
});

test('a pending question is found in the list, and answered by its id', async () => {
  const other = world.client({ cwd: world.work });
  const task = other.task('pending');
  directory('pending');
  await other.settings.set({ 'approvals.wait': false, 'approvals.queue': true });
  await assert.rejects(
    task.run('rm -rf pending'),
    (error: unknown) => error instanceof ApprovalPending && error.approvalId !== undefined,
  );
  const [question] = (await t.approvals.list()).filter(
    ({ command }) => command === 'rm -rf pending',
  );
  assert.equal(question?.state, 'open');
  await t.approvals.approve(question?.id ?? '');
  assert.equal((await task.run('rm -rf pending')).exitCode, 0);
  assert.equal(existsSync(world.path('pending')), false);
});

test('a command is judged without being run', async () => {
  directory('judged');
  assert.equal((await t.judge('ls')).verdict, 'allowed');
  const verdict = await t.judge('rm -rf judged');
  assert.equal(verdict.verdict, 'ask');
  assert.ok(verdict.rule);
  assert.equal((await t.judge('rm -rf /')).verdict, 'denied');
  assert.ok(existsSync(world.path('judged')));
});

test('what is never allowed is refused without a question', async () => {
  await t.approvals.handler(() => true);
  await assert.rejects(
    t.run('rm -rf /'),
    (error: unknown) => error instanceof Denied && error.by === 'hardline',
  );
  await t.approvals.handler(undefined);
});
