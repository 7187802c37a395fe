// Process: a background process. It belongs to the runner at its target, so it outlives this program
// unless it is killed; every program of the same home finds it by its id.

import { StringDecoder } from 'node:string_decoder';

import type { Channel } from './channel.js';
import { camel, type JsonObject, type Params } from './core/json.js';
import { dataOf, encodeData, Window } from './core/protocol.js';
import { ConnectionLost, Interrupted } from './errors.js';
import { Queue } from './queue.js';
import type {
  Cancellable,
  Data,
  ProcessInfo,
  Screen,
  Survivor,
  TerminalSize,
  Time,
} from './types.js';

const WINDOW = 1024 * 1024;

/** A part of the output, by bytes. */
export interface ProcessOutput {
  data: string;
  /** The position of the first byte. */
  start: number;
  /** The position after the last byte: where to continue. */
  next: number;
  /** The same as bytes, with `raw`. */
  raw?: Uint8Array;
}

export interface ProcessRead extends ProcessOutput {
  /** Bytes printed so far. */
  total: number;
  /** There is no more, and there will be no more. */
  eof: boolean;
  /** Bytes before `start` that are no longer kept. */
  lost: number;
}

export interface ReadOptions extends Cancellable {
  /** The position of the first byte; default: where the last `read()` ended. */
  start?: number | undefined;
  /** Bytes at most. */
  max?: number | undefined;
  raw?: boolean | undefined;
}

export interface FollowOptions extends Cancellable {
  /** The position of the first byte; default: where the last `read()` ended. */
  start?: number | undefined;
  raw?: boolean | undefined;
  window?: number | undefined;
}

export class Process implements AsyncDisposable {
  readonly #channel: Channel;
  #info: ProcessInfo;
  #cursor = 0;

  constructor(channel: Channel, info: ProcessInfo) {
    this.#channel = channel;
    this.#info = info;
  }

  /** `proc_` and 12 hexadecimal digits. */
  get id(): string {
    return this.#info.id;
  }

  /** What was known when it was last asked; `refresh()` asks. */
  get info(): ProcessInfo {
    return this.#info;
  }

  /** Where the next `read()` begins. */
  get cursor(): number {
    return this.#cursor;
  }

  #call(method: string, params: Params, signal?: AbortSignal): Promise<JsonObject> {
    return this.#channel.method(`processes.${method}`, { process: this.id, ...params }, signal);
  }

  async refresh(options: Cancellable & { tail?: number | undefined } = {}): Promise<ProcessInfo> {
    const answer = await this.#call('get', { tail: options.tail }, options.signal);
    return (this.#info = camel<ProcessInfo>(answer['process']));
  }

  /** A part of its output. It does not wait for output. */
  async read(options: ReadOptions = {}): Promise<ProcessRead> {
    const from = options.start ?? this.#cursor;
    const encoding = options.raw === true ? 'base64' : undefined;
    const answer = await this.#call('read', { from, max: options.max, encoding }, options.signal);
    const facts = camel<{
      from?: number;
      next: number;
      total: number;
      eof?: boolean;
      lost?: number;
    }>(answer);
    if (options.start === undefined) this.#cursor = facts.next;
    return {
      ...textAndBytes(dataOf(answer) ?? '', (bytes) => bytes.toString('utf8')),
      start: facts.from ?? from,
      next: facts.next,
      total: facts.total,
      eof: facts.eof ?? false,
      lost: facts.lost ?? 0,
    };
  }

  /** Its output, and then more as it comes, until it ends. Continues where it was if the connection
   * is lost. */
  async *follow(options: FollowOptions = {}): AsyncGenerator<ProcessOutput, void, undefined> {
    const decoder = new StringDecoder('utf8');
    let from = options.start ?? this.#cursor;
    for (;;) {
      try {
        for await (const { data, start, next } of this.#follow(from, options)) {
          from = next;
          yield { ...textAndBytes(data, (bytes) => decoder.write(bytes)), start, next };
        }
        return;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  async *#follow(
    from: number,
    options: FollowOptions,
  ): AsyncGenerator<{ data: Data; start: number; next: number }, void, undefined> {
    const { signal } = options;
    if (signal?.aborted) throw new Interrupted('the call was cancelled', { cause: signal.reason });
    const window = new Window(options.window ?? WINDOW);
    const queue = new Queue<{ data: Data; start: number; next: number }>();
    const encoding = options.raw === true ? 'base64' : undefined;
    const params = { process: this.id, from, follow: true, encoding, window: window.size };
    const call = this.#channel.start({ method: 'processes.read', params }, (part) => {
      const data = dataOf(part);
      if (data !== undefined)
        queue.push({ data, start: Number(part['from']), next: Number(part['next']) });
    });
    const over = this.#channel.answerOf(call, signal).then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    );
    try {
      for (;;) {
        const next = await queue.next();
        if (next.done === true) return;
        const { data } = next.value;
        const more = window.take(typeof data === 'string' ? Buffer.byteLength(data) : data.length);
        if (more > 0) call.more(more);
        yield next.value;
      }
    } finally {
      if (!queue.ended) call.cancel();
      await over;
    }
  }

  /** Writes to its input; false if it takes no more. Resolves when that was taken. */
  async write(
    data: Data,
    options: Cancellable & { end?: boolean | undefined } = {},
  ): Promise<boolean> {
    const end = options.end === true ? { end: true } : {};
    const answer = await this.#call('write', { ...encodeData(data), ...end }, options.signal);
    return answer['taken'] === true;
  }

  /** Ends its input. */
  async closeInput(options: Cancellable = {}): Promise<void> {
    await this.write('', { ...options, end: true });
  }

  async resize(size: TerminalSize, options: Cancellable = {}): Promise<void> {
    await this.#call('resize', { rows: size.rows, cols: size.cols }, options.signal);
  }

  /** Sends a signal to the process and everything it started: a name ("INT") or a number. */
  async signal(signal: string | number, options: Cancellable = {}): Promise<void> {
    await this.#call('signal', { signal }, options.signal);
  }

  /** Waits for its end. If `timeout` passes first, `running` is true; the process runs on. */
  async wait(options: Cancellable & { timeout?: Time | undefined } = {}): Promise<ProcessInfo> {
    const answer = await this.#call('wait', { timeout: options.timeout }, options.signal);
    return (this.#info = camel<ProcessInfo>(answer['process']));
  }

  /** Ends it, with everything it started. Returns what could not be ended. */
  async kill(options: Cancellable = {}): Promise<Survivor[]> {
    const { survivors } = camel<{ survivors?: Survivor[] }>(
      await this.#call('kill', {}, options.signal),
    );
    return survivors ?? [];
  }

  /** What its terminal shows. */
  async screen(options: Cancellable = {}): Promise<Screen> {
    return camel<Screen>(await this.#call('screen', {}, options.signal));
  }

  /** Kills it, if it still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

function textAndBytes(
  data: Data,
  decode: (bytes: Buffer) => string,
): { data: string; raw?: Uint8Array } {
  return typeof data === 'string' ? { data } : { data: decode(Buffer.from(data)), raw: data };
}
