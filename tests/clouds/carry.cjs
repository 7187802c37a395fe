// The SDKs of the vendors as carriers: what `docker exec -i BOX` is for a container. The link over
// a cloud, before there is a backend for it, and a pattern for that backend.
//
//   node carry.cjs modal|daytona create            prints the sandbox's id
//   node carry.cjs modal|daytona run ID WORDS...   runs a command there, with our stdin and stdout
//   node carry.cjs modal|daytona remove ID
'use strict';

const crypto = require('node:crypto');
const { once } = require('node:events');

const kChunk = 32 * 1024;

async function write(stream, bytes) {
  if (!stream.write(bytes)) await once(stream, 'drain');
}

// An exec has three streams of bytes and an end.
const modal = {
  client: () => new (require('modal').ModalClient)(),

  async create() {
    const client = this.client();
    const app = await client.apps.fromName('hermes-agent', { createIfMissing: true });
    const image = client.images.fromRegistry('debian:bookworm-slim');
    const command = ['sleep', 'infinity'];
    return (await client.sandboxes.create(app, image, { command, timeoutMs: 3600_000 })).sandboxId;
  },

  async remove(id) { await (await this.client().sandboxes.fromId(id)).terminate(); },

  async run(id, words) {
    const sandbox = await this.client().sandboxes.fromId(id);
    const child = await sandbox.exec(words, { mode: 'binary' });
    const pump = async (from, to) => {
      for await (const bytes of from) await write(to, bytes);
    };
    (async () => {
      const writer = child.stdin.getWriter();
      for await (const bytes of process.stdin) await writer.write(bytes);
      await writer.close();
    })().catch(() => {});  // it ended without reading everything
    await Promise.all([pump(child.stdout, process.stdout), pump(child.stderr, process.stderr)]);
    return child.wait();
  },
};

const sizeOf = (piece) => Buffer.from(String(piece.length).padStart(8, '0'));

// A command of a session takes lines of text and gives lines of text. A terminal that is made raw
// takes and gives bytes, but has no end of input; so pieces go there with their size before them.
const daytona = {
  client: () => new (require('@daytonaio/sdk').Daytona)({ useDeprecatedPolling: true }),

  async create() {
    return (await this.client().create({ image: 'debian:bookworm-slim', autoStopInterval: 0 })).id;
  },

  async remove(id) { await (await this.client().get(id)).delete(); },

  async run(id, words) {
    const sandbox = await this.client().get(id);
    const begin = `BEGIN-${crypto.randomUUID()}`;
    let before = Buffer.alloc(0);
    let begun = false;
    let written = Promise.resolve();
    const show = (bytes) => { written = written.then(() => write(process.stdout, bytes)); };
    const terminal = await sandbox.process.createPty({
      id: crypto.randomUUID(),
      onData: (data) => {
        const bytes = Buffer.from(data);
        if (begun) return show(bytes);
        before = Buffer.concat([before, bytes]);
        const at = before.indexOf(`${begin}\n`);
        if (at < 0) return undefined;
        begun = true;
        start();
        return show(before.subarray(at + begin.length + 1));
      },
    });
    // A line that is typed may be no longer than 4 KiB, so the command itself follows as bytes. The
    // mark is typed in two pieces, so that the echo of the line is not taken for it.
    const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    // (`read` would not do: from a terminal, bash reads ahead.)
    const pieces =
        'while size=$(head -c 8) && [ "$size" -gt 0 ]; do head -c "$size"; done <&3';
    const command = Buffer.from(`exec 3<&0; exec ${quoted} < <(${pieces}) 3<&- 2>/dev/null`);
    await terminal.sendInput(
        `stty raw -echo; printf '%s%s\\n' '${begin.slice(0, 5)}' '${begin.slice(5)}'; ` +
        `exec bash -c "$(dd bs=1 count=${command.length} 2>/dev/null)"\n`);
    const start = async () => {
      await terminal.sendInput(command);
      for await (const bytes of process.stdin) {
        for (let at = 0; at < bytes.length; at += kChunk) {
          const piece = bytes.subarray(at, at + kChunk);
          await terminal.sendInput(Buffer.concat([sizeOf(piece), piece]));
        }
      }
      await terminal.sendInput(sizeOf(''));
    };
    const { exitCode } = await terminal.wait();
    await written;
    return exitCode;
  },
};

async function main() {
  const [cloud, verb, id, ...words] = process.argv.slice(2);
  const carrier = { modal, daytona }[cloud];
  if (verb === 'create') process.stdout.write(`${await carrier.create()}\n`);
  else if (verb === 'remove') await carrier.remove(id);
  else if (verb === 'run') process.exitCode = await carrier.run(id, words);
  else throw new Error('modal|daytona create|run|remove');
}

main().then(() => process.exit(), (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(125);
});
