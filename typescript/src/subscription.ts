// What is pushed without a request: one subscription for as long as somebody listens, and iterators
// over what comes.

import type { Channel } from './channel.js';
import type { Request } from './core/protocol.js';
import { Interrupted, type TalariaError } from './errors.js';
import { Queue } from './queue.js';

/** A subscription that several listeners share. */
export class Subscription {
  #users = 0;
  #change: Promise<void> = Promise.resolve();
  #failures = new Set<(error: TalariaError) => void>();

  constructor(
    readonly channel: Channel,
    readonly begin: Request,
    readonly end: Request,
    readonly again: Request = begin,
  ) {}

  /** Begins it, unless somebody has. Returns what ends it again. */
  async use(failed: (error: TalariaError) => void): Promise<() => Promise<void>> {
    this.#users += 1;
    this.#failures.add(failed);
    let used = true;
    const leave = async () => {
      if (!used) return;
      used = false;
      this.#users -= 1;
      this.#failures.delete(failed);
      if (this.#users === 0)
        await this.#inTurn(
          () => this.#users === 0,
          () => this.#leave(),
        );
    };
    try {
      if (this.#users === 1)
        await this.#inTurn(
          () => this.#users > 0,
          () => this.#join(),
        );
      else await this.#change;
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  }

  /** One change after the other; each only if it is still wanted. */
  #inTurn(wanted: () => boolean, change: () => Promise<void>): Promise<void> {
    const next = this.#change.catch(() => {}).then(() => (wanted() ? change() : undefined));
    this.#change = next;
    next.catch(() => {});
    return next;
  }

  #join(): Promise<void> {
    const failed = (error: TalariaError) => {
      for (const failure of [...this.#failures]) failure(error);
    };
    return this.channel.stand(JSON.stringify(this.end), this.begin, failed, this.again);
  }

  #leave(): Promise<void> {
    return this.channel.unstand(JSON.stringify(this.end), this.end);
  }
}

/** Iterates over what comes of a subscription. Waiting for it keeps the process alive. */
export class Stream<T> implements AsyncIterableIterator<T, undefined>, AsyncDisposable {
  readonly #queue = new Queue<T>();
  readonly #channel: Channel;
  readonly #started: Promise<() => Promise<void>>;
  readonly #undo: (() => void)[] = [];

  constructor(
    subscription: Subscription,
    signal: AbortSignal | undefined,
    listen: (push: (item: T) => void, end: (error?: TalariaError) => void) => () => void,
  ) {
    this.#channel = subscription.channel;
    const end = (error?: unknown) =>
      error === undefined ? this.#queue.end() : this.#queue.fail(error);
    this.#undo.push(
      listen((item) => this.#queue.push(item), end),
      this.#channel.onClose(end),
    );
    const abort = () => end(new Interrupted('the call was cancelled', { cause: signal?.reason }));
    signal?.addEventListener('abort', abort, { once: true });
    this.#undo.push(() => signal?.removeEventListener('abort', abort));
    if (signal?.aborted === true) abort();
    this.#started = subscription.use(end);
    this.#started.catch(end);
  }

  /** Resolves when the subscription is in effect: what happens from now on is delivered. */
  async ready(): Promise<this> {
    await this.#started;
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const release = this.#channel.hold();
    try {
      const next = await this.#queue.next();
      if (next.done === true) await this.close();
      return next;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      release();
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async close(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo();
    this.#queue.end();
    const leave = await this.#started.catch(() => undefined);
    await leave?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
