// A Channel makes calls over a Link: it matches answers with requests, opens the link when there is
// something to say, opens it again after it was lost, and says again then what has to be known for
// as long as the channel lives (subscriptions). A call whose link is lost fails, because it may have
// run; nothing is sent twice.

import { setMaxListeners } from 'node:events';

import { encodeData, Protocol, PROTOCOL, type Incoming, type Request } from './core/protocol.js';
import type { JsonObject, Params } from './core/json.js';
import { ConnectionLost, Interrupted, NotFound, Unavailable, type TalariaError } from './errors.js';
import type { Link, OpenLink } from './link/link.js';
import { VERSION } from './version.js';

const RETRY_MS = [0, 100, 300, 1_000, 3_000, 5_000, 5_000, 5_000]; // for subscriptions
const CANCEL_MS = 10_000; // for calls to end when the channel is closed

// When nothing keeps the process alive any more, what has a connection is closed.
const openChannels = new Set<Channel>();
process.on('beforeExit', () => {
  for (const channel of openChannels) void channel.close();
});

/** What the other side says of itself. */
export interface Hello {
  protocol: number;
  version: string;
  program: string;
  transport: string;
  methods: string[];
  target: string;
  isolated: boolean;
  home?: string;
  user?: string;
}

/** A call under way. */
export class Call {
  readonly answer: Promise<JsonObject>;
  readonly sent: Promise<void>;
  id: number | undefined;
  cancelled = false;
  onSent!: () => void;
  resolve!: (result: JsonObject) => void;
  reject!: (error: TalariaError) => void;

  constructor(
    readonly channel: Channel,
    readonly request: Request,
    readonly onPart: ((part: JsonObject) => void) | undefined,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.answer.catch(() => {}); // who awaits it gets it all the same
    this.sent = new Promise((resolve) => (this.onSent = resolve));
  }

  /** Asks for its end. The answer comes when everything that it started has ended. */
  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    if (this.id === undefined)
      this.reject(new Interrupted('the call was cancelled before it was sent'));
    else this.channel.start({ cancel: this.id });
  }

  /** Lets so many more bytes of output come. */
  more(bytes: number): void {
    if (this.id !== undefined && this.channel.isOpen(this.id)) {
      this.channel.start({ method: 'stream.more', params: { request: this.id, bytes } });
    }
  }

  /** Writes to its input; resolves when that was taken, with false if it takes no more. */
  async write(data: string | Uint8Array, end: boolean): Promise<boolean> {
    await Promise.race([this.sent, this.answer]);
    if (this.id === undefined || !this.channel.isOpen(this.id)) return false;
    const params: Params = { request: this.id, ...encodeData(data), ...(end ? { end: true } : {}) };
    try {
      const { taken } = await this.channel.start({ method: 'stream.write', params }).answer;
      return taken === true;
    } catch (error) {
      if (error instanceof NotFound) return false; // the call ended meanwhile
      throw error;
    }
  }
}

/** Something to be said on every connection. */
interface Standing {
  request: Request;
  failed: (error: TalariaError) => void;
}

export class Channel {
  readonly #openLink: OpenLink;
  readonly #protocol = new Protocol();
  #link: Link | undefined; // greeted, with everything standing said
  #opening: Promise<void> | undefined;
  #calls = new Map<number, Call>();
  #standing = new Map<string, Standing>();
  #listeners = new Set<(event: JsonObject) => void>();
  #closers = new Set<() => void>();
  #holds = 0;
  #closing: Promise<void> | undefined;
  #closed = false;
  #retrying = false;
  hello: Hello | undefined;
  /** What is said when the channel is closed, by what it is about. */
  readonly leftovers = new Map<string, Request[]>();

  /** `ownTask`: a task of this client alone, which ends with it. */
  constructor(
    openLink: OpenLink,
    readonly ownTask?: string,
  ) {
    this.#openLink = openLink;
  }

  isOpen(id: number): boolean {
    return this.#calls.has(id);
  }

