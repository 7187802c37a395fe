// The other end of a Channel, in memory: what a test writes here is what a program would say.

import type { Link, LinkListener, OpenLink } from '../../src/link/link.js';
import { ConnectionLost, Unavailable } from '../../src/errors.js';

export interface Asked {
  id: number;
  method?: string;
  tool?: string;
  cancel?: number;
  params: any;
}

/** Answers the requests of a channel with `reply`, or not, if that returns nothing. */
export class Peer {
  /** All requests but greetings, of all connections. */
  readonly asked: Asked[] = [];
  connections = 0;
  refs = 0;
  closed = 0;
  refuse = false;
  #listener: LinkListener | undefined;
  #waiting: { wanted: (one: Asked) => boolean; found: (one: Asked) => void }[] = [];

  constructor(readonly reply: (asked: Asked, peer: Peer) => object | undefined = () => ({})) {}

  readonly open: OpenLink = async (listener) => {
    if (this.refuse) throw new Unavailable('refused');
    this.connections += 1;
    this.#listener = listener;
    const link: Link = {
      send: (line) => queueMicrotask(() => this.#take(JSON.parse(line) as Asked)),
      close: async () => void (this.closed += 1),
      ref: () => (this.refs = 1),
      unref: () => (this.refs = 0),
    };
    return link;
  };

  #take(one: Asked): void {
    if (one.method === 'hello')
      return this.answer(one.id, { protocol: 1, version: '0.1.0', methods: [] });
    this.asked.push(one);
    const result = this.reply(one, this);
    if (result) this.answer(one.id, result);
    const ready = this.#waiting.filter(({ wanted }) => wanted(one));
    this.#waiting = this.#waiting.filter((waiting) => !ready.includes(waiting));
    for (const { found } of ready) found(one);
  }

  say(message: object): void {
    this.#listener?.line(JSON.stringify(message));
  }

  answer(id: number, result: object): void {
    this.say({ id, result });
  }

  fail(id: number, error: object): void {
    this.say({ id, error });
  }

  part(id: number, part: object): void {
    this.say({ id, part });
  }

  /** The connection is gone. */
  die(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.lost(new ConnectionLost('it died'));
  }

  of(method: string): Asked[] {
    return this.asked.filter((one) => one.method === method);
  }

  /** The next request that has not come yet and is wanted. */
  next(wanted: (one: Asked) => boolean): Promise<Asked> {
    return new Promise((found) => this.#waiting.push({ wanted, found }));
  }
}

/** Lets everything run that can run now. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
