import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import {
  BadRequest,
  CommandFailed,
  CommandTimeout,
  ConnectionLost,
  Interrupted,
  Talaria,
  Unavailable,
  VERSION,
} from '../src/index.js';
import { isAlive, pidIn, programOf, World } from './support/world.js';

const world = new World();
const t = world.client();

test('the program is of the version of this package', async () => {
  const { version, protocol, transport } = await t.hello();
  assert.deepEqual(
    { version, protocol, transport },
    { version: VERSION, protocol: 1, transport: 'stdio' },
  );
  const source = process.env['TALARIA_SOURCE'] ?? '..';
  assert.equal(JSON.parse(readFileSync('package.json', 'utf8')).version, VERSION);
  assert.ok(
    readFileSync(`${source}/include/talaria/version.h`, 'utf8').includes(`kVersion = "${VERSION}"`),
  );
});

test('a command and its result', async () => {
  const result = await t.run('echo out; echo err >&2; exit 3', { cwd: world.work });
  const { stdout, stderr, exitCode, ok, timedOut, interrupted, target } = result;
  assert.deepEqual(
    { stdout, stderr, exitCode, ok, timedOut, interrupted, target },
    {
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      ok: false,
      timedOut: false,
      interrupted: false,
      target: 'local',
    },
  );
  assert.equal(result.stdoutBytes, 4);
  assert.ok(result.duration >= 0 && result.duration < 20);
});

test('words reach the program unchanged', async () => {
  const { stdout } = await t.run(['printf', '%s|', '$HOME', 'a b', "'", 'é', '']);
  assert.equal(stdout, "$HOME|a b|'|é||");
});

test('options of one command', async () => {
  const env = { NAME: 'va lue', EMPTY: '' };
  const { stdout } = await t.run('pwd; echo "$NAME-$EMPTY-"; cat; echo err >&2', {
    cwd: world.directory('work/here'),
    env,
    stdin: 'input\n',
    merge: true,
  });
  assert.equal(stdout, `${world.path('here')}\nva lue--\ninput\nerr\n`);
  assert.equal((await t.run('echo "$NAME"')).stdout, '\n');
  const home = world.directory('other-home');
  assert.equal((await t.run('echo "$HOME"', { home })).stdout, `${home}\n`);
});

test('bytes', async () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  const result = await t.run('cat', { stdin: all, raw: true });
  assert.deepEqual(new Uint8Array(result.stdoutRaw ?? []), all);
  assert.equal((await t.run(`printf '\\377x'`)).stdout, '\ufffdx');
});

test('input as a stream, of a megabyte', async () => {
  async function* numbers() {
    for (let i = 0; i < 64; i++) yield Buffer.alloc(16 * 1024, i);
  }
  assert.equal((await t.run('wc -c', { stdin: numbers() })).stdout.trim(), String(1024 * 1024));
  assert.equal((await t.run('cat', { stdin: Readable.from(['a', 'b']) })).stdout, 'ab');
  async function* endless() {
    for (;;) yield 'y\n';
  }
  assert.equal((await t.run('head -n 2', { stdin: endless() })).stdout, 'y\ny\n');
});

test('a session keeps its state; session: false changes nothing in it', async () => {
  const task = t.task('keeps');
  const result = await task.run(`cd ${world.work}; export WHO=me; f() { echo "f $1"; }`);
  assert.equal(result.cwd, world.work);
  assert.equal((await task.run('f "$WHO"; cd /', { session: false })).stdout, 'f me\n');
  assert.equal((await task.run('pwd')).stdout, `${world.work}\n`);
  assert.equal(await task.setCwd('/usr'), '/usr');
  assert.equal(await task.cwd(), '/usr');
  await assert.rejects(task.setCwd('/no/such/directory'), BadRequest);
  await task.endSession();
  assert.equal((await task.run('echo "$WHO"')).stdout, '\n');
});

test('check makes an error of a command that failed', async () => {
  await assert.rejects(
    t.run('echo why; exit 4', { check: true }),
    (error: unknown) =>
      error instanceof CommandFailed &&
      error.result.exitCode === 4 &&
      /exit code 4: why/.test(error.message),
  );
  await assert.rejects(
    t.run('echo begun; sleep 60', { check: true, timeout: 0.5 }),
    (error: unknown) => error instanceof CommandTimeout && error.result.stdout === 'begun\n',
  );
});

test('a timeout ends the tree, and keeps what was printed', async () => {
  const file = world.path('timeout.pid');
  const result = await t.run(`sh -c 'echo $$ > ${file}; echo begun; sleep 600 & wait'`, {
    timeout: '1s',
  });
  assert.equal(result.timedOut, true);
  assert.equal(result.exitCode, 124);
  assert.equal(result.stdout, 'begun\n');
  assert.equal(isAlive(await pidIn(file)), false);
});

test('a signal ends the tree before the call rejects', async () => {
  const file = world.path('abort.pid');
  const abort = new AbortController();
  const running = t.run(`echo begun; sh -c 'echo $$ > ${file}; sleep 600 & wait'`, {
    signal: abort.signal,
  });
  const pid = await pidIn(file);
  abort.abort('enough');
  await assert.rejects(running, (error: unknown) => {
    assert.ok(error instanceof Interrupted);
    assert.equal(error.name, 'AbortError');
    assert.equal(error.cause, 'enough');
    assert.equal(error.result?.stdout, 'begun\n');
    assert.equal(isAlive(pid), false);
    return true;
  });
});

test('a stream yields output as it comes', async () => {
  const go = world.path('go');
  const stream = t.stream(`echo one; until [ -e ${go} ]; do sleep 0.05; done; echo two >&2`);
  const first = await stream.next();
  assert.deepEqual(first.value, { stream: 'stdout', data: 'one\n' });
  await t.files.write(go, '');
  const rest = [];
  for await (const chunk of stream) rest.push(chunk);
  assert.deepEqual(rest, [{ stream: 'stderr', data: 'two\n' }]);
  assert.equal(stream.result.exitCode, 0);
});

