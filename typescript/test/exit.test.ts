// Nothing is left behind when the process ends, however it ends.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { childrenOf, endOf, eventually, isAlive, pidIn, World } from './support/world.js';

const world = new World();

const HEAD = `
import { Talaria } from '@talaria/client';
const t = new Talaria();
`;

async function programOf(node: number): Promise<number> {
  return eventually('the program runs', () => childrenOf(node)[0]);
}

test('a client that is idle does not keep the process alive, and the program ends with it', async () => {
  const file = world.path('idle.pid');
  const child = world.node(`${HEAD}
    await t.run('true');
    const process = await t.start('sh -c "echo $$ > ${file}; sleep 600"');
  `);
  const program = await programOf(child.pid ?? 0);
  const ended = await endOf(child);
  assert.equal(ended.code, 0, ended.err);
  assert.equal(isAlive(program), false);
  assert.equal(isAlive(await pidIn(file)), false, 'a background process of the own session');
});

test('a call under way keeps the process alive', async () => {
  const child = world.node(`${HEAD} console.log((await t.run('sleep 0.5; echo done')).stdout)`);
  const ended = await endOf(child);
  assert.deepEqual([ended.code, ended.out, ended.err], [0, 'done\n\n', '']);
});

test('waiting for an event keeps the process alive', async () => {
  const child = world.node(`${HEAD}
    const events = await t.events({ consumer: 'exit', start: 'now' }).ready();
    await t.start('sleep 0.5; exit 4', { notify: true });
    for await (const event of events) { console.log(event.exitCode); break; }
  `);
  const ended = await endOf(child);
  assert.deepEqual([ended.code, ended.out, ended.err], [0, '4\n', '']);
});

test('a handler of approvals alone does not', async () => {
  const ended = await endOf(world.node(`${HEAD} await t.approvals.handler(() => true);`));
  assert.deepEqual([ended.code, ended.err], [0, '']);
});

for (const [how, end] of [
  ['process.exit()', 'process.exit(3)'],
  ['an exception', 'throw new Error("on purpose")'],
  ['SIGKILL', 'process.kill(process.pid, "SIGKILL")'],
  ['SIGTERM', 'process.kill(process.pid, "SIGTERM")'],
] as const) {
  test(`what a call started ends with the process: ${how}`, async () => {
    const file = world.path(`${how.replace(/\W/g, '')}.pid`);
    const go = `${file}.go`;
    const child = world.node(`${HEAD}
      import { existsSync } from 'node:fs';
      t.run(\`sh -c 'echo $$ > ${file}; sleep 600'\`).catch(() => {});
      setInterval(() => { if (existsSync('${go}')) { ${end} } }, 20);
    `);
    const pid = await pidIn(file);
    const program = await programOf(child.pid ?? 0);
    writeFileSync(go, '');
    const ended = await endOf(child);
    assert.notEqual(ended.code, 0);
    await eventually('the command has ended', () => !isAlive(pid));
    await eventually('the program has ended', () => !isAlive(program));
  });
}

test('a sandbox is removed with its client', async () => {
  const child = world.node(`${HEAD}
    const sandbox = await t.sandbox({ target: 'local' });
    const kept = await t.sandbox({ target: 'local', keep: true });
    console.log(sandbox.id, kept.id);
  `);
  const ended = await endOf(child);
  assert.equal(ended.code, 0, ended.err);
  const [gone, kept] = ended.out.trim().split(' ');
  const t = world.client();
  const ids = (await t.sandboxes()).map(({ id }) => id);
  assert.deepEqual(ids, [kept]);
  assert.notEqual(gone, kept);
  await (await t.findSandbox(kept ?? '')).close();
});

test('await using closes everything, also when the block fails', async () => {
  const child = world.node(`${HEAD}
    const t2 = new Talaria();
    try {
      await t2.run('true');
      throw new Error('on purpose');
    } finally {
      await t2[Symbol.asyncDispose]();
      console.log('closed');
    }
  `);
  const ended = await endOf(child);
  assert.equal(ended.code, 1);
  assert.equal(ended.out, 'closed\n');
});
