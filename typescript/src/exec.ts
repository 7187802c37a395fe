// One command: its request, its input while it runs, and its output as it comes.

import { StringDecoder } from 'node:string_decoder';

import type { Call, Channel } from './channel.js';
import type { JsonObject, Params } from './core/json.js';
import { dataOf, encodeData, Window } from './core/protocol.js';
import { Interrupted } from './errors.js';
import { Queue } from './queue.js';
import { Result, shownOf } from './result.js';
import {
  commandParams,
  isBytes,
  type Command,
  type Data,
  type Input,
  type RunOptions,
  type Status,
  type StreamName,
  type StreamOptions,
} from './types.js';

const WINDOW = 1024 * 1024;
const MAX_WRITE = 256 * 1024; // of one message of input
const MAX_UNDER_WAY = 3; // such messages; 1 MiB may wait at the other side

/** Which session a call is about, and who is asking. */
export interface Where {
  task?: string | undefined;
  sandbox?: string | undefined;
  session_key?: string | undefined;
}

/** A piece of output. */
export interface Chunk {
  stream: StreamName;
  data: string;
  /** The same as bytes, with `raw`. */
  raw?: Uint8Array;
}

function execParams(
  where: Where,
  command: Command,
  options: Omit<RunOptions & StreamOptions, 'stdin'> & Pick<StreamOptions, 'stdin'>,
): Params {
  const { stdin } = options;
  const all = typeof stdin === 'string' || isBytes(stdin);
  return {
    ...where,
    ...commandParams(command),
    cwd: options.cwd,
    env: options.env,
    home: options.home,
    user: options.user,
    timeout: options.timeout,
    merge: options.merge,
    session: options.session,
    call_id: options.callId,
    heartbeat: options.heartbeat,
    wait_approval: options.waitApproval,
    max_output: options.maxOutput,
    encoding: options.raw === true ? 'base64' : undefined,
    ...(typeof stdin === 'string'
      ? { stdin }
      : isBytes(stdin)
        ? { stdin64: encodeData(stdin)['data64'] }
        : {}),
    stdin_open: stdin !== undefined && !all ? true : undefined,
  };
}

function statusOf(part: JsonObject): Status | undefined {
  if (typeof part['heartbeat'] === 'number') return { heartbeat: part['heartbeat'] };
  if (typeof part['preparing'] === 'string') return { preparing: part['preparing'] };
  if (part['waiting'] === undefined) return undefined;
  return { waiting: String(part['approval']), description: String(part['description'] ?? '') };
}

/** Runs a command to its end. */
export async function run(
  channel: Channel,
  where: Where,
  command: Command,
  options: RunOptions,
): Promise<Result> {
  const { signal, onStatus, stdin } = options;
  if (signal?.aborted) throw cancelled(command, signal);
  const call = channel.start(
    { method: 'exec', params: execParams(where, command, options) },
    (part) => {
      const status = onStatus && statusOf(part);
      if (status) onStatus(status);
    },
  );
  const feeding = feed(call, stdin);
  feeding.catch(() => {}); // it is thrown below, unless the call itself fails
  const answer = await channel.answerOf(call, signal);
  await feeding;
  const result = new Result(command, answer);
  if (result.interrupted) throw cancelled(command, signal, result);
  return options.check === true ? result.check() : result;
}

function cancelled(
  command: Command,
  signal: AbortSignal | undefined,
  result?: Result,
): Interrupted {
  return new Interrupted(`${shownOf(command)}: cancelled`, { result, cause: signal?.reason });
}

/** Writes input as it comes, as fast as it is taken. An input that fails ends the command. */
async function feed(call: Call, input: Input | true | undefined): Promise<void> {
  if (input === undefined || input === true || typeof input === 'string' || isBytes(input)) return;
  const iterator =
    Symbol.asyncIterator in input ? input[Symbol.asyncIterator]() : input[Symbol.iterator]();
  const over = call.answer.then(
    () => undefined,
    () => undefined,
  );
  try {
    for (;;) {
      // Nobody waits for input of a command that has ended.
      const next = await Promise.race([Promise.resolve(iterator.next()), over]);
      if (next === undefined) break;
      if (next.done === true) {
        await call.write('', true);
        return;
      }
      if (!(await writeAll(call, next.value))) break;
    }
    void Promise.resolve(iterator.return?.()).catch(() => {});
  } catch (error) {
    call.cancel();
    await over;
    throw error;
  }
}

/** Writes data in pieces; false if the other side takes no more. */
export async function writeAll(call: Call, data: Data): Promise<boolean> {
  for (const piece of piecesOf(data)) {
    if (!(await call.write(piece, false))) return false;
  }
  return true;
}

function* piecesOf(data: Data): Generator<Data, void, undefined> {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  if (bytes.length <= MAX_WRITE) return yield data;
  for (let from = 0; from < bytes.length; from += MAX_WRITE) {
    yield bytes.subarray(from, from + MAX_WRITE);
  }
}

/** Writes data with several pieces under way, so that a distant target is not waited for after each
 * of them. */
