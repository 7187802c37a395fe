// talaria-modal drives the fake, verb by verb, and says to it what Modal's own SDK says for the
// same.
//
//   node modal_program.cjs PROGRAM FILE    FILE: the requests of the SDK (requests/modal.txt)
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const crypto = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const tls = require('node:tls');
const { main, run, startFake } = require('./drive.cjs');
const { Program } = require('./modal/program.cjs');
const { compareRequests } = require('./modal/same_requests.cjs');

const kMegabyte = 1024 * 1024;
const [, , kPath, kRequests] = process.argv;

// A port where the fake is reached by TLS, with a certificate for localhost that signed itself.
async function startTls({ url, directory }) {
  const [key, certificate] =
      ['key.pem', 'certificate.pem'].map((name) => path.join(directory, name));
  const words = [
    '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj',
    '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'
  ];
  execFileSync(
      'openssl', ['req', '-x509', ...words, '-keyout', key, '-out', certificate],
      { stdio: 'pipe' });
  const options = {
    key: fs.readFileSync(key),
    cert: fs.readFileSync(certificate),
    ALPNProtocols: ['h2']
  };
  const server = tls.createServer(options, (client) => {
    const plain = net.connect(Number(new URL(url).port), '127.0.0.1');
    for (const [one, other] of [[client, plain], [plain, client]]) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, resolve));
  return { port: server.address().port, certificate };
}

main(async () => {
  const fake = await startFake('modal/fake.cjs');
  const program = new Program(kPath, fake);
  let sandbox;
  let image;

  await run(fake.mark, {
    'create': async () => {
      const made = await program.create({
        workdir: '/root',
        env: { COLOR: 'blue' },
        name: 'hermes-t1',
        tags: { hermes_task_id: 't1' }
      });
      ({ sandbox } = made);
      assert.match(sandbox, /^sb-\w+$/);
      assert.match(made.task, /^ta-\w+$/);
      assert.match(made.image, /^im-\w+$/);
      assert.deepEqual(
          await program.exec(sandbox, ['sh', '-c', 'echo $COLOR $LAYER']),
          { code: 0, stdout: 'blue yes\n', stderr: '' });
    },
    'exec': async () => {
      assert.deepEqual(
          await program.exec(sandbox, ['bash', '-c', 'pwd; echo $HOME; echo oh >&2; exit 3']),
          { code: 3, stdout: '/root\n/root\n', stderr: 'oh\n' });
    },
    'stdin': async () => {
      const { stdout } = await program.exec(sandbox, ['wc', '-c'], Buffer.alloc(3 * kMegabyte));
      assert.equal(stdout, `${3 * kMegabyte}\n`);
      assert.equal((await program.exec(sandbox, ['cat'], '')).stdout, '');
    },
    '(a signal)': async () => {
      assert.deepEqual(
          await program.exec(sandbox, ['bash', '-c', 'echo so far; kill -9 $$']),
          { code: 137, stdout: 'so far\n', stderr: '' });
    },
    '(bytes there and back)': async () => {
      const bytes = crypto.randomBytes(5 * kMegabyte);
      const done = await program.run(['exec', '--sandbox', sandbox, '--', 'cat'], bytes);
      assert.equal(done.code, 0);
      assert.ok(bytes.equals(done.stdout));
    },
    // What the link needs: an answer comes while the input is open, and the next question goes.
    '(question and answer)': async () => {
      const child = program.startExec(sandbox, ['cat']);
      for (let turn = 0; turn < 20; turn += 1) {
        child.stdin.write(`turn ${turn}\n`);
        const [bytes] = await once(child.stdout, 'data');
        assert.equal(bytes.toString(), `turn ${turn}\n`);
      }
      child.stdin.end();
      assert.deepEqual(await child.ended, [0, null]);
    },
    '(a command that takes no input)': async () => {
      const done = await program.exec(
          sandbox, ['sh', '-c', 'exec <&-; echo done'], Buffer.alloc(8 * kMegabyte));
      assert.deepEqual(done, { code: 0, stdout: 'done\n', stderr: '' });
    },
    '(something to keep)': async () => {
      await program.exec(sandbox, ['sh', '-c', 'echo kept >/root/kept']);
    },
    'snapshot': async () => {
      ({ image } = await program.ask(['snapshot', '--sandbox', sandbox]));
      assert.match(image, /^im-\w+$/);
      await program.exec(sandbox, ['rm', '/root/kept']);
    },
    'find': async () => {
      assert.deepEqual(
          await program.ask(['find', '--app', 'hermes-agent', '--name', 'hermes-t1']),
          { sandbox, running: true });
      assert.deepEqual(await program.ask(['look', '--sandbox', sandbox]), { running: true });
    },
    '(find none)': async () => {
      assert.deepEqual(
          await program.ask(['find', '--app', 'hermes-agent', '--name', 'other']),
          { sandbox: null });
    },
    'end': async () => {
      assert.deepEqual(await program.terminate(sandbox), {});
      const { running, result } = await program.ask(['look', '--sandbox', sandbox]);
      assert.deepEqual([running, result], [false, 'TERMINATED']);
      assert.deepEqual(await fake.sandboxes(), []);
    },
    '(with TLS)': async () => {
      const { port, certificate } = await startTls(fake);
      const words = ['look', '--sandbox', sandbox];
      const secure = { MODAL_SERVER_URL: `https://localhost:${port}` };
      const trusting = new Program(kPath, fake, { ...secure, SSL_CERT_FILE: certificate });
      assert.equal((await trusting.ask(words)).result, 'TERMINATED');
      const { kind, call } = await new Program(kPath, fake, secure).refused(words);
      assert.deepEqual([kind, call], ['unavailable', 'AuthTokenGet']);
    },
    '(end of what is not there)': async () => {
      const unknown = 'sb-aaaaaaaaaaaaaaaaaaaaaaaaaa';
      assert.deepEqual(await program.terminate(unknown), {});
      assert.equal((await program.ask(['look', '--sandbox', unknown])).result, 'NOT_FOUND');
      assert.equal((await program.exec(unknown, ['true'])).code, 125);
    },
    'restore': async () => {
      ({ sandbox } = await program.create({ image: { id: image }, command: [] }));
      assert.equal((await program.exec(sandbox, ['cat', '/root/kept'])).stdout, 'kept\n');
    },
    '(the rest)': async () => {
      await program.terminate(sandbox);
      assert.deepEqual(await fake.sandboxes(), []);
      const { version, grpc } = await program.ask(['version']);
      assert.match(`${version} ${grpc}`, /^\d+\.\d+\.\d+ \d+\.\d+\.\d+$/);
      assert.equal((await program.run(['dance'])).code, 2);
    },
  });
  compareRequests(await fake.log(), kRequests, ['create', 'exec', 'stdin', 'snapshot', 'restore']);
});
