// What Modal's own SDK makes of the faults of the fake: which of them it survives, and by doing
// what. Ours must survive those too, and run nothing twice.
'use strict';

const assert = require('node:assert/strict');
const { exec, main, run, startFake } = require('./drive.cjs');

const kBig = 4 * 1024 * 1024;

async function connect(words) {
  const fake = await startFake('modal/fake.cjs', words);
  Object.assign(process.env, {
    MODAL_SERVER_URL: fake.url,
    MODAL_CONFIG_PATH: '/dev/null',
    MODAL_LOGLEVEL: 'error',
    MODAL_SANDBOX_CHANNEL_IDLE_TIMEOUT: '0',
  });
  const { ModalClient } = require('modal');
  const modal = new ModalClient({ tokenId: fake.token_id, tokenSecret: fake.token_secret });
  const app = await modal.apps.fromName('hermes-agent', { createIfMissing: true });
  const image = await modal.images.fromRegistry('debian:bookworm-slim').build(app);
  const create = (params = {}) =>
      modal.sandboxes.create(app, image, { timeoutMs: 600_000, ...params });
  const count = async (method) =>
      (await fake.log()).filter((entry) => entry.method === method).length;
  return { ModalClient, app, count, create, fake, image, modal };
}

main(async () => {
  // Tokens that are about to end, so that the SDK asks for new ones when it is refused.
  const { ModalClient, app, count, create, fake, modal } = await connect(['--token-seconds', '25']);
  let sandbox = await create();

  await run(fake.mark, {
    'unavailable three times, then not': async () => {
      await fake.fault({ on: 'AppGetOrCreate', do: 'error', code: 'UNAVAILABLE', times: 3 });
      await modal.apps.fromName('hermes-agent');
      assert.equal(await count('AppGetOrCreate'), 5);
    },
    'a connection that is cut': async () => {
      await fake.fault({ on: 'AppGetOrCreate', do: 'cut' });
      await modal.apps.fromName('hermes-agent');
    },
    'asked to wait': async () => {
      const begun = Date.now();
      await fake.fault({
        on: 'AppGetOrCreate',
        do: 'error',
        code: 'RESOURCE_EXHAUSTED',
        message: 'slow down',
        retry_after: 0.3
      });
      await modal.apps.fromName('hermes-agent');
      assert.ok(Date.now() - begun >= 290);
    },
    'exhausted without a wish': async () => {
      await fake.fault(
          { on: 'AppGetOrCreate', do: 'error', code: 'RESOURCE_EXHAUSTED', message: 'slow down' });
      await assert.rejects(modal.apps.fromName('hermes-agent'), /RESOURCE_EXHAUSTED: slow down/);
    },
    'wrong credentials': async () => {
      const other = new ModalClient({ tokenId: 'ak-other', tokenSecret: 'as-other' });
      await assert.rejects(
          other.apps.fromName('hermes-agent'), /UNAUTHENTICATED: Token validation failed/);
    },
    'creation whose answer is lost': async () => {
      const before = (await fake.sandboxes()).length;
      await fake.fault({ on: 'SandboxCreateV2', do: 'lost' });
      const once = await create();
      assert.equal((await fake.sandboxes()).length, before + 1);
      await once.terminate();
    },
    'start whose answer is lost': async () => {
      await fake.fault({ on: 'TaskExecStart', do: 'lost', times: 2 });
      await exec(sandbox, ['sh', '-c', 'echo once >>/root/runs']);
      assert.equal((await exec(sandbox, ['cat', '/root/runs'])).stdout, 'once\n');
    },
    'input whose answer is lost': async () => {
      await fake.fault({ on: 'TaskExecStdinWrite', do: 'lost', times: 2 });
      assert.equal((await exec(sandbox, ['cat'], { input: 'said once' })).stdout, 'said once');
    },
    'output that is cut': async () => {
      await fake.fault({ on: 'TaskExecStdioRead', do: 'cut', bytes: 1024 * 1024 });
      const child =
          await sandbox.exec(['sh', '-c', `yes 0123456 | head -c ${kBig}`], { mode: 'binary' });
      const bytes = Buffer.from(await child.stdout.readBytes());
      assert.ok(bytes.equals(Buffer.from('0123456\n'.repeat(kBig / 8))));
    },
    'input that is cut': async () => {
      await fake.fault({ on: 'TaskExecStdinWriteStream', do: 'cut', bytes: 1024 * 1024 });
      const bytes = Buffer.from(Array.from({ length: kBig }, (_, index) => (index >> 8) & 255));
      await sandbox.filesystem.writeBytes(bytes, '/root/big');
      assert.ok(Buffer.from(await sandbox.filesystem.readBytes('/root/big')).equals(bytes));
      assert.ok(await count('TaskExecStdinStatus') >= 1);
    },
    'expired token of the router': async () => {
      const before = await count('SandboxGetCommandRouterAccess');
      await fake.expire('router');
      assert.equal((await exec(sandbox, ['echo', 'on'])).stdout, 'on\n');
      assert.ok(await count('SandboxGetCommandRouterAccess') > before);
    },
    'a sandbox that vanished': async () => {
      await fake.vanish(sandbox.sandboxId);
      await assert.rejects(sandbox.exec(['true']), /NOT_FOUND/);
      await assert.rejects(sandbox.poll(), /NOT_FOUND: Sandbox with ID .* not found/);
    },
    'a sandbox whose time is up': async () => {
      const brief = await create({ timeoutMs: 1000 });
      assert.equal(await brief.wait(), 124);
    },
    'a slow cold start': async () => {
      const cold = await connect(['--cold-start', '1.2', '--sandboxes', '1']);
      sandbox = await cold.create();
      assert.equal((await exec(sandbox, ['echo', 'warm'])).stdout, 'warm\n');
      assert.ok(await cold.count('SandboxGetTaskIdV2') >= 2);
      await assert.rejects(
          cold.create(), /RESOURCE_EXHAUSTED: Workspace has reached its limit of 1 sandboxes/);
    },
    'an image that does not build': async () => {
      const broken = modal.images.fromRegistry('debian:missing');
      await assert.rejects(broken.build(app), /FROM debian:missing: failed with exit code 1/);
    },
  });
});
