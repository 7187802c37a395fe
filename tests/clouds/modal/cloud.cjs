// What Modal would keep: tokens, apps, images and sandboxes.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { Box } = require('../fakes/box.cjs');
const { sleep } = require('../fakes/control.cjs');

const kLetters = '0123456789abcdefghijklmnopqrstuvwxyz';
// An id of version 2 is longer than one of version 1, which is how the client tells them apart.
const kIdLetters = 26;

function newId(kind) {
  const bytes = crypto.randomBytes(kIdLetters);
  return `${kind}-${Array.from(bytes, (byte) => kLetters[byte % kLetters.length]).join('')}`;
}

// A failure to be said to the client, by the name of its gRPC status.
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Signed tokens that end, or are ended.
class Tokens {
  constructor(lifetime) {
    this.lifetime = lifetime;
    this.generation = 0;
    this.key = crypto.randomBytes(32);
  }

  sign(text) { return crypto.createHmac('sha256', this.key).update(text).digest('base64url'); }

  make(claims) {
    const exp = Math.floor(Date.now() / 1000) + this.lifetime;
    const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS256',
                           typ: 'JWT' })}.${part({...claims, exp, generation: this.generation })}`;
    return `${text}.${this.sign(text)}`;
  }

  // Its claims, or why it is no good.
  read(token) {
    const [head, payload, signature] = String(token ?? '').split('.');
    if (!signature || this.sign(`${head}.${payload}`) !== signature) {
      throw new Refusal('UNAUTHENTICATED', 'Invalid token');
    }
    const claims = JSON.parse(Buffer.from(payload, 'base64url'));
    if (claims.exp <= Date.now() / 1000 || claims.generation < this.generation) {
      throw new Refusal('UNAUTHENTICATED', 'Token has expired');
    }
    return claims;
  }
}

class Cloud {
  constructor(options) {
    this.options = options;
    this.tokens = {
      account: new Tokens(options.tokenSeconds),
      router: new Tokens(options.tokenSeconds)
    };
    this.apps = new Map();
    this.images = new Map();
    this.sandboxes = new Map();
    this.answers = new Map();  // by idempotency key
    this.routerUrl = '';
  }

  directory(kind, id) { return path.join(this.options.directory, kind, id); }

  app(name, create) {
    if (!this.apps.has(name)) {
      if (!create) throw new Refusal('NOT_FOUND', `App '${name}' not found`);
      this.apps.set(name, newId('ap'));
    }
    return this.apps.get(name);
  }

  // Layers are not built: RUN lines are kept, not run, for what they do (apt, pip) would be done to
  // this machine. ENV and WORKDIR count; a line `RUN false` fails, and `FROM` of a name with
  // "missing" too.
  buildImage(definition) {
    const commands = definition.dockerfile_commands;
    const key = JSON.stringify([commands, definition.base_images]);
    for (const [id, image] of this.images) if (image.key === key) return id;
    const base = this.image(definition.base_images[0]?.image_id, false);
    const
        image = { key, commands, env: {...base?.env }, workdir: base?.workdir, files: base?.files };
    for (const command of commands) {
      const [, word, rest] = /^(\w+)\s+(.*)$/.exec(command.trim()) ?? [];
      if (word === 'ENV') {
        const [, name, value] = /^(\w+)[ =]"?(.*?)"?$/.exec(rest);
        image.env[name] = value;
      } else if (word === 'WORKDIR') {
        image.workdir = rest;
      } else if (command === 'RUN false' || /^FROM .*missing/.test(command)) {
        image.failure = `${command}: failed with exit code 1`;
      }
    }
    const id = newId('im');
    this.images.set(id, image);
    return id;
  }

  image(id, must = true) {
    const image = this.images.get(id);
    if (!image && must) throw new Refusal('NOT_FOUND', `Could not find image with ID ${id}`);
    return image;
  }

  async createSandbox({ app_id: app, definition, tags, secret_sources: sources }) {
    const image = this.image(definition.image_id);
    const running = [...this.sandboxes.values()].filter((one) => !one.result);
    if (running.length >= this.options.sandboxes) {
      throw new Refusal(
          'RESOURCE_EXHAUSTED',
          `Workspace has reached its limit of ${this.options.sandboxes} sandboxes`);
    }
    if (definition.name &&
        running.some((one) => one.app === app && one.definition.name === definition.name)) {
      throw new Refusal(
          'ALREADY_EXISTS', `Sandbox with name '${definition.name}' already exists in the app`);
    }
    const id = newId('sb');
    const sandbox = {
      id,
      app,
      definition,
      tags,
      created: Date.now() / 1000,
      task: newId('ta'),
      execs: new Map(),
      used: Date.now(),
      box: new Box(this.directory('sandboxes', id), image.files),
      ready: false,
    };
    this.sandboxes.set(id, sandbox);
    sandbox.starting = this.start(sandbox, image, environment(sources));
    if (this.options.coldStart === 0) await sandbox.starting;
    return sandbox;
  }

  async start(sandbox, image, env) {
    await sleep(this.options.coldStart);
    if (sandbox.result) return;
    const { definition, box } = sandbox;
    const entrypoint = definition.entrypoint_args.length ? definition.entrypoint_args : undefined;
    await box.start({
      entrypoint,
      workdir: definition.workdir || image.workdir || '/root',
      env: {...image.env, ...env }
    });
    sandbox.ready = true;
    box.ended.then(
        ({ code, signal }) =>
            this.end(sandbox, { status: code === 0 ? 1 : 2, exitcode: code ?? 128, signal }));
    sandbox.timer =
        setTimeout(() => this.end(sandbox, { status: 4 }), definition.timeout_secs * 1000);
    if (definition.idle_timeout_secs) this.watchIdle(sandbox);
  }

  watchIdle(sandbox) {
    sandbox.idle = setInterval(() => {
      const busy = [...sandbox.execs.values()].some((exec) => !exec.status);
      if (busy) sandbox.used = Date.now();
      if (Date.now() - sandbox.used > sandbox.definition.idle_timeout_secs * 1000)
        this.end(sandbox, { status: 7 });
    }, 200);
  }

  // Its result is said once everything in it is dead.
  async end(sandbox, result) {
    sandbox.ending ??= (async () => {
      clearTimeout(sandbox.timer);
      clearInterval(sandbox.idle);
      await sandbox.box.stop();
      sandbox.result = result;
      fs.rmSync(sandbox.box.directory, { recursive: true, force: true });
    })();
    await sandbox.ending;
  }

  // Wherever it is asked for by id.
  sandbox(id) {
    const sandbox = this.sandboxes.get(id);
    if (!sandbox) throw new Refusal('NOT_FOUND', `Sandbox with ID ${id} not found`);
    return sandbox;
  }

  byTask(task) {
    const sandbox = [...this.sandboxes.values()].find((one) => one.task === task);
    if (!sandbox || sandbox.result) throw new Refusal('NOT_FOUND', `Task ${task} not found`);
    sandbox.used = Date.now();
    return sandbox;
  }

  access(sandbox) {
    return { jwt: this.tokens.router.make({ task_id: sandbox.task }), url: this.routerUrl };
  }

  snapshot(sandbox, snapshotId) {
    sandbox.snapshots ??= new Map();
    if (!sandbox.snapshots.has(snapshotId)) {
      const id = newId('im');
      const files = this.directory('images', id);
      fs.mkdirSync(path.dirname(files), { recursive: true });
      sandbox.box.copyTo(files);
      this.images.set(id, { ...this.image(sandbox.definition.image_id), key: undefined, files });
      sandbox.snapshots.set(snapshotId, id);
    }
    return sandbox.snapshots.get(snapshotId);
  }

  async vanish(id) {
    const sandbox = this.sandboxes.get(id);
    if (!sandbox) return;
    this.sandboxes.delete(id);
    await this.end(sandbox, { status: 6 });
  }

  async stop() {
    await Promise.all([...this.sandboxes.values()].map((one) => this.end(one, { status: 3 })));
  }
}

function environment(sources) {
  return Object.assign({}, ...sources.map((source) => source.env?.contents ?? {}));
}

module.exports = { Cloud, Refusal, environment };
