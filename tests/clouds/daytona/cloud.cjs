// What Daytona would keep: sandboxes, each in some state, and snapshots of their files.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { Box } = require('../fakes/box.cjs');
const { sleep } = require('../fakes/control.cjs');

const kHome = '/home/daytona';
const kMostDisk = 10;  // GiB a sandbox may ask for

// A failure to be said to the client: by its HTTP status; with a code if the sandbox's daemon says
// it.
class Refusal extends Error {
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

class Cloud {
  constructor(options, told) {
    this.options = options;
    this.told = told;  // called with a sandbox whose state changed
    this.sandboxes = new Map();
    this.snapshots = new Map();
    this.expired = false;
    this.toolboxUrl = '';
  }

  // By id or by name; one that was deleted is not found.
  find(idOrName) {
    const all = [...this.sandboxes.values()].filter((one) => one.state !== 'destroyed');
    const sandbox =
        all.find((one) => one.id === idOrName) ?? all.find((one) => one.name === idOrName);
    if (!sandbox) throw new Refusal(404, `Sandbox with ID or name ${idOrName} not found`);
    return sandbox;
  }

  // For its daemon: it must run.
  running(id) {
    const sandbox = this.find(id);
    if (sandbox.state !== 'started') {
      throw new Refusal(400, `Sandbox ${id} is not running (state: ${sandbox.state})`);
    }
    return sandbox;
  }

  create(wish) {
    const id = crypto.randomUUID();
    const name = wish.name ?? id;
    const alive = [...this.sandboxes.values()].filter((one) => one.state !== 'destroyed');
    if (alive.some((one) => one.name === name))
      throw new Refusal(409, `Sandbox with name ${name} already exists`);
    const used = alive.reduce((sum, one) => sum + one.cpu, 0);
    if (used + (wish.cpu ?? 1) > this.options.cpus) {
      throw new Refusal(403, `Total CPU limit exceeded. Maximum allowed: ${this.options.cpus}.`);
    }
    if (wish.disk > kMostDisk) {
      throw new Refusal(
          403, `Disk request ${wish.disk}GB exceeds maximum allowed per sandbox (${kMostDisk}GB)`);
    }
    const from = wish.snapshot ? this.snapshots.get(wish.snapshot) : undefined;
    if (wish.snapshot && !from) throw new Refusal(404, `Snapshot ${wish.snapshot} not found`);
    const sandbox = {
      id,
      name,
      wish,
      state: 'creating',
      cpu: wish.cpu ?? 1,
      memory: wish.memory ?? 1,
      disk: wish.disk ?? 3,
      labels: wish.labels ?? {},
      env: wish.env ?? {},
      created: new Date().toISOString(),
      sessions: new Map(),
      terminals: new Map(),
      box: new Box(path.join(this.options.directory, 'sandboxes', id), from),
    };
    sandbox.box.home = kHome;
    this.sandboxes.set(id, sandbox);
    this.later(sandbox, 'started', () => this.build(sandbox).then(() => this.boot(sandbox)));
    return sandbox;
  }

  // Images are not fetched here; one of a name like that could not be.
  async build({ wish }) {
    const missing = /^FROM (\S*no-such-image\S*)/m.exec(wish.buildInfo?.dockerfileContent ?? '');
    if (!missing) return;
    const error = new Error(`failed to pull image ${missing[1]}: not found`);
    throw Object.assign(error, { state: 'build_failed' });
  }

  boot(sandbox) { return sandbox.box.start({ env: { ...sandbox.env, USER: 'daytona' } }); }

  // After a while, and what is to be done, the sandbox is in that state. Changes are made one after
  // the other; one that is overtaken (deleted while it was being made) is not seen.
  later(sandbox, state, work = async () => {}) {
    this.told(sandbox);
    const turn = {};
    sandbox.turn = turn;
    const before = sandbox.changes;
    sandbox.changes = (async () => {
      await before;
      await sleep(this.options.delay);
      let now = state;
      try {
        await work();
      } catch (error) {
        now = error.state ?? 'error';
        sandbox.errorReason = error.message;
      }
      if (sandbox.turn !== turn) return;
      sandbox.state = now;
      this.told(sandbox);
    })();
  }

  // A change of state that only some states allow.
  change(sandbox, from, meanwhile, to, work) {
    if (!from.includes(sandbox.state)) {
      throw new Refusal(400, `Sandbox is not in valid state for this (state: ${sandbox.state})`);
    }
    sandbox.state = meanwhile;
    this.later(sandbox, to, work);
    return sandbox;
  }

  start(sandbox) {
    if (sandbox.state === 'started') return sandbox;
    const meanwhile = sandbox.state === 'archived' ? 'restoring' : 'starting';
    return this.change(
        sandbox, ['stopped', 'archived'], meanwhile, 'started', () => this.boot(sandbox));
  }

  stop(sandbox) {
    return this.change(sandbox, ['started'], 'stopping', 'stopped', async () => {
      sandbox.sessions.clear();
      sandbox.terminals.clear();
      await sandbox.box.stop();
    });
  }

  archive(sandbox) { return this.change(sandbox, ['stopped'], 'archiving', 'archived'); }

  destroy(sandbox) {
    sandbox.state = 'destroying';
    this.later(sandbox, 'destroyed', () => sandbox.box.remove());
    return sandbox;
  }

  snapshot(sandbox, name) {
    if (this.snapshots.has(name))
      throw new Refusal(409, `Snapshot with name ${name} already exists`);
    const back = sandbox.state;
    return this.change(sandbox, ['started', 'stopped'], 'snapshotting', back, async () => {
      const files = path.join(this.options.directory, 'snapshots', crypto.randomUUID());
      fs.mkdirSync(path.dirname(files), { recursive: true });
      sandbox.box.copyTo(files);
      this.snapshots.set(name, files);
    });
  }

  // As the API shows it.
  view(sandbox) {
    const { id, name, state, cpu, memory, disk, labels, env, wish } = sandbox;
    return {
      id,
      name,
      state,
      cpu,
      memory,
      disk,
      labels,
      env,
      gpu: 0,
      organizationId: 'org-fake',
      user: 'daytona',
      target: wish.target ?? 'eu',
      public: wish.public ?? false,
      networkBlockAll: wish.networkBlockAll ?? false,
      snapshot: wish.snapshot,
      buildInfo: wish.buildInfo,
      autoStopInterval: wish.autoStopInterval ?? 15,
      autoArchiveInterval: wish.autoArchiveInterval ?? 10080,
      autoDeleteInterval: wish.autoDeleteInterval ?? -1,
      errorReason: sandbox.errorReason,
      createdAt: sandbox.created,
      updatedAt: sandbox.created,
      toolboxProxyUrl: this.options.toolboxApart ? undefined : this.toolboxUrl,
    };
  }

  async vanish(id) {
    const sandbox = this.sandboxes.get(id);
    if (!sandbox) return;
    this.sandboxes.delete(id);
    await sandbox.box.remove();
  }

  async stopAll() {
    await Promise.all([...this.sandboxes.values()].map((one) => one.box.remove()));
  }
}

module.exports = { Cloud, Refusal };