  /** Makes a call at once if the link is up, else when it is. */
  start(request: Request, onPart?: (part: JsonObject) => void): Call {
    const call = new Call(this, request, onPart);
    if (this.#link) this.#send(this.#link, call);
    else
      this.connect().then(
        () => this.#link && !call.cancelled && this.#send(this.#link, call),
        (error: TalariaError) => call.reject(error),
      );
    return call;
  }

  /** A call and its result. The signal cancels it; it then ends before this rejects. */
  async request(
    request: Request,
    signal?: AbortSignal,
    onPart?: (part: JsonObject) => void,
  ): Promise<JsonObject> {
    if (signal?.aborted) throw new Interrupted('the call was cancelled', { cause: signal.reason });
    return this.answerOf(this.start(request, onPart), signal);
  }

  async answerOf(call: Call, signal: AbortSignal | undefined): Promise<JsonObject> {
    if (!signal) return call.answer;
    const abort = () => call.cancel();
    setMaxListeners(0, signal); // one signal may be for thousands of calls
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) call.cancel();
    try {
      return await call.answer;
    } catch (error) {
      if (!signal.aborted || !(error instanceof Interrupted)) throw error;
      throw new Interrupted(error.message, { reason: error.reason, cause: signal.reason });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  method(method: string, params: Params, signal?: AbortSignal): Promise<JsonObject> {
    return this.request({ method, params }, signal);
  }

  #send(link: Link, call: Call): void {
    try {
      const { id, line } = this.#protocol.request(call.request);
      call.id = id;
      this.#calls.set(id, call);
      this.#noteTask(call.request);
      if (this.#calls.size === 1) this.#updateRef();
      link.send(line);
      call.onSent();
    } catch (error) {
      call.reject(error as TalariaError);
    }
  }

  #noteTask(request: Request): void {
    const task = this.ownTask;
    if (task === undefined || this.#closing || (request.task ?? request.params?.['task']) !== task)
      return;
    this.leftovers.set(task, [
      { method: 'processes.kill_all', params: { task } },
      { method: 'sessions.end', params: { task } },
    ]);
  }

  // --- the link ---

  /** Opens the link, unless it is up. */
  connect(): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#link) return Promise.resolve();
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<void> {
    this.#protocol.reset();
    let lost: TalariaError | undefined;
    const link = await this.#openLink({
      line: (text) => this.#receive(text),
      lost: (error) => {
        lost = error;
        this.#lost(error);
      },
    });
    try {
      await this.#greet(link);
      await this.#sayStanding(link);
      if (lost) throw lost;
    } catch (error) {
      if (lost) throw unavailable(lost);
      await link.close();
      throw error;
    }
    if (this.#closed) {
      await link.close();
      throw closedError();
    }
    this.#link = link;
    openChannels.add(this);
    this.#updateRef();
  }

