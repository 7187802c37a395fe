// Result: how a command ended, and what it printed.

import { camel, isObject, type JsonObject } from './core/json.js';
import { CommandFailed, CommandTimeout, Interrupted } from './errors.js';
import type { Command, Survivor } from './types.js';

interface Members {
  exitCode?: number;
  shellExitCode?: number;
  timedOut?: boolean;
  interrupted?: boolean;
  stdout?: string;
  stderr?: string;
  output?: string;
  stdout64?: string;
  stderr64?: string;
  output64?: string;
  stdoutBytes?: number;
  stderrBytes?: number;
  outputBytes?: number;
  truncated?: boolean;
  fullOutputPath?: string;
  cwd?: string;
  durationMs?: number;
  target?: string;
  transport?: string;
  notices?: string[];
  survivors?: Survivor[];
  oomKilled?: boolean;
}

export class Result {
  /** The exit code; 124 at the timeout, 130 if cancelled, 128+N if signal N ended it. */
  readonly exitCode: number;
  /** What it printed; with `merge`, standard error as well. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
  /** Seconds. */
  readonly duration: number;
  /** The directory of the session after the command. */
  readonly cwd: string;
  readonly target: string;
  readonly transport: string | undefined;
  /** The middle of the output is missing; `fullOutputPath` may have all of it. */
  readonly truncated: boolean;
  readonly fullOutputPath: string | undefined;
  /** How much it printed, before anything was left out. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly shellExitCode: number | undefined;
  readonly oomKilled: boolean;
  readonly notices: readonly string[];
  readonly survivors: readonly Survivor[];
  readonly command: Command;
  /** The bytes as they were printed, with `raw`. */
  readonly stdoutRaw: Uint8Array | undefined;
  readonly stderrRaw: Uint8Array | undefined;

  constructor(command: Command, wire: JsonObject) {
    const members = camel<Members>(isObject(wire) ? wire : {});
    const stdout64 = members.output64 ?? members.stdout64;
    this.command = command;
    this.exitCode = members.exitCode ?? -1;
    this.shellExitCode = members.shellExitCode;
    this.stdoutRaw = stdout64 === undefined ? undefined : Buffer.from(stdout64, 'base64');
    this.stderrRaw =
      members.stderr64 === undefined ? undefined : Buffer.from(members.stderr64, 'base64');
    this.stdout = members.output ?? members.stdout ?? textOf(this.stdoutRaw);
    this.stderr = members.stderr ?? textOf(this.stderrRaw);
    this.stdoutBytes = members.outputBytes ?? members.stdoutBytes ?? 0;
    this.stderrBytes = members.stderrBytes ?? 0;
    this.timedOut = members.timedOut ?? false;
    this.interrupted = members.interrupted ?? false;
    this.duration = (members.durationMs ?? 0) / 1000;
    this.cwd = members.cwd ?? '';
    this.target = members.target ?? '';
    this.transport = members.transport;
    this.truncated = members.truncated ?? false;
    this.fullOutputPath = members.fullOutputPath;
    this.oomKilled = members.oomKilled ?? false;
    this.notices = members.notices ?? [];
    this.survivors = members.survivors ?? [];
  }

  /** It ended by itself, with exit code 0. */
  get ok(): boolean {
    return this.exitCode === 0 && !this.timedOut && !this.interrupted;
  }

  /** Standard output, then standard error. With `merge` they are in the order of writing. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  /** This result; throws CommandTimeout, Interrupted or CommandFailed unless it is `ok`. */
  check(): this {
    const shown = shownOf(this.command);
    if (this.timedOut) {
      throw new CommandTimeout(`${shown}: timed out after ${this.duration.toFixed(1)} s`, this);
    }
    if (this.interrupted) throw new Interrupted(`${shown}: cancelled`, { result: this });
    if (this.exitCode !== 0) {
      const last = this.output.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
      throw new CommandFailed(
        `${shown}: exit code ${this.exitCode}${last === '' ? '' : `: ${last}`}`,
        this,
      );
    }
    return this;
  }
}

export function shownOf(command: Command): string {
  const text = typeof command === 'string' ? command : command.join(' ');
  return text.length <= 100 ? text : `${text.slice(0, 97)}...`;
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
