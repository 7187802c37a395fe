import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Channel } from '../src/channel.js';
import { ConnectionLost, Interrupted, Unavailable } from '../src/errors.js';
import { Peer, settled } from './support/peer.js';

test('calls before the connection is up go out behind the greeting, in order', async () => {
  const peer = new Peer((one) => ({ got: one.method }));
  const channel = new Channel(peer.open);
  const results = await Promise.all([channel.method('a', {}), channel.method('b', {})]);
  assert.deepEqual(results, [{ got: 'a' }, { got: 'b' }]);
  assert.deepEqual(
    peer.asked.map((one) => one.method),
    ['a', 'b'],
  );
  assert.equal(peer.connections, 1);
  assert.equal(channel.hello?.version, '0.1.0');
});

test('a call under way fails when the connection is lost, and the next one connects again', async () => {
  const peer = new Peer((one) => (one.method === 'slow' ? undefined : {}));
  const channel = new Channel(peer.open);
  const slow = channel.method('slow', {});
  await peer.next((one) => one.method === 'slow');
  peer.die();
  await assert.rejects(
    slow,
    (error: unknown) => error instanceof ConnectionLost && /slow: it died/.test(error.message),
  );
  await channel.method('again', {});
  assert.equal(peer.connections, 2);
  assert.equal(peer.of('slow').length, 1); // it may have run, so it is not sent again
});

test('a connection that cannot be made fails the calls that wait for it, and is tried again by the next', async () => {
  const peer = new Peer();
  peer.refuse = true;
  const channel = new Channel(peer.open);
  await assert.rejects(channel.method('a', {}), Unavailable);
  peer.refuse = false;
  assert.deepEqual(await channel.method('a', {}), {});
});

test('a program that does not know the greeting is too old', async () => {
  const channel = new Channel(async (listener) => ({
    send: (line) => {
      const { id } = JSON.parse(line) as { id: number };
      queueMicrotask(() =>
        listener.line(
          JSON.stringify({ id, error: { kind: 'not_found', message: "unknown method 'hello'" } }),
        ),
      );
    },
    close: async () => {},
    ref: () => {},
    unref: () => {},
  }));
  await assert.rejects(channel.method('a', {}), /too old/);
});

test('a signal cancels the call, which then ends before the caller hears of it', async () => {
  const peer = new Peer((one) => (one.method === 'slow' ? undefined : { cancelled: true }));
  const channel = new Channel(peer.open);
  const abort = new AbortController();
  const slow = channel.method('slow', {}, abort.signal);
  const { id } = await peer.next((one) => one.method === 'slow');
  abort.abort(new Error('enough'));
  const cancel = await peer.next((one) => one.cancel !== undefined);
  assert.equal(cancel.cancel, id);
  let over = false;
  slow.catch(() => {}).finally(() => (over = true));
  await settled();
  assert.equal(over, false);
  peer.fail(id, { kind: 'interrupted', message: 'cancelled' });
  await assert.rejects(
    slow,
    (error: unknown) => error instanceof Interrupted && (error.cause as Error).message === 'enough',
  );
});

test('a signal that is aborted already sends nothing', async () => {
  const peer = new Peer();
  const channel = new Channel(peer.open);
  await assert.rejects(channel.method('a', {}, AbortSignal.abort()), Interrupted);
  const abort = new AbortController();
  const waiting = channel.method('b', {}, abort.signal);
  abort.abort();
  await assert.rejects(waiting, Interrupted);
  await settled();
  assert.deepEqual(peer.asked, []);
});

test('what stands is said again on every connection, before the calls that wait', async () => {
  const peer = new Peer();
  const channel = new Channel(peer.open);
  channel.hold(); // somebody waits for what is pushed
  await channel.stand('s', { method: 'subscribe', params: { from: 'now' } }, () => {}, {
    method: 'subscribe',
  });
  const again = peer.next((one) => one.method === 'subscribe');
  peer.die();
  assert.equal((await again).params, undefined);
  await channel.method('a', {});
  assert.equal(peer.connections, 2);
  await channel.unstand('s', { method: 'unsubscribe' });
  peer.die();
  await settled();
  assert.equal(peer.connections, 2); // nothing stands, so nothing connects
});

test('what cannot be said again fails', async () => {
  const peer = new Peer((one, here) => {
    if (here.connections === 1) return {};
    here.fail(one.id, { kind: 'limit', message: 'too many' });
    return undefined;
  });
  const channel = new Channel(peer.open);
  channel.hold();
  const failed = new Promise<Error>(
    (resolve) => void channel.stand('s', { method: 'subscribe' }, resolve),
  );
  await peer.next((one) => one.method === 'subscribe');
  await settled();
  peer.die();
  assert.match((await failed).message, /too many/);
});

test('only calls under way and holds keep the process alive', async () => {
  const peer = new Peer((one) => (one.method === 'slow' ? undefined : {}));
  const channel = new Channel(peer.open);
  await channel.method('a', {});
  assert.equal(peer.refs, 0);
  const slow = channel.method('slow', {});
  const { id } = await peer.next((one) => one.method === 'slow');
  assert.equal(peer.refs, 1);
  peer.answer(id, {});
  await slow;
  assert.equal(peer.refs, 0);
  const release = channel.hold();
  assert.equal(peer.refs, 1);
  release();
  release();
  assert.equal(peer.refs, 0);
});

test('closing cancels what is under way, ends the own task, then the connection', async () => {
  const peer = new Peer((one, here) => {
    if (one.cancel !== undefined)
      here.fail(one.cancel, { kind: 'interrupted', message: 'cancelled' });
    return one.method === 'slow' ? undefined : {};
  });
  const channel = new Channel(peer.open, 'mine');
  const slow = channel.method('slow', { task: 'mine' });
  slow.catch(() => {});
  await peer.next((one) => one.method === 'slow');
  await Promise.all([channel.close(), channel.close()]);
  await assert.rejects(slow, Interrupted);
  const said = peer.asked.map((one) => one.method ?? 'cancel');
  assert.deepEqual(said, ['slow', 'cancel', 'processes.kill_all', 'sessions.end']);
  assert.deepEqual(peer.of('sessions.end')[0]?.params, { task: 'mine' });
  assert.equal(peer.closed, 1);
  await assert.rejects(channel.method('a', {}), /closed/);
});

test('a client that did nothing is closed without a connection', async () => {
  const peer = new Peer();
  await new Channel(peer.open, 'mine').close();
  assert.equal(peer.connections, 0);
});

test('lines that are not messages are reported as warnings, and nothing breaks', async () => {
  const peer = new Peer();
  const channel = new Channel(peer.open);
  await channel.method('a', {});
  const warning = new Promise<Error>((resolve) => process.once('warning', resolve));
  peer.say({ id: null, error: { kind: 'bad_request', message: 'line 4: not valid JSON' } });
  assert.match((await warning).message, /line 4/);
  assert.deepEqual(await channel.method('a', {}), {});
});