  #say(link: Link, request: Request): Promise<JsonObject> {
    const call = new Call(this, request, undefined);
    this.#send(link, call);
    return call.answer;
  }

  async #greet(link: Link): Promise<void> {
    const params = { protocol: PROTOCOL, client: `talaria-typescript ${VERSION}` };
    try {
      this.hello = (await this.#say(link, { method: 'hello', params })) as unknown as Hello;
    } catch (error) {
      if ((error as TalariaError).kind !== 'not_found') throw error;
      throw new Unavailable(
        'this version of Talaria is too old for this client: it does not know the method hello. Install a newer one',
        { reason: 'other_version', cause: error },
      );
    }
  }

  async #sayStanding(link: Link): Promise<void> {
    const all = [...this.#standing];
    await Promise.all(
      all.map(async ([name, { request, failed }]) => {
        try {
          await this.#say(link, request);
        } catch (error) {
          if (error instanceof ConnectionLost) throw error;
          this.#standing.delete(name);
          failed(error as TalariaError);
        }
      }),
    );
  }

  #lost(error: TalariaError): void {
    this.#link = undefined;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) {
      const what = call.request.method ?? call.request.tool ?? 'cancel';
      call.reject(new ConnectionLost(`${what}: ${error.message}`, { cause: error }));
    }
    if (this.#standing.size === 0 || this.#closed || this.#retrying) return;
    this.#retrying = true;
    void this.#openAgain().finally(() => (this.#retrying = false));
  }

  async #openAgain(): Promise<void> {
    let last: TalariaError | undefined;
    for (const pause of RETRY_MS) {
      await this.#pause(pause);
      if (this.#closed || this.#standing.size === 0) return;
      try {
        return await this.connect();
      } catch (error) {
        last = error as TalariaError;
      }
    }
    const standing = [...this.#standing.values()];
    this.#standing.clear();
    for (const { failed } of standing) failed(last ?? new Unavailable('the connection was lost'));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (this.#holds === 0) timer.unref();
    });
  }

  // --- what comes ---

  #receive(text: string): void {
    const incoming = this.#protocol.receive(text);
    if (incoming?.type === 'complaint')
      process.emitWarning(incoming.error.message, 'TalariaWarning');
    else if (incoming?.type === 'garbage') {
      process.emitWarning(`not a message: ${incoming.text.slice(0, 200)}`, 'TalariaWarning');
    } else if (incoming?.type === 'event')
      for (const listener of [...this.#listeners]) listener(incoming.event);
    else if (incoming && 'id' in incoming) this.#take(incoming);
  }

  #take(incoming: Extract<Incoming, { id: number }>): void {
    const call = this.#calls.get(incoming.id);
    if (!call) return;
    if (incoming.type === 'part') {
      call.onPart?.(incoming.part);
      return;
    }
    this.#calls.delete(incoming.id);
    if (incoming.type === 'answer') call.resolve(incoming.result);
    else call.reject(incoming.error);
    if (this.#calls.size === 0) this.#updateRef();
  }

  /** Events, of whatever was subscribed. */
  listen(listener: (event: JsonObject) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Says something on this connection and on every one after it. `failed` is called when it cannot
   * be said again. */
  async stand(
    name: string,
    request: Request,
    failed: (error: TalariaError) => void,
    again: Request = request, // what is said on later connections
  ): Promise<void> {
    await this.connect();
    const link = this.#link;
    if (!link) throw new Unavailable('the connection was lost');
    this.#standing.set(name, { request: again, failed });
    try {
      await this.#say(link, request);
    } catch (error) {
      this.#standing.delete(name);
      throw error;
    }
  }

  /** Ends that, and says so if there is a connection. */
  async unstand(name: string, request: Request): Promise<void> {
    if (!this.#standing.delete(name) || !this.#link) return;
    await this.start(request).answer.catch(() => {});
  }

  // --- lifetime ---

  /** Keeps the process alive until the returned function is called. Calls under way do so anyway. */
  hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) this.#updateRef();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      if (this.#holds === 0) this.#updateRef();
    };
  }

  #updateRef(): void {
    if (this.#calls.size > 0 || this.#holds > 0) this.#link?.ref();
    else this.#link?.unref();
  }

  /** Calls it when the channel is closed. */
  onClose(closer: () => void): () => void {
    this.#closers.add(closer);
    return () => this.#closers.delete(closer);
  }

  /** Cancels what is under way, waits for it, says what is to be said at the end, and ends the link. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#standing.clear();
    for (const closer of this.#closers) closer();
    await this.#opening?.catch(() => {});
    await this.#cancelAll();
    await this.#sayLast();
    this.#closed = true;
    openChannels.delete(this);
    const link = this.#link;
    this.#link = undefined;
    await link?.close();
    for (const call of this.#calls.values()) call.reject(closedError());
    this.#calls.clear();
  }

  async #cancelAll(): Promise<void> {
    const calls = [...this.#calls.values()].filter((call) => call.request.cancel === undefined);
    for (const call of calls) call.cancel();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise((resolve) => (timer = setTimeout(resolve, CANCEL_MS)));
    await Promise.race([Promise.allSettled(calls.map((call) => call.answer)), deadline]);
    clearTimeout(timer);
  }

  async #sayLast(): Promise<void> {
    if (!this.hello) return; // there was never a connection
    for (const request of [...this.leftovers.values()].flat()) {
      try {
        await this.start(request).answer;
      } catch (error) {
        process.emitWarning(`close: ${request.method}: ${String(error)}`, 'TalariaWarning');
      }
    }
    this.leftovers.clear();
  }
}

function closedError(): TalariaError {
  return new Unavailable('this client was closed', { reason: 'closed' });
}

// Lost before anything but the greeting was sent: nothing was started.
function unavailable(lost: TalariaError): TalariaError {
  return lost instanceof ConnectionLost ? new Unavailable(lost.message, { cause: lost }) : lost;
}
