// What talaria-modal makes of the faults of the fake: what it survives, and that nothing runs twice
// and nothing is left behind.
//
//   node modal_program_faults.cjs PROGRAM
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const { main, run, startFake } = require('./drive.cjs');
const { sleep } = require('./fakes/control.cjs');
const { Program, kSandbox } = require('./modal/program.cjs');

const kMegabyte = 1024 * 1024;
const kMuch = 100_000_000;
const kMostMemory = 64 * kMegabyte;
const kLoud = ['sh', '-c', 'head -c 8000000 /dev/zero; exec sleep 1000'];
const kOnce = ['sh', '-c', 'echo once >>/root/runs'];

// The most memory the program has had so far, in bytes.
function mostMemory({ pid }) {
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) * 1024;
}

main(async () => {
  const fake = await startFake('modal/fake.cjs');
  const program = new Program(process.argv[2], fake);
  const { sandbox } = await program.create();
  const image = { id: (await program.ask(['snapshot', '--sandbox', sandbox])).image };
  const only = async () => assert.deepEqual(await fake.sandboxes(), [sandbox]);
  const exec = (words, input) => program.exec(sandbox, words, input);
  const look = () => program.ask(['look', '--sandbox', sandbox]);
  // The requests of this step, by method.
  let step;
  const mark = (name) => {
    step = name;
    return fake.mark(name);
  };
  const requests = async (method) =>
      (await fake.log()).filter((one) => one.operation === step && one.method === method);
  // Until the fake has had so many requests of a method in this step.
  const until = async (method, number = 1) => {
    while ((await requests(method)).length < number) await sleep(0.02);
  };
  const isOnce = async () => {
    assert.equal((await exec(['cat', '/root/runs'])).stdout, 'once\n');
    await exec(['rm', '/root/runs']);
  };
  const echo = async (bytes) => {
    const done = await program.run(['exec', '--sandbox', sandbox, '--', 'cat'], bytes);
    assert.equal(done.code, 0, done.stderr.toString());
    assert.ok(bytes.equals(done.stdout));
  };

  await run(mark, {
    'unavailable three times, then not': async () => {
      await fake.fault({ on: 'SandboxWaitV2', do: 'error', code: 'UNAVAILABLE', times: 3 });
      assert.deepEqual(await look(), { running: true });
      const sent = await requests('SandboxWaitV2');
      assert.equal(sent.length, 4);
      const keys = sent.map(({ headers }) => headers['x-idempotency-key']);
      assert.equal(new Set(keys).size, 1);
      assert.deepEqual(sent.map(({ headers }) => headers['x-retry-attempt']), ['0', '1', '2', '3']);
    },
    'unavailable for good': async () => {
      await fake.fault({
        on: 'SandboxWaitV2',
        do: 'error',
        code: 'UNAVAILABLE',
        message: 'gone fishing',
        times: 4
      });
      assert.deepEqual(await program.refused(['look', '--sandbox', sandbox]), {
        kind: 'unavailable',
        call: 'SandboxWaitV2',
        status: 'UNAVAILABLE',
        message: 'gone fishing'
      });
    },
    'a connection that is cut': async () => {
      await fake.fault({ on: 'SandboxWaitV2', do: 'cut' });
      assert.deepEqual(await look(), { running: true });
    },
    'asked to wait': async () => {
      const begun = Date.now();
      await fake.fault({
        on: 'SandboxWaitV2',
        do: 'error',
        code: 'RESOURCE_EXHAUSTED',
        retry_after: 0.3,
        times: 2
      });
      assert.deepEqual(await look(), { running: true });
      assert.ok(Date.now() - begun >= 590);
      assert.match(program.said, /{"progress":"the service asks to wait 0.3 s"}/);
    },
    'asked to wait too long': async () => {
      const brief = new Program(program.path, fake, { MODAL_MAX_THROTTLE_WAIT: '1' });
      await fake.fault(
          { on: 'SandboxWaitV2', do: 'error', code: 'RESOURCE_EXHAUSTED', retry_after: 30 });
      assert.equal((await brief.refused(['look', '--sandbox', sandbox])).kind, 'limit');
    },
    'exhausted without a wish': async () => {
      await fake.fault(
          { on: 'SandboxWaitV2', do: 'error', code: 'RESOURCE_EXHAUSTED', message: 'slow down' });
      const { kind, message } = await program.refused(['look', '--sandbox', sandbox]);
      assert.deepEqual([kind, message], ['limit', 'slow down']);
    },
    'expired token of the account': async () => {
      await fake.fault({ on: 'SandboxWaitV2', do: 'expire', tokens: 'account' });
      assert.deepEqual(await look(), { running: true });
      assert.equal((await requests('AuthTokenGet')).length, 2);
    },
    'a token of the account that is never good': async () => {
      await fake.fault({ on: 'SandboxWaitV2', do: 'expire', tokens: 'account', times: 2 });
      assert.equal((await program.refused(['look', '--sandbox', sandbox])).kind, 'denied');
      assert.equal((await requests('SandboxWaitV2')).length, 2);
    },
    'wrong credentials': async () => {
      const other = new Program(program.path, fake, { MODAL_TOKEN_SECRET: 'as-other' });
      const { kind, call, status } = await other.refused(['look', '--sandbox', sandbox]);
      assert.deepEqual([kind, call, status], ['denied', 'AuthTokenGet', 'UNAUTHENTICATED']);
      const { code, stderr } = await other.exec(sandbox, ['true']);
      assert.equal(code, 125);
      assert.match(
          stderr, /^talaria-modal: AuthTokenGet: UNAUTHENTICATED: Token validation failed/);
    },
    'a secret in the words of the service': async () => {
      const message = `token ${fake.token_secret} is no good`;
      await fake.fault({ on: 'SandboxWaitV2', do: 'error', code: 'PERMISSION_DENIED', message });
      const refused = await program.refused(['look', '--sandbox', sandbox]);
      assert.equal(refused.message, 'token *** is no good');
    },
    'token of the router that expires at the start': async () => {
      await fake.fault({ on: 'TaskExecStart', do: 'expire', tokens: 'router' });
      assert.equal((await exec(['echo', 'on'])).stdout, 'on\n');
      assert.equal((await requests('SandboxGetCommandRouterAccess')).length, 2);
    },
    'token of the router that expires under way': async () => {
      const child = program.startExec(sandbox, ['cat']);
      child.stdin.write('before');
      assert.equal((await once(child.stdout, 'data')).toString(), 'before');
      await fake.expire('router');
      child.stdin.write('after');
      assert.equal((await once(child.stdout, 'data')).toString(), 'after');
      child.stdin.end();
      assert.deepEqual(await child.ended, [0, null]);
    },
    'both tokens that expire under way': async () => {
      const child = program.startExec(sandbox, ['cat']);
      child.stdin.write('before');
      await once(child.stdout, 'data');
      await fake.expire('router');
      await fake.expire('account');
      child.stdin.end('after');
      assert.equal((await once(child.stdout, 'data')).toString(), 'after');
      assert.deepEqual(await child.ended, [0, null]);
    },
    'creation whose answer is lost': async () => {
      await fake.fault({ on: 'SandboxCreateV2', do: 'lost' });
      const made = await program.create({ image });
      assert.deepEqual((await fake.sandboxes()).sort(), [sandbox, made.sandbox].sort());
      await program.terminate(made.sandbox);
    },
    'creation whose answer is lost for good': async () => {
      await fake.fault({ on: 'SandboxCreateV2', do: 'lost', times: 4 });
      const { kind } = await program.refused(['create'], { ...kSandbox, image });
      assert.equal(kind, 'unavailable');
      await only();
    },
    'start whose answer is lost': async () => {
      await fake.fault({ on: 'TaskExecStart', do: 'lost', times: 2 });
      assert.equal((await exec(kOnce)).code, 0);
      const sent = await requests('TaskExecStart');
      assert.equal(sent.length, 3);
      assert.equal(new Set(sent.map(({ fields }) => fields.exec_id)).size, 1);
      await isOnce();
    },
    'start that is cut': async () => {
      await fake.fault({ on: 'TaskExecStart', do: 'cut', times: 3 });
      assert.equal((await exec(kOnce)).code, 0);
      await isOnce();
    },
    'input whose answer is lost': async () => {
      await fake.fault({ on: 'TaskExecStdinWrite', do: 'lost', times: 3 });
      await echo(Buffer.from('said once'));
    },
    'snapshot whose answer is lost': async () => {
      await fake.fault({ on: 'TaskSnapshotFilesystem', do: 'lost', times: 2 });
      await program.ask(['snapshot', '--sandbox', sandbox]);
      const sent = await requests('TaskSnapshotFilesystem');
      assert.equal(new Set(sent.map(({ fields }) => fields.snapshot_id)).size, 1);
    },
    'output that is cut': async () => {
      await fake.fault({ on: 'TaskExecStdioRead', do: 'cut', bytes: kMegabyte, times: 2 });
      await fake.fault({ on: 'TaskExecStdioRead', do: 'cut', bytes: 10000 });
      await echo(crypto.randomBytes(4 * kMegabyte));
      assert.ok((await requests('TaskExecStdioRead')).some(({ fields }) => fields.offset > 0));
    },
    'input that is cut': async () => {
      await fake.fault({ on: 'TaskExecStdinWrite', do: 'cut', skip: 1, times: 2 });
      await fake.fault({ on: 'TaskExecStdinWrite', do: 'cut', skip: 3 });
      await echo(crypto.randomBytes(4 * kMegabyte));
      const sent = await requests('TaskExecStdinWrite');
      const offsets = sent.map(({ fields }) => fields.offset ?? 0);
      assert.ok(new Set(offsets).size <= offsets.length - 2, offsets.join(' '));
    },
    'everything that is lost and cut': async () => {
      await fake.fault([
        { on: 'TaskExecStdinWrite', do: 'lost', skip: 1 },
        { on: 'TaskExecStdioRead', do: 'cut', bytes: kMegabyte, times: 3 },
        { on: 'TaskExecStdinWrite', do: 'cut', skip: 2, times: 2 },
        { on: 'TaskExecWait', do: 'error', code: 'UNAVAILABLE' },
        { on: 'TaskExecStdinWrite', do: 'expire', tokens: 'router', skip: 1 },
      ]);
      await echo(crypto.randomBytes(6 * kMegabyte));
      await fake.noFaults();
    },
    'a router that stays away': async () => {
      await fake.fault(
          { on: 'TaskExecStart', do: 'error', code: 'UNAVAILABLE', message: 'away', times: 11 });
      const { code, stderr } = await exec(['true']);
      assert.deepEqual([code, stderr], [125, 'talaria-modal: TaskExecStart: UNAVAILABLE: away\n']);
      assert.equal((await requests('TaskExecStart')).length, 11);
    },
    'an image that is gone': async () => {
      const words = { ...kSandbox, image: { id: 'im-aaaaaaaaaaaaaaaaaaaaaaaaaa' } };
      const { kind, call } = await program.refused(['create'], words);
      assert.deepEqual([kind, call], ['not_found', 'ImageFromId']);
      await fake.fault({
        on: 'SandboxCreateV2',
        do: 'error',
        code: 'FAILED_PRECONDITION',
        message: 'Could not find image with ID im-x'
      });
      const late = await program.refused(['create'], { ...kSandbox, image });
      assert.deepEqual([late.kind, late.call], ['not_found', 'ImageFromId']);
      await only();
    },
    'an image that does not build': async () => {
      const broken = { layers: [['FROM debian:missing']] };
      const { kind, message } = await program.refused(['create'], { ...kSandbox, image: broken });
      assert.equal(kind, 'bad_request');
      assert.match(message, /FROM debian:missing: failed with exit code 1/);
      assert.match(program.said, /{"progress":"Building image"}/);
    },
    'a name that is taken': async () => {
      const first = await program.create({ image, name: 'hermes-twice' });
      const { status } =
          await program.refused(['create'], { ...kSandbox, image, name: 'hermes-twice' });
      assert.equal(status, 'ALREADY_EXISTS');
      await program.terminate(first.sandbox);
    },
    'told to end while the sandbox is created': async () => {
      await fake.fault({ on: 'SandboxCreateV2', do: 'delay', seconds: 1 });
      const child = program.start(['create']);
      child.stdin.end(JSON.stringify({ ...kSandbox, image }));
      await until('SandboxCreateV2');
      child.kill('SIGTERM');
      assert.deepEqual(await child.ended, [1, null]);
      await only();
      assert.equal((await requests('SandboxTerminateV2')).length, 1);
    },
    'told to end while a command runs': async () => {
      const words = ['sh', '-c', 'echo runs; cat >/dev/null; echo ended >/root/ended'];
      const child = program.startExec(sandbox, words);
      await once(child.stdout, 'data');
      child.kill('SIGTERM');
      assert.deepEqual(await child.ended, [143, null]);
      const waits = 'until test -e /root/ended; do sleep 0.05; done; rm /root/ended';
      assert.equal((await exec(['sh', '-c', waits])).code, 0);
    },
    'nobody reads any more': async () => {
      const quiet = program.startExec(sandbox, ['sh', '-c', 'echo runs; exec sleep 1000']);
      await once(quiet.stdout, 'data');
      quiet.stdout.destroy();
      assert.deepEqual(await quiet.ended, [141, null]);
      const loud = program.startExec(sandbox, kLoud);
      await once(loud.stdout, 'data');
      loud.stdout.destroy();
      assert.deepEqual(await loud.ended, [141, null]);
    },
    'told to end while nobody reads': async () => {
      const child = program.startExec(sandbox, kLoud);
      await once(child.stdout, 'readable');
      child.kill('SIGINT');
      assert.deepEqual(await child.ended, [130, null]);
    },
    'a reader that takes its time': async () => {
      const bytes = crypto.randomBytes(kMuch);
      const child = program.startExec(sandbox, ['cat']);
      await new Promise((taken) => child.stdin.end(bytes, taken));
      assert.ok(mostMemory(child) < kMostMemory, `${mostMemory(child)}`);
      assert.ok(bytes.equals(Buffer.concat(await child.stdout.toArray())));
    },
    'a command that takes its time': async () => {
      const child = program.startExec(sandbox, ['sh', '-c', 'sleep 0.7; wc -c']);
      await new Promise((taken) => child.stdin.write(Buffer.alloc(kMuch), taken));
      assert.ok(mostMemory(child) < kMostMemory, `${mostMemory(child)}`);
      child.stdin.end();
      assert.equal(Buffer.concat(await child.stdout.toArray()).toString(), `${kMuch}\n`);
    },
    'a sandbox that vanishes': async () => {
      const child = program.startExec(sandbox, ['sh', '-c', 'echo runs; exec sleep 1000']);
      await once(child.stdout, 'data');
      await fake.vanish(sandbox);
      const [code] = await child.ended;
      assert.ok([125, 137].includes(code), `${code}`);
      assert.equal((await look()).result, 'NOT_FOUND');
      const { stderr } = await exec(['true']);
      assert.match(
          stderr, /^talaria-modal: SandboxGet\w+: NOT_FOUND: Sandbox with ID .* not found\n$/);
      assert.deepEqual(await fake.sandboxes(), []);
    },
  });
  assert.ok(!program.said.includes(fake.token_secret));
  assert.doesNotMatch(program.said, /eyJ\w+\.\w+/);  // how a JWT begins
});
