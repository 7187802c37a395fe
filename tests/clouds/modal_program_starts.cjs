// talaria-modal where sandboxes take their time to start, and where there may be only one: what it
// says meanwhile, and that none is left when it gives up.
//
//   node modal_program_starts.cjs PROGRAM
'use strict';

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { main, run, startFake } = require('./drive.cjs');
const { Program, kSandbox } = require('./modal/program.cjs');

const kImage = {
  layers: [['FROM debian:bookworm-slim']]
};
const kWaiting = 'waiting for the sandbox to start';

// A creation that is under way, and has said that it waits.
async function waiting(program) {
  const child = program.start(['create']);
  child.stdin.end(JSON.stringify({ ...kSandbox, image: kImage }));
  let said = '';
  while (!said.includes(kWaiting)) said += (await once(child.stderr, 'data')).toString();
  return child;
}

main(async () => {
  const slow = await startFake('modal/fake.cjs', ['--cold-start', '1.2', '--sandboxes', '1']);
  const program = new Program(process.argv[2], slow);
  const never = await startFake('modal/fake.cjs', ['--cold-start', '3600']);
  const patient = new Program(process.argv[2], never);
  const none = async () => assert.deepEqual(await never.sandboxes(), []);

  await run(async () => {}, {
    'a slow start': async () => {
      const { sandbox, task } = await program.create({ image: kImage });
      assert.match(task, /^ta-/);
      assert.ok(program.said.includes(JSON.stringify({ progress: kWaiting })));
      assert.equal((await program.exec(sandbox, ['echo', 'warm'])).stdout, 'warm\n');
      const asked = (await slow.log()).filter(({ method }) => method === 'SandboxGetTaskIdV2');
      assert.ok(asked.length >= 3);
    },
    'no room for another': async () => {
      assert.deepEqual(await program.refused(['create'], { ...kSandbox, image: kImage }), {
        kind: 'limit',
        call: 'SandboxCreateV2',
        status: 'RESOURCE_EXHAUSTED',
        message: 'Workspace has reached its limit of 1 sandboxes'
      });
    },
    'a command for a sandbox that is still on its way': async () => {
      const [first] = await slow.sandboxes();
      await program.terminate(first);
      const child = await waiting(program);
      const [second] = await slow.sandboxes();
      assert.equal((await program.exec(second, ['echo', 'early'])).stdout.trim(), 'early');
      await child.ended;
      await program.terminate(second);
      assert.deepEqual(await slow.sandboxes(), []);
    },
    'a start that takes too long': async () => {
      const words = { ...kSandbox, image: kImage, start_limit_s: 1 };
      const { kind, call, status } = await patient.refused(['create'], words);
      assert.deepEqual([kind, call, status], ['timed_out', 'SandboxGetTaskIdV2', '']);
      await none();
    },
    'a start that ends before it began': async () => {
      const child = await waiting(patient);
      const error = child.stderr.toArray();
      const [id] = await never.sandboxes();
      await patient.terminate(id);
      assert.deepEqual(await child.ended, [1, null]);
      assert.match(
          Buffer.concat(await error).toString(), /"kind":"not_found".* is over: TERMINATED/);
    },
    'told to end meanwhile': async () => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
        const child = await waiting(patient);
        const error = child.stderr.toArray();
        child.kill(signal);
        assert.deepEqual(await child.ended, [1, null]);
        assert.match(Buffer.concat(await error).toString(), /"kind":"interrupted"/);
        await none();
      }
    },
    'one that cannot be terminated again': async () => {
      await never.fault({ on: 'SandboxTerminateV2', do: 'error', code: 'INTERNAL', times: 4 });
      const words = { ...kSandbox, image: kImage, start_limit_s: 1 };
      const { message } = await patient.refused(['create'], words);
      const [id] = await never.sandboxes();
      assert.ok(
          message.endsWith(` did not start in time; the sandbox ${id} is left behind: ` +
                           'SandboxTerminateV2: INTERNAL: fault on demand'),
          message);
      await patient.terminate(id);
      await none();
    },
    'nobody waits for it, and it does not know yet what to create': async () => {
      const child = patient.start(['create']);
      const error = child.stderr.toArray();
      child.stdin.write('{');
      child.stdout.destroy();
      assert.deepEqual(await child.ended, [1, null]);
      assert.match(Buffer.concat(await error).toString(), /"kind":"interrupted"/);
      child.stdin.on('error', () => {}).end();
    },
    'nobody waits for the answer any more': async () => {
      const child = await waiting(patient);
      child.stdout.destroy();
      assert.deepEqual(await child.ended, [1, null]);
      await none();
    },
  });
});
