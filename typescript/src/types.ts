// What calls take and give back. Times are seconds, or texts with a unit such as "2m". Sizes of
// memory and disks are megabytes, or texts such as "2g".

import { BadRequest } from './errors.js';
import type { Json } from './core/json.js';

/** A shell text, or a list of arguments that reach the program unchanged. */
export type Command = string | readonly string[];
export type Time = number | string;
export type Size = number | string;
export type Data = string | Uint8Array;
/** Input that comes while the command runs, or all of it at once. */
export type Input = Data | AsyncIterable<Data> | Iterable<Data>;
export type StreamName = 'stdout' | 'stderr' | 'output';
export type Scope = 'once' | 'session' | 'always';
export type Covers = 'command' | 'directory' | 'task' | 'target';
export type Lifetime = 'call' | 'session' | 'keep';

export interface Cancellable {
  /** Cancels the call. What it started at the target has ended when the call rejects. */
  signal?: AbortSignal | undefined;
}

/** What a running command reports beside its output. */
export interface Status {
  /** Seconds since it began, with `heartbeat`. */
  heartbeat?: number;
  /** A person is asked; the id of the question. */
  waiting?: string;
  description?: string;
  /** A target is being made, for example an image is downloaded. */
  preparing?: string;
}

export interface ExecOptions extends Cancellable {
  /** Directory of this command; default: that of the session. */
  cwd?: string | undefined;
  /** Variables of this command. */
  env?: Record<string, string> | undefined;
  /** HOME of this command. */
  home?: string | undefined;
  /** The user it runs as, where the target permits that. */
  user?: string | number | undefined;
  /** When it is ended at the latest; default: never. */
  timeout?: Time | undefined;
  /** Standard error goes where standard output goes, in the order it was written. */
  merge?: boolean | undefined;
  /** Also return the bytes as they were printed. */
  raw?: boolean | undefined;
  /** false: start from the session and change nothing in it. */
  session?: boolean | undefined;
  /** The agent's own id of the call. */
  callId?: string | undefined;
  /** Report a heartbeat so often. */
  heartbeat?: Time | undefined;
  /** false: fail with ApprovalPending instead of waiting for a person. */
  waitApproval?: boolean | undefined;
  onStatus?: ((status: Status) => void) | undefined;
}

export interface RunOptions extends ExecOptions {
  stdin?: Input | undefined;
  /** Throw CommandFailed or CommandTimeout unless it ends with exit code 0. */
  check?: boolean | undefined;
  /** Bytes kept of each stream: the beginning and the end. */
  maxOutput?: number | undefined;
}

export interface StreamOptions extends ExecOptions {
  /** Its input; true: it stays open for `write()` of the stream. */
  stdin?: Input | true | undefined;
  /** Bytes that may be under way before they are read here; default 1 MiB. */
  window?: number | undefined;
}

export interface StartOptions extends Cancellable {
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  /** Its input can be written. */
  stdin?: boolean | undefined;
  /** It gets a terminal; true: of 30 rows and 120 columns. */
  terminal?: boolean | TerminalSize | undefined;
  home?: string | undefined;
  /** false: fail with ApprovalPending instead of waiting for a person. */
  waitApproval?: boolean | undefined;
  /** When it is ended at the latest; default `session`. */
  lifetime?: Lifetime | undefined;
  /** Its end is an event. */
  notify?: boolean | undefined;
  /** A line that contains one of these texts is an event. */
  watch?: string[] | undefined;
  maxAge?: Time | undefined;
}

export interface TerminalSize {
  rows: number;
  cols: number;
}

/** A process that could not be killed. */
export interface Survivor {
  pid: number;
  name: string;
  reason: string;
}

export interface ProcessInfo {
  id: string;
  task?: string;
  sessionKey?: string;
  target?: string;
  command: string;
  cwd?: string;
  pid?: number;
  /** Seconds since 1970. */
  started: number;
  finished?: number;
  running: boolean;
  end?: 'exited' | 'killed' | 'lost';
  exitCode?: number;
  /** What ended it, if it did not end by itself. */
  source?: string;
  lifetime?: Lifetime;
  takesInput?: boolean;
  waitingForInput?: boolean;
  terminal?: TerminalSize;
  notify?: boolean;
  watch?: string[];
  outputBytes?: number;
  /** The end of its output, if it was asked for. */
  tail?: string;
  tailFrom?: number;
}

export interface Screen {
  lines: string[];
  rows: number;
  cols: number;
  /** Counted from 0. */
  cursor: { row: number; col: number; visible: boolean };
  title?: string;
}

export interface FileStat {
  path: string;
  type: 'file' | 'directory' | 'link' | 'other';
  size: number;
  /** Such as "0644". */
  mode: string;
  /** Seconds since 1970. */
  modified: number;
  linkTo?: string;
  uid?: number;
  gid?: number;
}

export interface SandboxOptions extends Cancellable {
  /** Where: `local`, `docker`, `podman`, ...; default: as configured. */
  target?: string | undefined;
  image?: string | undefined;
  cwd?: string | undefined;
  cpus?: number | undefined;
  memory?: Size | undefined;
  disk?: Size | undefined;
  /** It is removed so long after it was made. */
  ttl?: Time | undefined;
  /** It is removed after so long without a call. */
  idle?: Time | undefined;
  env?: Record<string, string> | undefined;
  name?: string | undefined;
  /** Keep its files for the next sandbox of this name. */
  persistent?: boolean | undefined;
  /** The same key gives the same sandbox. */
  key?: string | undefined;
  /** It is not removed with its client. */
  keep?: boolean | undefined;
  /** What is put into it: paths to contents, or to a file or directory of this machine. */
  files?: Record<string, Data | { local: string }> | undefined;
}

export interface SandboxInfo {
  id: string;
  target: string;
  image?: string;
  isolated: boolean;
  cwd: string;
  state: string;
  created: number;
  ttl?: number;
  idle?: number;
  name?: string;
  limits?: { cpu?: number; memoryMb?: number; diskMb?: number };
  env?: Record<string, Json>;
}

const UNITS: Record<string, number> = { '': 1, k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 };

/** "2g", "512m" or a number of megabytes, as megabytes. */
export function megabytes(size: Size | undefined, name: string): number | undefined {
  if (size === undefined || typeof size === 'number') return size;
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(size) ?? [];
  const factor = UNITS[(unit ?? '').toLowerCase()];
  if (number === undefined || factor === undefined) {
    throw new BadRequest(
      `${name}: '${size}' is not a size. Write '512m' or '2g', or a number of megabytes`,
    );
  }
  return Math.max(1, Math.round(Number(number) * factor));
}

/** The members of a request that name a command. */
export function commandParams(command: Command): { command?: string; argv?: readonly string[] } {
  return typeof command === 'string' ? { command } : { argv: command };
}

export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
