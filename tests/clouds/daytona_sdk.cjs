// Daytona's own SDK drives the fake of it: create, find, run, input, terminal, files, stop, start,
// archive, snapshot, delete. That it succeeds shows that the fake is what the SDK takes for
// Daytona.
//
//   node daytona_sdk.cjs [FILE]    compares the requests with FILE, or prints them
'use strict';

const assert = require('node:assert/strict');
const { conclude, main, run, startFake } = require('./drive.cjs');

const kBig = 3 * 1024 * 1024;
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

main(async () => {
  const fake = await startFake('daytona/fake.cjs');
  const { Daytona } = require('@daytonaio/sdk');
  const daytona = new Daytona({
    apiKey: fake.api_key,
    apiUrl: fake.url,
    target: 'eu',
    useDeprecatedPolling: true,  // events are at odds with it about who sees a new state first
  });
  let sandbox;
  let again;

  await run(fake.mark, {
    'create': async () => {
      sandbox = await daytona.create(
          {
            name: 'hermes-t1',
            image: 'debian:bookworm-slim',
            labels: { hermes_task_id: 't1' },
            autoStopInterval: 0,
            resources: { cpu: 1, memory: 5, disk: 10 },
            envVars: { COLOR: 'blue' },
          },
          { timeout: 60 });
      assert.equal(sandbox.state, 'started');
    },
    'execute': async () => {
      const done =
          await sandbox.process.executeCommand('pwd; echo $HOME $COLOR; echo oh >&2; exit 3');
      assert.equal(done.exitCode, 3);
      assert.deepEqual(
          done.result.split('\n').sort(), ['', '/home/daytona', '/home/daytona blue', 'oh']);
    },
    'execute with environment and directory': async () => {
      const done = await sandbox.process.executeCommand(
          'pwd; echo $GREETING', '/tmp', { GREETING: 'hello' }, 10);
      assert.deepEqual([done.exitCode, done.result], [0, '/tmp\nhello\n']);
    },
    'execute past its time': async () => {
      await assert.rejects(
          sandbox.process.executeCommand('sleep 100', undefined, undefined, 1),
          { name: 'DaytonaProcessExecutionTimeoutError', message: /command execution timeout/ });
      assert.equal((await sandbox.process.executeCommand('true')).exitCode, 0);
    },
    'session': async () => {
      await sandbox.process.createSession('s1');
      await sandbox.process.executeSessionCommand('s1', { command: 'cd /tmp; export KEPT=yes' });
      const done = await sandbox.process.executeSessionCommand(
          's1', { command: 'pwd; echo $KEPT; echo oh >&2; (exit 4)' });
      assert.deepEqual([done.exitCode, done.stdout, done.stderr], [4, '/tmp\nyes\n', 'oh\n']);
    },
    'session with input, followed': async () => {
      const { cmdId } = await sandbox.process.executeSessionCommand(
          's1', { command: 'read line; echo "got $line"', runAsync: true });
      let shown = '';
      const followed = sandbox.process.getSessionCommandLogs('s1', cmdId, (text) => {
        shown += text;
      }, () => {});
      await sandbox.process.sendSessionCommandInput('s1', cmdId, 'hello');
      await followed;
      assert.equal(shown, 'got hello\n');
      assert.equal((await sandbox.process.getSessionCommand('s1', cmdId)).exitCode, 0);
      await sandbox.process.deleteSession('s1');
    },
    'terminal': async () => {
      let shown = '';
      const terminal = await sandbox.process.createPty({
        id: 'p1',
        cols: 100,
        rows: 30,
        envs: { GREETING: 'hello' },
        onData: (bytes) => {
          shown += Buffer.from(bytes);
        },
      });
      const sees = async (text) => {
        while (!shown.includes(text)) await pause();
      };
      await terminal.sendInput('stty -echo; stty size; echo $GREETING-$((40 + 2))\n');
      await sees('30 100');
      await sees('hello-42');
      await terminal.resize(90, 20);
      await terminal.sendInput('stty size\n');
      await sees('20 90');
      await terminal.sendInput('exit 5\n');
      assert.equal((await terminal.wait()).exitCode, 5);
    },
    'a stream of bytes both ways, by a terminal': async () => {
      const parts = [];
      const terminal = await sandbox.process.createPty({
        id: 'p2',
        onData: (bytes) => {
          parts.push(Buffer.from(bytes));
        }
      });
      const all = () => Buffer.concat(parts);
      await terminal.sendInput('stty raw -echo; printf "%s\\n" "LINK"-"UP"; exec cat\n');
      while (!all().includes('LINK-UP\n')) await pause();
      parts.length = 0;
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) & 255));
      for (let at = 0; at < bytes.length; at += 32768)
        await terminal.sendInput(bytes.subarray(at, at + 32768));
      while (all().length < bytes.length) await pause();
      assert.ok(all().equals(bytes));
      await terminal.kill();
      assert.equal((await terminal.wait()).exitCode, 137);
    },
    'files': async () => {
      await sandbox.fs.uploadFiles([
        { source: Buffer.alloc(kBig), destination: '/home/daytona/dir with spaces/big' },
        { source: Buffer.from('kept\n'), destination: '/home/daytona/kept' },
      ]);
      assert.equal((await sandbox.process.executeCommand('cat kept')).result, 'kept\n');
      assert.equal(
          (await sandbox.fs.downloadFile('/home/daytona/dir with spaces/big')).length, kBig);
      assert.deepEqual(
          (await sandbox.fs.listFiles('/home/daytona/dir with spaces')).map((one) => one.name),
          ['big']);
      await assert.rejects(sandbox.fs.downloadFile('/home/daytona/none'), /none/);
      await sandbox.fs.deleteFile('/home/daytona/dir with spaces', true);
    },
    'found by name and by label': async () => {
      assert.equal((await daytona.get('hermes-t1')).id, sandbox.id);
      const listed = [];
      for await (const one of daytona.list({ labels: { hermes_task_id: 't1' }, limit: 1 }))
        listed.push(one.id);
      assert.deepEqual(listed, [sandbox.id]);
      await assert.rejects(daytona.get('hermes-none'), { name: 'DaytonaNotFoundError' });
    },
    'stop and start': async () => {
      await sandbox.stop();
      assert.equal(sandbox.state, 'stopped');
      await assert.rejects(sandbox.process.executeCommand('true'), /not running/);
      await sandbox.start();
      assert.equal((await sandbox.process.executeCommand('cat kept')).result, 'kept\n');
    },
    'snapshot': async () => {
      await sandbox.createSnapshot('kept-t1');
      again = await daytona.create({ snapshot: 'kept-t1', name: 'hermes-t2' });
      assert.equal((await again.process.executeCommand('cat kept')).result, 'kept\n');
    },
    'archive and start': async () => {
      await sandbox.stop();
      await sandbox.archive();
      while (sandbox.state !== 'archived') await sandbox.refreshData();
      await sandbox.start();
      assert.equal((await sandbox.process.executeCommand('cat kept')).result, 'kept\n');
    },
    'delete': async () => {
      await Promise.all([sandbox.delete(60, true), again.delete(60, true)]);
      await assert.rejects(daytona.get('hermes-t1'), { name: 'DaytonaNotFoundError' });
      assert.deepEqual(await fake.sandboxes(), []);
    },
  });
  await conclude(fake, process.argv[2]);

  await run(fake.mark, {
    'events of sandboxes': async () => {
      const listener = new Daytona({ apiKey: fake.api_key, apiUrl: fake.url, target: 'eu' });
      const logged = async () => (await fake.log()).map((entry) => entry.method);
      while (!(await logged()).includes('GET /socket.io')) await pause();
      const heard = await listener.create({ name: 'hermes-t3' });
      await heard.delete(60, true);
      while (!(await logged()).includes('told destroyed')) await pause();
      await listener[Symbol.asyncDispose]();
    },
  });
});
