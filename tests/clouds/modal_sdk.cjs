// Modal's own SDK drives the fake of it: create, run, input, files, snapshot, end. That it succeeds
// shows that the fake, and the .proto files it is made of, are what the SDK takes for Modal.
//
//   node modal_sdk.cjs [FILE]    compares the requests with FILE, or prints them
'use strict';

const assert = require('node:assert/strict');
const { conclude, exec, main, run, startFake } = require('./drive.cjs');

const kBig = 3 * 1024 * 1024;

main(async () => {
  const fake = await startFake('modal/fake.cjs');
  Object.assign(process.env, {
    MODAL_SERVER_URL: fake.url,
    MODAL_TOKEN_ID: fake.token_id,
    MODAL_TOKEN_SECRET: fake.token_secret,
    MODAL_CONFIG_PATH: '/dev/null',
    MODAL_LOGLEVEL: 'error',
    MODAL_SANDBOX_CHANNEL_IDLE_TIMEOUT: '0',
  });
  const { ModalClient } = require('modal');
  const modal = new ModalClient();
  let app;
  let sandbox;
  let restored;
  let image;
  const resources = { cpu: 1, memoryMiB: 5120, timeoutMs: 3600_000 };

  await run(fake.mark, {
    'app': async () => {
      app = await modal.apps.fromName('hermes-agent', { createIfMissing: true });
    },
    'create': async () => {
      const base = modal.images.fromRegistry('debian:bookworm-slim').dockerfileCommands([
        'RUN true', 'ENV LAYER=yes'
      ]);
      sandbox = await modal.sandboxes.create(app, base, {
        ...resources,
        command: ['sleep', 'infinity'],
        workdir: '/root',
        env: { COLOR: 'blue' },
        name: 'hermes-t1',
        tags: { hermes_task_id: 't1' },
      });
      assert.equal((await exec(sandbox, ['sh', '-c', 'echo $COLOR $LAYER'])).stdout, 'blue yes\n');
    },
    'exec': async () => {
      const done = await exec(sandbox, ['bash', '-c', 'pwd; echo $HOME; echo oh >&2; exit 3']);
      assert.deepEqual(done, { stdout: '/root\n/root\n', stderr: 'oh\n', code: 3 });
    },
    'exec with environment, directory and a signal': async () => {
      const done = await exec(
          sandbox, ['bash', '-c', 'pwd; echo $GREETING; kill -9 $$'],
          { workdir: '/tmp', env: { GREETING: 'hello' }, stderr: 'ignore' });
      assert.deepEqual(done, { stdout: '/tmp\nhello\n', stderr: '', code: 137 });
    },
    'stdin': async () => {
      assert.equal(
          (await exec(sandbox, ['wc', '-c'], { input: new Uint8Array(kBig) })).stdout, `${kBig}\n`);
      assert.equal((await exec(sandbox, ['cat'], { input: '' })).stdout, '');
    },
    'output of some size, while it comes': async () => {
      const child = await sandbox.exec(
          ['bash', '-c', 'echo first; read line; head -c 5000000 /dev/zero'], { mode: 'binary' });
      const writer = child.stdin.getWriter();
      let size = 0;
      for await (const bytes of child.stdout) {
        if (size === 0)
          await writer.write('go\n');  // it goes on only if the first line came at once
        size += bytes.length;
      }
      assert.equal(size, 5000006);
      assert.equal(await child.wait(), 0);
    },
    'terminal': async () => {
      const done = await exec(
          sandbox, ['bash', '-c', 'test -t 0 && stty size && echo $TERM'], { pty: true });
      assert.deepEqual(done, { stdout: '24 80\r\nxterm-256color\r\n', stderr: '', code: 0 });
    },
    'deadline of a command': async () => {
      const child = await sandbox.exec(['sleep', '100'], { timeoutMs: 1000 });
      // The fake says what it did, which is to kill it; the SDK may be faster, with a
      // deadline of its own.
      assert.equal(
          await child.wait().catch((error) => /Deadline exceeded/.test(error.message) && 137), 137);
      assert.equal((await exec(sandbox, ['true'])).code, 0);
    },
    'files': async () => {
      await sandbox.filesystem.writeBytes(new Uint8Array(kBig), '/root/dir/big');
      assert.equal((await sandbox.filesystem.readBytes('/root/dir/big')).length, kBig);
      await sandbox.filesystem.writeText('kept\n', '/root/kept');
      assert.equal((await exec(sandbox, ['cat', '/root/kept'])).stdout, 'kept\n');
      assert.deepEqual(
          (await sandbox.filesystem.listFiles('/root')).map((one) => one.name), ['dir', 'kept']);
      await assert.rejects(
          sandbox.filesystem.readText('/root/none'), { name: 'SandboxFilesystemNotFoundError' });
    },
    'found by name and by tag': async () => {
      assert.equal(
          (await modal.sandboxes.fromName('hermes-agent', 'hermes-t1')).sandboxId,
          sandbox.sandboxId);
      const listed = [];
      for await (
          const one of modal.sandboxes.list({ appId: app.appId, tags: { hermes_task_id: 't1' } }))
        listed.push(one.sandboxId);
      assert.deepEqual(listed, [sandbox.sandboxId]);
      const again = await modal.sandboxes.fromId(sandbox.sandboxId);
      assert.equal((await exec(again, ['cat', '/root/kept'])).stdout, 'kept\n');
      again.detach();
    },
    'snapshot': async () => {
      image = await sandbox.snapshotFilesystem();
      await exec(sandbox, ['rm', '/root/kept']);
    },
    'terminate': async () => {
      const child = await sandbox.exec(['sleep', '1000']);
      assert.equal(await sandbox.poll(), null);
      assert.equal(await sandbox.terminate({ wait: true }), 137);
      await assert.rejects(child.wait());
      assert.deepEqual(await fake.sandboxes(), []);
    },
    'restore': async () => {
      restored =
          await modal.sandboxes.create(app, await modal.images.fromId(image.imageId), resources);
      assert.equal((await exec(restored, ['cat', '/root/kept'])).stdout, 'kept\n');
    },
    'an image that is gone': async () => {
      await modal.images.delete(image.imageId);
      await assert.rejects(
          modal.images.fromId(image.imageId),
          { name: 'NotFoundError', message: /Could not find image/ });
      await restored.terminate();
    },
  });
  await conclude(fake, process.argv[2]);
});
