// The same client, over the WebSocket of a real gateway.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { after, before, test } from 'node:test';

import { ConnectionLost, Denied, NotFound, Talaria, Unavailable } from '../src/index.js';
import { eventually, freePort, isAlive, World } from './support/world.js';

const world = new World();
let port = 0;
let gateway: ChildProcess | undefined;
let token = '';

async function startGateway(): Promise<void> {
  gateway = spawn(world.program, ['serve', '--listen', `127.0.0.1:${port}`, '--target', 'local'], {
    env: world.env,
    cwd: world.work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await eventually('the gateway answers', () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      (one) => one.ok,
      () => false,
    ),
  );
}

async function stopGateway(signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => gateway?.once('exit', resolve));
  gateway?.kill(signal);
  await ended;
}

before(async () => {
  port = await freePort();
  token = world.talaria('token', 'add', 'tests', '--approve').trim();
  await startGateway();
});
after(() => stopGateway('SIGTERM'));

function connect(secret = token): Talaria {
  return Talaria.connect(`http://127.0.0.1:${port}`, secret);
}

test('a sandbox of the gateway', async () => {
  await using t = connect();
  assert.equal((await t.hello()).transport, 'websocket');
  await using sandbox = await t.sandbox();
  const result = await sandbox.run('cat; echo err >&2; exit 3', { stdin: 'input' });
  assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['input', 'err\n', 3]);
  await sandbox.files.write('a/b.txt', 'text');
  assert.equal(await sandbox.files.readText('a/b.txt'), 'text');
  let text = '';
  for await (const { data } of sandbox.stream('for i in 1 2 3; do echo $i; done')) text += data;
  assert.equal(text, '1\n2\n3\n');
  const tools = await sandbox.tools({ only: ['terminal'] });
  assert.match(
    JSON.stringify(await tools.call('terminal', { command: 'echo hi' })),
    /"output":"hi"/,
  );
});

test('large files pass the WebSocket', async () => {
  await using t = connect();
  await using sandbox = await t.sandbox();
  const bytes = Buffer.alloc(
    10 * 1024 * 1024,
    Buffer.from(Uint8Array.from({ length: 251 }, (_, i) => i)),
  );
  await sandbox.files.write('large', bytes);
  assert.ok(Buffer.from(await sandbox.files.read('large')).equals(bytes));
});

test('a process, its output and its end', async () => {
  await using t = connect();
  await using sandbox = await t.sandbox();
  const process = await sandbox.start('read -r line; echo "got $line"; exit 4', { stdin: true });
  await process.write('x\n');
  let text = '';
  for await (const { data } of process.follow()) text += data;
  assert.equal(text, 'got x\n');
  assert.equal((await process.wait()).exitCode, 4);
});

test('a command without a sandbox is refused, and a task too', async () => {
  await using t = connect();
  await assert.rejects(t.run('true'), /sandbox/);
  await assert.rejects(t.task('x').run('true'), /sandbox/);
  await assert.rejects(t.findSandbox('sbx_none'), NotFound);
});

test('a wrong token is refused', async () => {
  await using t = connect('tal_wrong');
  await assert.rejects(
    t.hello(),
    (error: unknown) => error instanceof Denied && /401/.test(error.message),
  );
});

test('closing the client cancels its commands, and removes its sandboxes', async () => {
  const t = connect();
  const sandbox = await t.sandbox();
  const running = sandbox.stream('echo $$; sleep 600');
  const pid = Number((await running.next()).value?.data);
  await t.close();
  assert.equal(isAlive(pid), false);
  await using other = connect();
  await assert.rejects(other.findSandbox(sandbox.id), NotFound);
});

test('after the gateway was killed, sandboxes and processes are still there', async () => {
  await using t = connect();
  const sandbox = await t.sandbox();
  await sandbox.run('export KEPT=yes');
  const process = await sandbox.start('sleep 600');
  const slow = sandbox.run('sleep 600');
  slow.catch(() => {});
  await sandbox.run('true');
  await stopGateway('SIGKILL');
  await assert.rejects(slow, ConnectionLost);
  await assert.rejects(sandbox.run('true'), Unavailable);
  await startGateway();
  assert.equal((await sandbox.run('echo $KEPT')).stdout, 'yes\n');
  assert.equal((await process.refresh()).running, true);
});
