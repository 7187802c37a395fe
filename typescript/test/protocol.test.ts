import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dataOf, encodeData, MAX_LINE_BYTES, Protocol, Window } from '../src/core/protocol.js';
import {
  ApprovalPending,
  BadRequest,
  DeadlinePassed,
  Denied,
  InfrastructureError,
  Interrupted,
  LimitReached,
  NotFound,
  RunnerLost,
  Unavailable,
  type TalariaError,
} from '../src/errors.js';

function failure(error: object): TalariaError {
  const protocol = new Protocol();
  const { id } = protocol.request({ method: 'm' });
  const incoming = protocol.receive(JSON.stringify({ id, error }));
  assert.equal(incoming?.type, 'failure');
  return (incoming as { error: TalariaError }).error;
}

test('a request is one line with an id of its own', () => {
  const protocol = new Protocol();
  const first = protocol.request({ method: 'exec', params: { command: 'a\nb', cwd: undefined } });
  const second = protocol.request({ tool: 'terminal', args: {} });
  assert.deepEqual(JSON.parse(first.line), {
    id: first.id,
    method: 'exec',
    params: { command: 'a\nb' },
  });
  assert.notEqual(first.id, second.id);
  assert.ok(!first.line.includes('\n'));
});

test('parts, then the answer; nothing after it', () => {
  const protocol = new Protocol();
  const { id } = protocol.request({ method: 'exec' });
  const part = { stream: 'stdout', data: 'x' };
  assert.deepEqual(protocol.receive(JSON.stringify({ id, part })), { type: 'part', id, part });
  const answer = JSON.stringify({ id, result: { exit_code: 0 } });
  assert.deepEqual(protocol.receive(answer), { type: 'answer', id, result: { exit_code: 0 } });
  assert.equal(protocol.receive(answer), undefined);
});

test('ids continue on a new connection, and its answers are not taken for older ones', () => {
  const protocol = new Protocol();
  const old = protocol.request({ method: 'a' });
  protocol.reset();
  const fresh = protocol.request({ method: 'b' });
  assert.ok(fresh.id > old.id);
  assert.equal(protocol.receive(JSON.stringify({ id: old.id, result: {} })), undefined);
});

test('events, complaints and garbage are told apart', () => {
  const protocol = new Protocol();
  assert.deepEqual(protocol.receive('{"event":{"type":"completion"}}'), {
    type: 'event',
    event: { type: 'completion' },
  });
  const complaint = protocol.receive(
    '{"id":null,"error":{"kind":"bad_request","message":"line 4"}}',
  );
  assert.equal(complaint?.type, 'complaint');
  for (const text of ['', 'nonsense', '[]', '7', '{"id":"x"}', '{}']) {
    assert.equal(protocol.receive(text)?.type, 'garbage', text);
  }
  const { id } = protocol.request({ method: 'a' });
  assert.equal(protocol.receive(JSON.stringify({ id }))?.type, 'garbage');
});

test('a request that the other side could not answer by its id is not sent', () => {
  const protocol = new Protocol();
  const params = { text: 'x'.repeat(MAX_LINE_BYTES) };
  assert.throws(() => protocol.request({ method: 'text.strip', params }), LimitReached);
  let deep: unknown = 1;
  for (let i = 0; i < 40; i++) deep = { deep };
  assert.throws(() => protocol.request({ tool: 'terminal', args: { deep } }), BadRequest);
});

test('every kind of error has its class', () => {
  const kinds: [string, new (...args: never[]) => TalariaError][] = [
    ['bad_request', BadRequest],
    ['not_found', NotFound],
    ['denied', Denied],
    ['timed_out', DeadlinePassed],
    ['interrupted', Interrupted],
    ['unavailable', Unavailable],
    ['runner_lost', RunnerLost],
    ['limit', LimitReached],
    ['system', InfrastructureError],
    ['something_new', InfrastructureError],
  ];
  for (const [kind, type] of kinds) {
    const error = failure({ kind, message: 'why' });
    assert.equal(error.constructor, type, kind);
    assert.equal(error.kind, kind);
    assert.equal(error.message, 'why');
  }
});

test('a denial says who refused, and by which rule', () => {
  const error = failure({
    kind: 'denied',
    message: 'no',
    reason: 'declined',
    denial: {
      by: 'person',
      rule: 'r',
      rules: ['r', 's'],
      description: 'd',
      approval: 'appr_1',
      words: 'use trash',
    },
  });
  assert.ok(error instanceof Denied && !(error instanceof ApprovalPending));
  const { by, rule, rules, description, approvalId, words, reason } = error;
  assert.deepEqual(
    { by, rule, rules, description, approvalId, words, reason },
    {
      by: 'person',
      rule: 'r',
      rules: ['r', 's'],
      description: 'd',
      approvalId: 'appr_1',
      words: 'use trash',
      reason: 'declined',
    },
  );
  assert.ok(
    failure({ kind: 'denied', message: 'wait', reason: 'pending' }) instanceof ApprovalPending,
  );
});

test('an interrupted call has the name that AbortController made usual', () => {
  assert.equal(failure({ kind: 'interrupted', message: 'x' }).name, 'AbortError');
});

test('a window gives back all that was taken, in few messages', () => {
  const window = new Window(1000);
  let taken = 0;
  let given = 0;
  let messages = 0;
  for (let i = 0; i < 1000; i++) {
    taken += 7;
    const more = window.take(7);
    if (more > 0) messages += 1;
    given += more;
    assert.ok(taken - given < 250);
  }
  assert.ok(messages < 30);
});

test('data comes as text or as bytes, and bytes survive the way', () => {
  assert.equal(dataOf({ data: 'text' }), 'text');
  assert.equal(dataOf({ heartbeat: 1 }), undefined);
  const bytes = new Uint8Array([0, 255, 128, 10]);
  const coded = encodeData(bytes.subarray(1));
  assert.deepEqual(coded, { data64: '/4AK' });
  assert.deepEqual(new Uint8Array(dataOf({ data64: '/4AK' }) as Buffer), bytes.subarray(1));
});
