// A sandbox of a fake cloud: a directory with the writable places of a machine, and namespaces of
// processes and mounts in which they stand for this machine's own. So what runs there has a /root,
// a /home and a /tmp to itself, sees no other process, and ends with the sandbox; programs and
// libraries are this machine's, read-only. A fake, not a jail: whoever means harm gets out.
'use strict';

const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { once } = require('node:events');

const kPlaces = ['root', 'home', 'srv', 'var/tmp', 'tmp'];
const kPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
// Namespaces need root; whoever is not becomes it in a namespace of users.
const kAsRoot = process.getuid() === 0 ? [] : ['--user', '--map-root-user'];

// Why there can be no sandbox on this machine; empty when there can.
function whyNot() {
  const tried = spawnSync(
      'unshare', [...kAsRoot, '--mount', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  if (tried.status === 0) return '';
  return `no namespaces here: ${tried.error?.message ?? tried.stderr.trim()}`;
}

class Box {
  // With the files of another's directory, or empty.
  constructor(directory, from) {
    this.directory = directory;
    this.env = {};
    this.home = '/root';
    if (from) {
      fs.mkdirSync(path.dirname(directory), { recursive: true });
      copyTree(from, directory);
    }
    for (const place of kPlaces) fs.mkdirSync(path.join(directory, place), { recursive: true });
    for (const place of ['tmp', 'var/tmp']) fs.chmodSync(path.join(directory, place), 0o1777);
  }

  // Starts its first process; settled when commands can run. `ended` is settled with how it ended.
  async start({ entrypoint = ['sleep', 'infinity'], workdir = this.home, env = {} } = {}) {
    this.env = { PATH: kPath, HOME: this.home, LANG: 'C.UTF-8', ...env };
    this.workdir = workdir;
    fs.mkdirSync(path.join(this.directory, this.home), { recursive: true });
    // Whatever kills us kills it, and so on down.
    const words = [
      '--pdeathsig', 'KILL', 'unshare', ...kAsRoot, '--mount', '--propagation', 'private', '--pid',
      '--fork', '--kill-child', '--mount-proc',
      'sh', path.join(__dirname, 'enter.sh'), this.directory, workdir, ...entrypoint
    ];
    const child = spawn('setpriv', words,
      { env: this.env, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (bytes) => { said += bytes; });
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.first = undefined;
        resolve({ code, signal });
      });
    });
    this.keeper = child;
    const ready = once(child.stdio[3], 'data').then(() => true);
    if (!(await Promise.race([ready, this.ended.then(() => false)]))) {
      throw new Error(`the sandbox did not start: ${said.trim()}`);
    }
    this.first = fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  }

  get runs() { return this.first !== undefined; }

  // Starts a command there. A pty has rows and columns, and `resize`.
  spawn(argv, { env = {}, workdir = this.workdir, pty } = {}) {
    if (!this.runs) throw new Error('the sandbox does not run');
    const user = kAsRoot.length ? ['--user', '--preserve-credentials'] : [];
    const words = ['--target', this.first, '--mount', '--pid', ...user, '--',
      'sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', workdir, ...argv];
    const outer = pty ?
        [
          'python3', path.join(__dirname, 'terminal.py'), String(pty.rows), String(pty.cols),
          'nsenter', ...words
        ] :
        ['nsenter', ...words];
    // The helper of the terminal is looked up in our own PATH, what runs in the sandbox in its.
    const child = spawn(which(outer[0]), outer.slice(1), {
      env: { ...this.env, ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', pty ? 'pipe' : 'ignore'],
    });
    child.stdin.on('error', () => {});  // it ended without reading everything
    child.killAll = (signal = 'SIGKILL') => {
      try {
        process.kill(-child.pid, signal);
      } catch { /* it is gone */ }
    };
    if (pty) child.resize = ({ rows, cols }) => child.stdio[3].write(`${rows} ${cols}\n`);
    return child;
  }

  // Where a path of the sandbox is on this machine, or undefined for what is the machine's own.
  at(name) {
    const full = path.posix.resolve(this.workdir ?? this.home, name);
    const own = kPlaces.some((place) => full === `/${place}` || full.startsWith(`/${place}/`));
    return own ? path.join(this.directory, full) : undefined;
  }

  async stop() {
    if (!this.keeper) return;
    this.keeper.kill('SIGKILL');  // --kill-child: and with it all that is in there
    await this.ended;
    this.keeper = undefined;
  }

  copyTo(directory) { copyTree(this.directory, directory); }

  async remove() {
    await this.stop();
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

function copyTree(from, to) {
  const { status, stderr } =
      spawnSync('cp', ['-a', '--reflink=auto', from, to], { encoding: 'utf8' });
  // A socket or a file that went away meanwhile is no reason to fail.
  if (status !== 0 && !fs.existsSync(to)) throw new Error(stderr);
}

function which(program) {
  for (const directory of process.env.PATH.split(':')) {
    const file = path.join(directory, program);
    if (fs.existsSync(file)) return file;
  }
  return program;
}

module.exports = { Box, whyNot };
