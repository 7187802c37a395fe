import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Channel } from '../src/channel.js';
import { Interrupted } from '../src/errors.js';
import { CommandStream, run } from '../src/exec.js';
import { Process } from '../src/process.js';
import { Peer, settled } from './support/peer.js';

const ENDED = { exit_code: 0, duration_ms: 1500, cwd: '/' };

/** A peer whose exec does nothing by itself, and ends when it is cancelled. */
function quiet(): Peer {
  return new Peer((one, here) => {
    if (one.cancel !== undefined)
      here.answer(one.cancel, { exit_code: 130, interrupted: true, stdout: 'so far' });
    return one.method === 'exec' || one.method === 'processes.read' ? undefined : { taken: true };
  });
}

test('chunks, then the result', async () => {
  const peer = quiet();
  const stream = new CommandStream(new Channel(peer.open), { task: 't' }, 'make', {});
  assert.throws(() => stream.result, /has not ended/);
  const { id, params } = await peer.next((one) => one.method === 'exec');
  assert.deepEqual(params, { task: 't', command: 'make', stream: true, window: 1048576 });
  peer.part(id, { stream: 'stdout', data: 'one' });
  peer.part(id, { stream: 'stderr', data: 'two' });
  peer.answer(id, ENDED);
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  assert.deepEqual(chunks, [
    { stream: 'stdout', data: 'one' },
    { stream: 'stderr', data: 'two' },
  ]);
  assert.equal(stream.result.exitCode, 0);
  assert.equal(stream.result.duration, 1.5);
});

test('only what was read is given back', async () => {
  const peer = quiet();
  const stream = new CommandStream(new Channel(peer.open), {}, 'yes', { window: 4096 });
  const { id } = await peer.next((one) => one.method === 'exec');
  for (let i = 0; i < 4; i++) peer.part(id, { stream: 'stdout', data: 'x'.repeat(1024) });
  await settled();
  assert.equal(peer.of('stream.more').length, 0);
  await stream.next();
  await stream.next();
  await settled();
  assert.deepEqual(
    peer.of('stream.more').map((one) => one.params),
    [
      { request: id, bytes: 1024 },
      { request: id, bytes: 1024 },
    ],
  );
  peer.answer(id, ENDED);
  await stream.wait();
});

test('leaving the loop cancels the command, and waits for its end', async () => {
  const peer = quiet();
  const stream = new CommandStream(new Channel(peer.open), {}, 'yes', {});
  const { id } = await peer.next((one) => one.method === 'exec');
  peer.part(id, { stream: 'stdout', data: 'y' });
  for await (const chunk of stream) {
    assert.equal(chunk.data, 'y');
    break;
  }
  assert.deepEqual(
    peer.asked.filter((one) => one.cancel !== undefined).map((one) => one.cancel),
    [id],
  );
  await assert.rejects(
    stream.wait(),
    (error: unknown) => error instanceof Interrupted && error.result?.stdout === 'so far',
  );
});

test('a signal ends a stream that nobody reads, however full it is', async () => {
  const peer = quiet();
  const abort = new AbortController();
  const stream = new CommandStream(new Channel(peer.open), {}, 'yes', {
    signal: abort.signal,
    window: 4096,
  });
  const { id } = await peer.next((one) => one.method === 'exec');
  peer.part(id, { stream: 'stdout', data: 'x'.repeat(4096) });
  abort.abort();
  await assert.rejects(stream.next(), Interrupted);
  assert.equal(peer.of('stream.more')[0]?.params.bytes, 4096);
});

test('bytes keep their characters whole as text', async () => {
  const peer = quiet();
  const stream = new CommandStream(new Channel(peer.open), {}, 'x', { raw: true });
  const { id, params } = await peer.next((one) => one.method === 'exec');
  assert.equal(params.encoding, 'base64');
  const bytes = Buffer.from('é');
  for (const byte of bytes)
    peer.part(id, { stream: 'stdout', data64: Buffer.from([byte]).toString('base64') });
  peer.answer(id, ENDED);
  let text = '';
  const raw: number[] = [];
  for await (const chunk of stream) {
    text += chunk.data;
    raw.push(...(chunk.raw ?? []));
  }
  assert.equal(text, 'é');
  assert.deepEqual(raw, [...bytes]);
});

test('input is sent piece by piece, each when the one before was taken', async () => {
  const peer = new Peer(() => undefined);
  const running = run(new Channel(peer.open), {}, 'cat', { stdin: ['a', new Uint8Array([255])] });
  const { id, params } = await peer.next((one) => one.method === 'exec');
  assert.equal(params.stdin_open, true);
  const written = [];
  for (let i = 0; i < 3; i++) {
    if (peer.of('stream.write').length <= i)
      await peer.next((one) => one.method === 'stream.write');
    await settled();
    const all = peer.of('stream.write');
    assert.equal(all.length, i + 1);
    written.push(all[i]?.params);
    peer.answer(all[i]?.id ?? 0, { taken: true });
  }
  assert.deepEqual(written, [
    { request: id, data: 'a' },
    { request: id, data64: '/w==' },
    { request: id, data: '', end: true },
  ]);
  peer.answer(id, ENDED);
  assert.equal((await running).exitCode, 0);
});

test('nobody waits for input of a command that has ended', async () => {
  const peer = quiet();
  let returned = false;
  const never = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<string>>(() => {}),
      return: async () => ((returned = true), { value: undefined, done: true as const }),
    }),
  };
  const running = run(new Channel(peer.open), {}, 'true', { stdin: never });
  const { id } = await peer.next((one) => one.method === 'exec');
  peer.answer(id, ENDED);
  await running;
  assert.ok(returned);
});

test('input that fails ends the command, and is the error', async () => {
  const peer = quiet();
  async function* broken() {
    yield 'a';
    throw new Error('the disk is gone');
  }
  const running = run(new Channel(peer.open), {}, 'cat', { stdin: broken() });
  await assert.rejects(running, /the disk is gone/);
  assert.equal(peer.asked.filter((one) => one.cancel !== undefined).length, 1);
});

test('what a command reports beside its output', async () => {
  const peer = quiet();
  const seen: object[] = [];
  const running = run(new Channel(peer.open), {}, 'x', {
    onStatus: (status) => seen.push(status),
    heartbeat: 1,
  });
  const { id } = await peer.next((one) => one.method === 'exec');
  peer.part(id, { preparing: 'pulling debian' });
  peer.part(id, { waiting: 'approval', approval: 'appr_1', description: 'recursive delete' });
  peer.part(id, { heartbeat: 1.5 });
  peer.answer(id, ENDED);
  await running;
  assert.deepEqual(seen, [
    { preparing: 'pulling debian' },
    { waiting: 'appr_1', description: 'recursive delete' },
    { heartbeat: 1.5 },
  ]);
});

test('the output of a process continues where it was when the connection was lost', async () => {
  const peer = quiet();
  const info = { id: 'proc_1', command: 'x', running: true, started: 0 };
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const { data } of new Process(new Channel(peer.open), info).follow())
      pieces.push(data);
  })();
  const first = await peer.next((one) => one.method === 'processes.read');
  peer.part(first.id, { stream: 'output', data: 'abc', from: 0, next: 3 });
  await settled();
  const again = peer.next((one) => one.method === 'processes.read');
  peer.die();
  const second = await again;
  assert.equal(second.params.from, 3);
  peer.part(second.id, { stream: 'output', data: 'def', from: 3, next: 6 });
  peer.answer(second.id, { next: 6, total: 6, eof: true });
  await reading;
  assert.deepEqual(pieces, ['abc', 'def']);
});
