import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NotFound } from '../src/index.js';
import { eventually, isAlive, World } from './support/world.js';

const world = new World();
const t = world.client();

test('a process is started, read by position, and killed', async () => {
  const process = await t.start('echo one; echo two; sleep 600');
  assert.match(process.id, /^proc_/);
  assert.equal(process.info.running, true);
  await eventually('both lines', async () => (await process.read({ start: 0 })).total === 8);
  assert.equal((await process.read({ max: 4 })).data, 'one\n');
  assert.equal(process.cursor, 4);
  const rest = await process.read();
  assert.deepEqual(
    { data: rest.data, start: rest.start, next: rest.next, total: rest.total, eof: rest.eof },
    { data: 'two\n', start: 4, next: 8, total: 8, eof: false },
  );
  assert.deepEqual(await process.kill(), []);
  const info = await process.wait();
  assert.equal(info.running, false);
  assert.equal(info.end, 'killed');
});

test('output is followed until the end', async () => {
  const process = await t.start([
    'sh',
    '-c',
    'for i in 1 2 3; do echo $i; sleep 0.1; done; exit 5',
  ]);
  let text = '';
  for await (const { data, start, next } of process.follow()) {
    assert.equal(start, text.length);
    text += data;
    assert.equal(next, text.length);
  }
  assert.equal(text, '1\n2\n3\n');
  assert.equal((await process.wait()).exitCode, 5);
});

test('leaving the loop leaves the process alone', async () => {
  await using process = await t.start('while :; do echo y; sleep 0.05; done');
  for await (const { data } of process.follow()) {
    assert.ok(data.includes('y'));
    break;
  }
  assert.equal((await process.refresh()).running, true);
});

test('await using kills it', async () => {
  let pid = 0;
  {
    await using process = await t.start('sleep 600');
    pid = process.info.pid ?? 0;
    assert.equal(isAlive(pid), true);
  }
  assert.equal(isAlive(pid), false);
});

test('input, signals, and waiting with a limit', async () => {
  const process = await t.start(
    'trap "echo caught; exit 7" USR1; read -r line; echo "got $line"; while :; do sleep 0.05; done',
    { stdin: true },
  );
  assert.equal(process.info.takesInput, true);
  assert.equal(await process.write('hello\n'), true);
  await eventually(
    'the line',
    async () => (await process.read({ start: 0 })).data === 'got hello\n',
  );
  assert.equal((await process.wait({ timeout: 0.2 })).running, true);
  await process.signal('USR1');
  assert.equal((await process.wait({ timeout: 20 })).exitCode, 7);
  assert.match((await process.read({ start: 10 })).data, /caught\n$/);
});

test('a terminal', async () => {
  await using process = await t.start('stty size; printf "\\033[1;31mred\\033[0m"; read -r line', {
    terminal: { rows: 10, cols: 40 },
  });
  const screen = await eventually('the screen', async () => {
    const shown = await process.screen();
    return shown.lines.join('').includes('red') && shown;
  });
  assert.deepEqual([screen.rows, screen.cols, screen.lines[0]?.trim()], [10, 40, '10 40']);
  await process.resize({ rows: 20, cols: 60 });
  assert.equal((await process.screen()).rows, 20);
});

test('bytes of a process', async () => {
  const process = await t.start(`printf '\\377\\000\\303\\251'`);
  await process.wait();
  assert.deepEqual([...((await process.read({ raw: true })).raw ?? [])], [255, 0, 0xc3, 0xa9]);
});

test('other clients find it by its id, and by its task', async () => {
  const task = t.task('lists');
  const process = await task.start('sleep 600', { watch: ['x'] });
  const found = await world.client().process(process.id);
  assert.equal(found.info.command, 'sleep 600');
  assert.deepEqual(
    (await task.processes()).map(({ id }) => id),
    [process.id],
  );
  assert.deepEqual(await t.task('lists-nothing').processes(), []);
  assert.equal(await task.killAll(), 1);
  await assert.rejects(t.process('proc_000000000000'), NotFound);
});

test('a task that is closed ends its processes', async () => {
  let pid = 0;
  {
    await using task = t.task('closes');
    pid = (await task.start('sleep 600')).info.pid ?? 0;
  }
  assert.equal(isAlive(pid), false);
});
