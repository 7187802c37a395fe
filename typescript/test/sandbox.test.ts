import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BadRequest, NotFound, type Sandbox, type SandboxOptions } from '../src/index.js';
import { isAlive, World } from './support/world.js';

const world = new World();
const t = world.client();
let made = 0;

/** A sandbox in a directory of its own. */
function sandboxOf(options: SandboxOptions = {}): Promise<Sandbox> {
  const cwd = world.directory(`work/${(made += 1)}`);
  return t.sandbox({ target: 'local', cwd, ...options });
}

test('a sandbox is a place of its own', async () => {
  await using one = await sandboxOf({ env: { WHO: 'one' }, name: 'first' });
  await using two = await sandboxOf();
  assert.match(one.id, /^sbx_/);
  assert.notEqual(one.id, two.id);
  assert.equal(one.info.target, 'local');
  await one.run('export KEPT=1; echo text > file');
  assert.equal((await one.run('echo "$WHO $KEPT $(cat file)"')).stdout, 'one 1 text\n');
  assert.equal((await two.run('echo "$WHO-$KEPT-"; ls')).stdout, '--\n');
});

test('it is found again, until it is removed', async () => {
  const sandbox = await t.sandbox({ target: 'local' });
  const other = world.client();
  const found = await other.findSandbox(sandbox.id);
  assert.equal((await found.run('echo here')).stdout, 'here\n');
  assert.ok((await other.sandboxes()).some(({ id }) => id === sandbox.id));
  const process = await sandbox.start('sleep 600');
  assert.equal(await sandbox.close(), true);
  assert.equal(await sandbox.close(), false);
  assert.equal(isAlive(process.info.pid ?? 0), false);
  await assert.rejects(sandbox.run('echo never another target'), NotFound);
  await assert.rejects(other.findSandbox(sandbox.id), NotFound);
});

test('the same key gives the same sandbox', async () => {
  await using one = await t.sandbox({ target: 'local', key: 'once' });
  const two = await t.sandbox({ target: 'local', key: 'once' });
  assert.equal(one.id, two.id);
});

test('files are there from the beginning', async () => {
  const local = world.directory('work/tree/sub');
  await t.files.write(`${local}/b.txt`, 'b');
  await using sandbox = await sandboxOf({
    files: { 'a.txt': 'a', bytes: new Uint8Array([255]), copy: { local: world.path('tree') } },
  });
  assert.equal((await sandbox.run('cat a.txt copy/sub/b.txt; wc -c < bytes')).stdout, 'ab1\n');
  await assert.rejects(
    t.sandbox({ target: 'local', files: { x: { local: '/no/such/file' } } }),
    /ENOENT/,
  );
  assert.deepEqual(
    (await t.sandboxes()).map(({ id }) => id),
    [sandbox.id],
  );
});

test('it is removed at its ttl', async () => {
  const sandbox = await t.sandbox({ target: 'local', ttl: 1 });
  const deadline = Date.now() + 20_000;
  for (;;) {
    const state = await sandbox.refresh().catch((error: unknown) => error);
    if (state instanceof NotFound) break;
    assert.ok(Date.now() < deadline, 'it is still there');
    await t.run('sleep 0.2');
  }
});

test('tools, scripts and files work in it', async () => {
  await using sandbox = await sandboxOf();
  await sandbox.files.write('notes.txt', 'one\n');
  assert.match(JSON.stringify(await sandbox.tool('read_file', { path: 'notes.txt' })), /1\|one/);
  const code = await sandbox.code(
    'from hermes_tools import terminal\nprint(terminal("cat notes.txt")["output"])',
  );
  assert.equal(code.output, 'one\n', code.error);
  const tools = await sandbox.tools({ only: ['terminal'] });
  assert.match(
    JSON.stringify(await tools.call('terminal', { command: 'cat notes.txt' })),
    /"output":"one"/,
  );
});

test('invalid options are named', async () => {
  await assert.rejects(t.sandbox({ target: 'nowhere' }), /nowhere/);
  await assert.rejects(
    t.sandbox({ memory: 'much' }),
    (error: unknown) => error instanceof BadRequest && /memory: 'much'/.test(error.message),
  );
});
