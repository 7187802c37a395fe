// A home of its own for a test file, with the real program. At the end everything in it is stopped,
// and what is left is an error.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { after } from 'node:test';

import { Talaria, type TalariaOptions } from '../../src/index.js';

export class World {
  /** Short, because sockets are in it. */
  readonly scratch = mkdtempSync('/tmp/tts.');
  readonly home = this.directory('home');
  readonly talariaHome = this.directory('home/.hermes');
  readonly work = this.directory('work');
  readonly program: string;
  readonly env: Record<string, string>;
  readonly #clients: Talaria[] = [];

  /** At the top of a test file. `asks`: commands that need approval do, otherwise they run. */
  constructor({ asks = false } = {}) {
    const program = process.env['TALARIA_PROGRAM'];
    assert.ok(program, 'TALARIA_PROGRAM is not set: which program should the tests use?');
    this.program = program;
    this.env = {
      HOME: this.home,
      TALARIA_HOME: this.talariaHome,
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      TERMINAL_CWD: this.work,
      TALARIA_PROGRAM: program,
    };
    if (!asks) this.env['TALARIA_APPROVALS_HEADLESS'] = 'allow';
    after(() => this.stop());
  }

  directory(name: string): string {
    const place = path.join(this.scratch, name);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    return place;
  }

  path(...names: string[]): string {
    return path.join(this.work, ...names);
  }

  /** A client, which is closed at the end of the test file, if not before. */
  client(options: TalariaOptions = {}): Talaria {
    const t = new Talaria({
      program: this.program,
      ...options,
      env: { ...this.env, ...options.env },
    });
    this.#clients.push(t);
    return t;
  }

  /** What the program prints. */
  talaria(...args: string[]): string {
    return execFileSync(this.program, args, {
      env: this.env,
      cwd: this.work,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Runs a module of JavaScript, which sees the package under its name. */
  node(code: string, env: Record<string, string> = {}): ChildProcess {
    const args = ['--input-type=module', '--eval', code];
    return spawn(process.execPath, args, {
      env: { ...this.env, ...env },
      cwd: process.cwd(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((t) => t.close()));
    try {
      this.talaria('stop', '--all', '--force');
    } finally {
      rmSync(this.scratch, { recursive: true, force: true });
    }
  }
}

/** Waits for a sign of life. */
export async function eventually<T>(
  what: string,
  found: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const result = await found();
    if (result) return result as Exclude<T, false | null | undefined>;
    if (Date.now() > deadline) throw new Error(`this did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The pid that a command has written into a file. */
export async function pidIn(file: string): Promise<number> {
  const text = await eventually(
    `a pid in ${file}`,
    () => existsSync(file) && readFileSync(file, 'utf8').trim(),
  );
  return Number(text);
}

/** Processes whose parent is `pid`. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        return new RegExp(`^PPid:\\s+${pid}$`, 'm').test(
          readFileSync(`/proc/${one}/status`, 'utf8'),
        );
      } catch {
        return false;
      }
    });
}

/** The process of the program that this client starts now. */
export async function programOf(client: Talaria): Promise<number> {
  const before = childrenOf(process.pid);
  await client.hello();
  const [program] = childrenOf(process.pid).filter((pid) => !before.includes(pid));
  assert.ok(program, 'the client had a program already');
  return program;
}

export interface Ended {
  code: number | null;
  signal: string | null;
  out: string;
  err: string;
}

export async function endOf(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, out, err })),
  );
}

/** Runs a module that was compiled, to its end. */
export function runModule(file: string, env: Record<string, string>, cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [file],
      { env, cwd, encoding: 'utf8', timeout: 120_000 },
      (error, out, err) => {
        const failed = error as (Error & { code?: number; signal?: string }) | null;
        resolve({
          code: failed ? (failed.code ?? null) : 0,
          signal: failed?.signal ?? null,
          out,
          err,
        });
      },
    );
  });
}

/** A port on loopback that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
