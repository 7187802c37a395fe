import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Interrupted, type Event } from '../src/index.js';
import { programOf, World } from './support/world.js';

const world = new World();
const t = world.client({ cwd: world.work });

async function first(
  events: AsyncIterable<Event>,
  wanted: (event: Event) => boolean,
): Promise<Event> {
  for await (const event of events) if (wanted(event)) return event;
  throw new Error('the events ended');
}

test('the end of a process is an event', async () => {
  const events = await t.events({ consumer: 'ends', start: 'now' }).ready();
  const process = await t.start('echo bye; exit 3', { notify: true });
  const event = await first(events, ({ type }) => type === 'completion');
  assert.deepEqual([event.process, event.exitCode, event.output.trim()], [process.id, 3, 'bye']);
  assert.match(event.text, /exit code 3/);
});

test('a line is an event', async () => {
  const events = await t.events({ consumer: 'lines', start: 'now' }).ready();
  await using process = await t.start('echo nothing; echo "Listening on 80"; sleep 600', {
    watch: ['Listening'],
  });
  const event = await first(events, ({ type }) => type === 'watch_match');
  assert.equal(event.process, process.id);
  assert.match(event.output, /Listening on 80/);
});

test('with manual, what was not acknowledged comes again', async () => {
  const consumer = 'manual';
  const events = await t.events({ consumer, start: 'now', manual: true }).ready();
  const one = await t.start('exit 1', { notify: true });
  const event = await first(events, (one) => one.type === 'completion');
  assert.equal(event.process, one.id);
  const again = await first(t.events({ consumer, manual: true }), ({ id }) => id === event.id);
  await again.ack();
  const two = await t.start('exit 2', { notify: true });
  const next = await first(
    t.events({ consumer, manual: true }),
    (one) => one.type === 'completion',
  );
  assert.equal(next.process, two.id);
});

test('events continue after the program died', async () => {
  const client = world.client({ cwd: world.work });
  const program = await programOf(client);
  const events = await client.events({ consumer: 'survivor', start: 'now' }).ready();
  const waiting = first(events, ({ exitCode }) => exitCode === 9);
  process.kill(program, 'SIGKILL');
  const ended = await t.start('exit 9', { notify: true });
  assert.equal((await waiting).process, ended.id);
});

test('a signal ends the iteration, and closing ends it quietly', async () => {
  const abort = new AbortController();
  const events = await t.events({ consumer: 'aborted', signal: abort.signal }).ready();
  setTimeout(() => abort.abort(), 20);
  await assert.rejects(
    first(events, () => false),
    Interrupted,
  );
  const client = world.client();
  const quiet = await client.events({ consumer: 'closed', start: 'now' }).ready();
  setTimeout(() => void client.close(), 20);
  await assert.rejects(
    first(quiet, () => false),
    /the events ended/,
  );
});
