// A local program that is spoken to by its standard input and output. It ends with this process,
// however that ends: its pipes are closed then, and it ends everything that its calls have started.

import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

import { LineSplitter } from '../core/lines.js';
import { ConnectionLost, Unavailable } from '../errors.js';
import type { Link, LinkListener, OpenLink } from './link.js';

const END_MS = 10_000; // for the program to end by itself after its input has ended
const TERM_MS = 3_000; // for it to end after SIGTERM
const KEPT_CHARACTERS = 2_000; // of its standard error, for the message when it dies

export interface ProgramOptions {
  /** The program; default: the variable TALARIA_PROGRAM, else `talaria` in PATH. */
  program?: string | undefined;
  /** Its home: settings, the store, events (TALARIA_HOME). */
  home?: string | undefined;
  /** Where commands run, if they name no sandbox: `local`, `docker`, ...; default: as configured. */
  target?: string | undefined;
  /** The directory in which sessions begin; default: as configured. */
  cwd?: string | undefined;
  /** Variables of the program, beside those of this process; undefined removes one. */
  env?: Record<string, string | undefined> | undefined;
  /** Progress and warnings of the program: ignored, or written to our own standard error. */
  stderr?: 'ignore' | 'inherit' | ((text: string) => void) | undefined;
}

export function openProgram(options: ProgramOptions): OpenLink {
  return (listener) => ProgramLink.open(options, listener);
}

class ProgramLink implements Link {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #closing = false;
  #said = '';

  static open(options: ProgramOptions, listener: LinkListener): Promise<Link> {
    const program = options.program ?? process.env['TALARIA_PROGRAM'] ?? 'talaria';
    const env: NodeJS.ProcessEnv = { ...process.env, ...options.env };
    if (options.home !== undefined) env['TALARIA_HOME'] = options.home;
    const args = ['call', '--lines'];
    if (options.target !== undefined) args.push('--target', options.target);
    if (options.cwd !== undefined) args.push('--cwd', options.cwd);
    const child = spawn(program, args, {
      env,
      stdio: ['pipe', 'pipe', options.stderr === 'inherit' ? 'inherit' : 'pipe'],
    });
    return new Promise((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => reject(cannotStart(program, error)));
      child.once('spawn', () => resolve(new ProgramLink(child, program, options, listener)));
    });
  }

  private constructor(
    child: ChildProcess,
    program: string,
    options: ProgramOptions,
    listener: LinkListener,
  ) {
    this.#child = child;
    const splitter = new LineSplitter();
    child.stdout?.on('data', (piece: Buffer) => {
      for (const line of splitter.push(piece)) listener.line(line);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-KEPT_CHARACTERS);
      if (typeof options.stderr === 'function') options.stderr(text);
    });
    child.stdin?.on('error', () => {}); // it has ended; `close` says how
    child.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      child.once('close', (code: number | null, signal: string | null) => {
        resolve();
        if (!this.#closing)
          listener.lost(new ConnectionLost(this.#obituary(program, code, signal)));
      });
    });
  }

  #obituary(program: string, code: number | null, signal: string | null): string {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const said = this.#said.trim();
    return `the program '${program}' ended ${how}${said === '' ? '' : `: ${said}`}`;
  }

  send(line: string): void {
    this.#child.stdin?.write(line + '\n');
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.ref();
    this.#child.stdin?.end();
    const timers = [
      setTimeout(() => this.#child.kill('SIGTERM'), END_MS),
      setTimeout(() => this.#child.kill('SIGKILL'), END_MS + TERM_MS),
    ];
    await this.#ended;
    for (const timer of timers) clearTimeout(timer);
  }

  ref(): void {
    this.#child.ref();
    for (const pipe of this.#pipes()) pipe.ref();
  }

  unref(): void {
    this.#child.unref();
    for (const pipe of this.#pipes()) pipe.unref();
  }

  #pipes(): Socket[] {
    const { stdin, stdout, stderr } = this.#child;
    return [stdin, stdout, stderr].filter((pipe) => pipe !== null) as Socket[];
  }
}

function cannotStart(program: string, error: NodeJS.ErrnoException): Unavailable {
  const missing =
    'there is no such program. Install Talaria, or name it: new Talaria({ program: "/path/to/talaria" })';
  const why = error.code === 'ENOENT' ? missing : error.message;
  return new Unavailable(`cannot start '${program}': ${why}`, { cause: error });
}