test('a slow reader holds the command up, and nobody else', async () => {
  const counter = world.path('counter');
  const script = `i=0; while [ $i -lt 64 ]; do i=$((i+1)); head -c 65536 /dev/zero; echo $i > ${counter}; done`;
  const stream = t.stream(script, { window: 65536, raw: true });
  await stream.next();
  await t.run('sleep 0.5');
  const blocked = Number(readFileSync(counter, 'utf8'));
  assert.ok(blocked < 32, `it printed ${blocked} of 64 pieces that nobody read`);
  let bytes = 65536;
  for await (const { raw } of stream) bytes += raw?.length ?? 0;
  assert.equal(stream.result.exitCode, 0);
  assert.equal(readFileSync(counter, 'utf8'), '64\n');
  assert.ok(bytes >= 64 * 65536);
});

test('leaving a stream ends the command', async () => {
  const file = world.path('left.pid');
  for await (const { data } of t.stream(
    `sh -c 'echo $$ > ${file}; while :; do echo y; sleep 0.01; done'`,
  )) {
    assert.ok(data.startsWith('y'));
    break;
  }
  assert.equal(isAlive(await pidIn(file)), false);
});

test('a stream with open input is a conversation', async () => {
  await using stream = t.stream('while read -r line; do echo "got $line"; done; echo end', {
    stdin: true,
  });
  await stream.write('one\n');
  assert.equal((await stream.next()).value?.data, 'got one\n');
  await stream.write('two\n');
  assert.equal((await stream.next()).value?.data, 'got two\n');
  await stream.closeInput();
  assert.equal((await stream.next()).value?.data, 'end\n');
  assert.equal((await stream.wait()).exitCode, 0);
});

test('heartbeats come while nothing is printed', async () => {
  let beats = 0;
  await t.run('sleep 0.6', {
    heartbeat: 0.1,
    onStatus: ({ heartbeat }) => (beats += heartbeat === undefined ? 0 : 1),
  });
  assert.ok(beats >= 2, `${beats} heartbeats`);
});

test('a hundred commands at the same time', async () => {
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, i) => t.task(`many-${i % 10}`).run(`echo ${i}`)),
  );
  results.forEach(({ stdout }, i) => assert.equal(stdout, `${i}\n`));
});

test('long output keeps its beginning and its end', async () => {
  const result = await t.run('echo first; head -c 200000 /dev/zero | tr "\\0" x; echo last', {
    maxOutput: 10_000,
  });
  assert.equal(result.truncated, true);
  assert.ok(result.stdout.startsWith('first\n') && result.stdout.endsWith('last\n'));
  assert.equal(result.stdoutBytes, 200_011);
});

test('the program is started again after it died, and sessions are still there', async () => {
  const client = world.client();
  const program = await programOf(client);
  const task = client.task('survives');
  await task.run('export KEPT=yes');
  const server = await task.start('sleep 600', { lifetime: 'keep' });
  const slow = client.run('sleep 600');
  slow.catch(() => {});
  await client.run('true');
  process.kill(program, 'SIGKILL');
  await assert.rejects(slow, ConnectionLost);
  assert.equal((await task.run('echo "$KEPT"')).stdout, 'yes\n');
  assert.equal((await server.refresh()).running, true);
  await server.kill();
});

test('a program that cannot be started is unavailable', async () => {
  const client = new Talaria({ program: '/no/such/talaria' });
  await assert.rejects(
    client.run('true'),
    (error: unknown) => error instanceof Unavailable && /no such program/.test(error.message),
  );
  await client.close();
  const other = new Talaria({ program: '/bin/false' });
  await assert.rejects(
    other.run('true'),
    (error: unknown) => error instanceof Unavailable && /exit code/.test(error.message),
  );
  await other.close();
});

test('close ends what is under way, the own session and its processes', async () => {
  const client = world.client();
  const program = await programOf(client);
  const file = world.path('closed.pid');
  const running = client.run(`sh -c 'echo $$ > ${file}; sleep 600'`);
  running.catch(() => {});
  const own = await client.start('sleep 600');
  const pid = await pidIn(file);
  const { pid: background = 0 } = own.info;
  await client.close();
  await assert.rejects(running, Interrupted);
  assert.equal(isAlive(pid), false);
  assert.equal(isAlive(background), false);
  assert.equal(isAlive(program), false);
  await assert.rejects(client.run('true'), /closed/);
});

test('settings change while the program runs', async () => {
  const client = world.client();
  await client.settings.set({ 'tool_output.max_lines': 100 });
  assert.deepEqual(await client.settings.get(['tool_output.max_lines']), {
    'tool_output.max_lines': 100,
  });
  await assert.rejects(client.settings.set({ no_such_setting: 1 }), BadRequest);
});

test('texts are redacted and stripped', async () => {
  assert.equal(await t.strip('\u001b[31mred\u001b[0m'), 'red');
  const token = `ghp_${'a1B2'.repeat(9)}`;
  assert.ok(!(await t.redact(`token ${token}`)).includes(token));
});

test('a method that the program does not know is named', async () => {
  await assert.rejects(t.call('no.such_method'), /no\.such_method/);
  await assert.rejects(
    t.call('exec', { comand: 'ls' }),
    (error: unknown) => error instanceof BadRequest && /comand/.test(error.message),
  );
});

test('a program that is missing is a result, as in a shell', async () => {
  const result = await t.run(['/no/such/program']);
  assert.equal(result.exitCode, 127);
  assert.match(result.stderr, /no\/such\/program/);
});
