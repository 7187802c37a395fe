// What Daytona's own SDK makes of the faults of the fake. It tries again only what it may send
// twice, and only when the connection broke; the rest it says.
'use strict';

const assert = require('node:assert/strict');
const { main, run, startFake } = require('./drive.cjs');

async function connect(words, apiKey) {
  const fake = await startFake('daytona/fake.cjs', words);
  const { Daytona } = require('@daytonaio/sdk');
  const client = (key = fake.api_key) =>
      new Daytona({ apiKey: key, apiUrl: fake.url, target: 'eu', useDeprecatedPolling: true });
  const count = async (method) =>
      (await fake.log()).filter((entry) => entry.method === method).length;
  return { client, count, daytona: client(apiKey), fake };
}

main(async () => {
  const { client, count, daytona, fake } = await connect([]);
  const sandbox = await daytona.create({ name: 'hermes-t1' });
  const runs = async () => (await sandbox.process.executeCommand('wc -l <runs')).result.trim();

  await run(fake.mark, {
    'wrong key': async () => {
      await assert.rejects(
          client('dtn_other').get('hermes-t1'),
          { name: 'DaytonaAuthenticationError', message: 'Invalid credentials' });
    },
    'too many requests': async () => {
      await fake.fault({
        on: 'GET /sandbox/:sandbox',
        do: 'error',
        status: 429,
        message: 'Rate limit exceeded',
        retry_after: 2
      });
      const error = await daytona.get('hermes-t1').catch((one) => one);
      assert.deepEqual(
          [error.name, error.message, error.headers['retry-after']],
          ['DaytonaRateLimitError', 'Rate limit exceeded', '2']);
    },
    'a server in trouble': async () => {
      await fake.fault(
          { on: 'POST /process/execute', do: 'error', status: 502, message: 'Bad gateway' });
      await assert.rejects(
          sandbox.process.executeCommand('echo once >>runs'), { name: 'DaytonaBadGatewayError' });
      await sandbox.process.executeCommand('echo once >>runs');
      assert.equal(await runs(), '1');
    },
    'a connection that is cut: asked again when that does no harm': async () => {
      await fake.fault({ on: 'GET /sandbox/:sandbox', do: 'cut' });
      assert.equal((await daytona.get('hermes-t1')).id, sandbox.id);
    },
    'a connection that is cut: not asked again when it could run twice': async () => {
      const before = await count('POST /process/execute');
      await fake.fault({ on: 'POST /process/execute', do: 'cut' });
      await assert.rejects(
          sandbox.process.executeCommand('echo twice >>runs'), { name: 'DaytonaConnectionError' });
      assert.equal(await count('POST /process/execute'), before + 1);
    },
    'an answer that is lost': async () => {
      await fake.fault(
          { on: 'POST /process/execute', do: 'lost', status: 504, message: 'Gateway timeout' });
      await assert.rejects(
          sandbox.process.executeCommand('echo lost >>runs'), { name: 'DaytonaTimeoutError' });
      assert.equal(await runs(), '2');
    },
    'a terminal that is cut, and found again': async () => {
      await fake.fault({ on: 'GET /process/pty/create-connect', do: 'cut', bytes: 100_000 });
      const first = await sandbox.process.createPty({ id: 'p1', onData: () => {} });
      await first.sendInput('head -c 1000000 /dev/zero\n');
      assert.equal((await first.wait()).exitCode, undefined);
      let shown = '';
      const onData = (bytes) => { shown += Buffer.from(bytes); };
      const again = await sandbox.process.connectPty('p1', { onData });
      await again.sendInput('echo still-$((40 + 2))\n');
      while (!shown.includes('still-42')) await new Promise((resolve) => setTimeout(resolve, 10));
      await again.kill();
    },
    'a name that is taken': async () => {
      await assert.rejects(
          daytona.create({ name: 'hermes-t1' }),
          { name: 'DaytonaConflictError', message: /already exists/ });
    },
    'a sandbox that vanished': async () => {
      await fake.vanish(sandbox.id);
      await assert.rejects(
          sandbox.process.executeCommand('true'), { name: 'DaytonaNotFoundError' });
      await assert.rejects(sandbox.refreshData(), { name: 'DaytonaNotFoundError' });
    },
    'a slow cold start, and a quota': async () => {
      const cold = await connect(['--delay', '3', '--cpus', '1']);
      // Whether it was the request or the start that took too long.
      const late = (error) => /Timeout/.test(error.name);
      await assert.rejects(cold.daytona.create({ name: 'hermes-t1' }, { timeout: 2 }), late);
      const found = await cold.daytona.get('hermes-t1');
      await found.waitUntilStarted();
      assert.equal((await found.process.executeCommand('echo warm')).result, 'warm\n');
      await assert.rejects(
          cold.daytona.create({ name: 'hermes-t2' }),
          { name: 'DaytonaAuthorizationError', message: /Total CPU limit exceeded/ });
    },
  });
});