export class BulkWriter {
  readonly #underWay: Promise<boolean>[] = [];

  constructor(readonly call: Call) {}

  /** false: the other side takes no more. */
  async write(data: Data): Promise<boolean> {
    for (const piece of piecesOf(data)) {
      const oldest = this.#underWay.length < MAX_UNDER_WAY ? undefined : this.#underWay.shift();
      if (oldest && !(await oldest)) return false;
      const writing = this.call.write(piece, false);
      writing.catch(() => {}); // who awaits it gets it all the same
      this.#underWay.push(writing);
    }
    return true;
  }

  async end(): Promise<void> {
    const taken = await Promise.all(this.#underWay);
    if (taken.every((one) => one)) await this.call.write('', true);
  }
}

/** The output of a command, as it comes: iterate it, then look at `result`. What is not read holds
 * the command up once `window` bytes are under way. Leaving the loop early cancels the command. */
export class CommandStream implements AsyncIterableIterator<Chunk, undefined>, AsyncDisposable {
  readonly #channel: Channel;
  readonly #command: Command;
  readonly #signal: AbortSignal | undefined;
  readonly #call: Call | undefined;
  readonly #queue = new Queue<{ chunk: Chunk; bytes: number }>();
  readonly #window: Window;
  readonly #end: Promise<Result>;
  readonly #decoders = new Map<StreamName, StringDecoder>();
  #result: Result | undefined;
  #over = false;
  #dropping = false;

  constructor(channel: Channel, where: Where, command: Command, options: StreamOptions) {
    this.#channel = channel;
    this.#command = command;
    this.#signal = options.signal;
    this.#window = new Window(options.window ?? WINDOW);
    if (options.signal?.aborted !== true) {
      const params = {
        ...execParams(where, command, options),
        stream: true,
        window: this.#window.size,
      };
      this.#call = channel.start({ method: 'exec', params }, (part) =>
        this.#part(part, options.onStatus),
      );
    }
    this.#end = this.#finish(options);
    this.#end.then(
      () => this.#queue.end(),
      (error: unknown) => this.#queue.fail(error),
    );
  }

  async #finish(options: StreamOptions): Promise<Result> {
    const call = this.#call;
    if (!call) throw cancelled(this.#command, this.#signal);
    const feeding = feed(call, options.stdin);
    feeding.catch(() => {});
    const drop = () => this.#drop();
    this.#signal?.addEventListener('abort', drop, { once: true });
    try {
      const result = new Result(this.#command, await this.#channel.answerOf(call, this.#signal));
      await feeding;
      if (result.interrupted) throw cancelled(this.#command, this.#signal, result);
      return (this.#result = result);
    } finally {
      this.#over = true;
      this.#signal?.removeEventListener('abort', drop);
    }
  }

  #part(part: JsonObject, onStatus: ((status: Status) => void) | undefined): void {
    const data = dataOf(part);
    if (data === undefined) {
      const status = onStatus && statusOf(part);
      if (status) onStatus(status);
      return;
    }
    const bytes = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    if (this.#dropping) this.#take(bytes);
    else
      this.#queue.push({
        chunk: this.#chunkOf((part['stream'] ?? 'output') as StreamName, data),
        bytes,
      });
  }

  #chunkOf(stream: StreamName, data: Data): Chunk {
    if (typeof data === 'string') return { stream, data };
    let decoder = this.#decoders.get(stream);
    if (!decoder) this.#decoders.set(stream, (decoder = new StringDecoder('utf8')));
    return { stream, data: decoder.write(Buffer.from(data)), raw: data };
  }

  #take(bytes: number): void {
    const more = this.#window.take(bytes);
    if (more > 0) this.#call?.more(more);
  }

  /** Output is not wanted any more. All of it may come, so that it holds nothing up. */
  #drop(): void {
    if (this.#dropping) return;
    this.#dropping = true;
    this.#queue.clear();
    this.#call?.more(this.#window.size);
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    const next = await this.#queue.next();
    if (next.done === true) return next;
    this.#take(next.value.bytes);
    return { value: next.value.chunk, done: false };
  }

  /** Leaving the loop early comes here. */
  async return(): Promise<IteratorResult<Chunk, undefined>> {
    await this.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** How the command ended; its output is not in it. Only after the last chunk. */
  get result(): Result {
    if (this.#result) return this.#result;
    throw new Error('the command has not ended: read the stream to its end, or await wait()');
  }

  /** Waits for the end of the command, and discards what it prints. */
  wait(): Promise<Result> {
    this.#drop();
    return this.#end;
  }

  /** Gives the command input, with `stdin: true`; false if it takes no more. */
  async write(data: Data): Promise<boolean> {
    return this.#call !== undefined && (await writeAll(this.#call, data));
  }

  /** Ends the input of the command. */
  async closeInput(): Promise<void> {
    await this.#call?.write('', true);
  }

  /** Ends the command, if it still runs, and waits until everything it started has ended. */
  async close(): Promise<void> {
    this.#drop();
    if (!this.#over) this.#call?.cancel();
    await this.#end.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
