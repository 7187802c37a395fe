// The JSON-lines protocol as a state machine: requests in, lines out; lines in, meanings out. It
// knows which requests are under way and how much of their output may still come. No I/O.

import { LimitReached, BadRequest, errorOf, type TalariaError } from '../errors.js';
import { depth, isObject, type Json, type JsonObject, type Params } from './json.js';

export const PROTOCOL = 1;
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 32;

/** What a line says. */
export type Incoming =
  | { type: 'answer'; id: number; result: JsonObject }
  | { type: 'failure'; id: number; error: TalariaError }
  | { type: 'part'; id: number; part: JsonObject }
  | { type: 'event'; event: JsonObject }
  | { type: 'complaint'; error: TalariaError } // about a line that the other side could not read
  | { type: 'garbage'; text: string }; // nothing that this protocol has

/** A request: `tool`, `cancel` or `method`, and what belongs to it. */
export interface Request {
  method?: string;
  params?: Params;
  tool?: string;
  args?: Params;
  task?: string | undefined;
  sandbox?: string | undefined;
  session_key?: string | undefined;
  tools?: readonly string[] | undefined;
  tool_call_id?: string | undefined;
  turn?: string | undefined;
  cancel?: number;
}

export class Protocol {
  #next = 1;
  #open = new Set<number>();

  /** A new connection: nothing is under way on it. Ids go on, so that none of an earlier connection
   * is taken for one of this. */
  reset(): void {
    this.#open.clear();
  }

  /** The line of a request. Throws for one that the other side could not read, and could then not
   * answer by its id. */
  request(request: Request): { id: number; line: string } {
    const id = this.#next;
    const line = JSON.stringify({ id, ...request });
    if (line.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES) {
      throw new LimitReached(
        `${nameOf(request)}: the request is longer than ${MAX_LINE_BYTES} bytes. Send large data as a stream: files.upload, or stdin as an iterable`,
      );
    }
    if (depth(request, MAX_DEPTH + 1) > MAX_DEPTH) {
      throw new BadRequest(
        `${nameOf(request)}: the arguments are nested more than ${MAX_DEPTH} levels deep`,
      );
    }
    this.#next += 1;
    this.#open.add(id);
    return { id, line };
  }

  /** What a line says; undefined if it concerns a request that nobody waits for. */
  receive(line: string): Incoming | undefined {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return { type: 'garbage', text: line };
    }
    if (!isObject(message)) return { type: 'garbage', text: line };
    if (isObject(message['event'])) return { type: 'event', event: message['event'] };
    const id = message['id'];
    if (id === null && isObject(message['error'])) {
      return { type: 'complaint', error: errorOf(message['error']) };
    }
    if (typeof id !== 'number') return { type: 'garbage', text: line };
    if (!this.#open.has(id)) return undefined;
    return this.#ofRequest(id, message) ?? { type: 'garbage', text: line };
  }

  #ofRequest(id: number, message: JsonObject): Incoming | undefined {
    if (isObject(message['part'])) return { type: 'part', id, part: message['part'] };
    if (isObject(message['result'])) {
      this.#open.delete(id);
      return { type: 'answer', id, result: message['result'] };
    }
    if (isObject(message['error'])) {
      this.#open.delete(id);
      return { type: 'failure', id, error: errorOf(message['error']) };
    }
    return undefined;
  }
}

function nameOf(request: Request): string {
  return request.method ?? request.tool ?? 'cancel';
}

/** How much output of one request was taken, and when to ask for more. */
export class Window {
  #taken = 0;

  constructor(readonly size: number) {}

  /** Bytes were taken. The number to give back now, 0 while it is not worth a message. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < this.size / 4) return 0;
    const more = this.#taken;
    this.#taken = 0;
    return more;
  }
}

/** The data of a part: text as it came, or bytes. */
export function dataOf(part: JsonObject): string | Uint8Array | undefined {
  const text: Json | undefined = part['data'];
  if (typeof text === 'string') return text;
  const coded = part['data64'];
  return typeof coded === 'string' ? Buffer.from(coded, 'base64') : undefined;
}

/** The members of a request that carry data. */
export function encodeData(data: string | Uint8Array): Params {
  if (typeof data === 'string') return { data };
  return { data64: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
}
