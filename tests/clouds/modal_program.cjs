// talaria-modal drives the fake, verb by verb, and sends what Modal's own SDK sends for the same:
//
//   node modal_program.cjs PROGRAM FILE    FILE: the requests of the SDK (requests/modal.txt)
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const fs = require('node:fs');
const { main, run, startFake } = require('./drive.cjs');
const { Program, kSandbox } = require('./modal/program.cjs');

const kMegabyte = 1024 * 1024;
const [, , kPath, kRequests] = process.argv;

main(async () => {
  const fake = await startFake('modal/fake.cjs');
  const program = new Program(kPath, fake);
  let sandbox;
  let image;

  await run(fake.mark, {
    'create': async () => {
      const made = await program.create(
          { workdir: '/root', env: { COLOR: 'blue' }, name: 'hermes-t1', tags: { hermes_task_id: 't1' } });
      ({ sandbox } = made);
      assert.match(sandbox, /^sb-/);
      assert.match(made.task, /^ta-/);
      assert.match(made.image, /^im-/);
      assert.deepEqual(await program.exec(sandbox, ['sh', '-c', 'echo $COLOR $LAYER']),
        { code: 0, stdout: 'blue yes\n', stderr: '' });
    },
    'exec': async () => {
      assert.deepEqual(
          await program.exec(sandbox, ['bash', '-c', 'pwd; echo $HOME; echo oh >&2; exit 3']),
          { code: 3, stdout: '/root\n/root\n', stderr: 'oh\n' });
    },
    'a signal': async () => {
      assert.equal((await program.exec(sandbox, ['bash', '-c', 'kill -9 $$'])).code, 137);
    },
    'stdin': async () => {
      assert.equal((await program.exec(sandbox, ['wc', '-c'], Buffer.alloc(3 * kMegabyte))).stdout,
          `${3 * kMegabyte}\n`);
      assert.equal((await program.exec(sandbox, ['cat'], '')).stdout, '');
    },
    'bytes there and back': async () => {
      const bytes = crypto.randomBytes(5 * kMegabyte);
      const done = await program.run(['exec', '--sandbox', sandbox, '--', 'cat'], bytes);
      assert.equal(done.code, 0);
      assert.ok(bytes.equals(done.stdout));
    },
    'snapshot': async () => {
      await program.exec(sandbox, ['sh', '-c', 'echo kept >/root/kept']);
      image = (await program.ask(['snapshot', '--sandbox', sandbox])).image;
      assert.match(image, /^im-/);
    },
    'found': async () => {
      assert.deepEqual(await program.ask(['find', '--app', 'hermes-agent', '--name', 'hermes-t1']),
          { sandbox, running: true });
      assert.deepEqual(await program.ask(['find', '--app', 'hermes-agent', '--name', 'other']),
          { sandbox: null });
      assert.deepEqual(await program.ask(['look', '--sandbox', sandbox]), { running: true });
    },
    'terminate': async () => {
      assert.deepEqual(await program.terminate(sandbox), {});
      assert.equal((await program.ask(['look', '--sandbox', sandbox])).result, 'TERMINATED');
      assert.deepEqual(await fake.sandboxes(), []);
      assert.deepEqual(await program.terminate('sb-aaaaaaaaaaaaaaaaaaaaaaaaaa'), {});
    },
    'restore': async () => {
      const restored = await program.create({ image: { id: image }, command: [] });
      assert.equal((await program.exec(restored.sandbox, ['cat', '/root/kept'])).stdout, 'kept\n');
      await program.terminate(restored.sandbox);
    },
  });
});
