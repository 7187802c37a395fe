// The WebSocket of a gateway (GET /v1/lines). One text message is one line.

import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

import {
  acceptOf,
  closePayload,
  encodeFrame,
  FrameReader,
  OPCODE,
  WebSocketViolation,
} from '../core/websocket.js';
import type { Received } from '../core/websocket.js';
import { BadRequest, ConnectionLost, Denied, Unavailable, type TalariaError } from '../errors.js';
import type { Link, LinkListener, OpenLink } from './link.js';

const SUBPROTOCOL = 'talaria.lines.1';
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
const PING_MS = 20_000; // between pings; a gateway that answers none for two of them is lost
const CLOSE_MS = 3_000;

export interface GatewayOptions {
  /** Until the gateway has answered, in seconds; default 30. */
  connectTimeout?: number | undefined;
  /** Further headers, for a proxy in between. */
  headers?: Record<string, string> | undefined;
  /** As for node:tls: `ca`, `cert`, `key`, `servername`, ... */
  tls?: ConnectionOptions | undefined;
}

export function openGateway(url: string, token: string, options: GatewayOptions): OpenLink {
  const place = placeOf(url);
  return (listener) => connect(place, token, options, listener);
}

interface Place {
  shown: string;
  secure: boolean;
  request: http.RequestOptions;
}

/** http://HOST:PORT, https, ws, wss, or unix:PATH. A path before /v1/lines is kept. */
function placeOf(url: string): Place {
  if (url.startsWith('unix:')) {
    const socketPath = url.slice('unix:'.length);
    return {
      shown: url,
      secure: false,
      request: { socketPath, host: 'localhost', path: '/v1/lines' },
    };
  }
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new BadRequest(`'${url}' is not a URL. Use http://HOST:PORT, https://HOST or unix:PATH`, {
      cause,
    });
  }
  const secure = parsed.protocol === 'https:' || parsed.protocol === 'wss:';
  if (!secure && parsed.protocol !== 'http:' && parsed.protocol !== 'ws:') {
    throw new BadRequest(
      `'${url}': unknown scheme. Use http://HOST:PORT, https://HOST or unix:PATH`,
    );
  }
  const path = parsed.pathname.replace(/\/(v1(\/lines)?)?\/?$/, '') + '/v1/lines';
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  return { shown: url, secure, request: { host, port: parsed.port || (secure ? 443 : 80), path } };
}

function connect(
  place: Place,
  token: string,
  options: GatewayOptions,
  listener: LinkListener,
): Promise<Link> {
  const key = randomBytes(16).toString('base64');
  const request: https.RequestOptions = {
    ...place.request,
    ...(place.secure ? options.tls : {}),
    agent: false,
    headers: {
      ...options.headers,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      Authorization: `Bearer ${token}`,
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Protocol': SUBPROTOCOL,
    },
  };
  return new Promise((resolve, reject) => {
    const asked = (place.secure ? https : http).request(request);
    const seconds = options.connectTimeout ?? 30;
    asked.setTimeout(seconds * 1000, () =>
      asked.destroy(new Error(`no answer within ${seconds} s`)),
    );
    asked.once('error', (cause) =>
      reject(
        new Unavailable(`gateway ${place.shown}: cannot connect: ${reasonOf(cause)}`, { cause }),
      ),
    );
    asked.once('response', (answer) => void refusal(place, answer).then(reject));
    asked.once('upgrade', (answer, socket, head) => {
      if (answer.headers['sec-websocket-accept'] !== acceptOf(key)) {
        socket.destroy();
        reject(
          new Unavailable(
            `gateway ${place.shown}: its answer to the WebSocket handshake is invalid`,
          ),
        );
        return;
      }
      asked.setTimeout(0);
      const link = new WebSocketLink(socket as Socket, place, listener);
      resolve(link);
      if (head.length > 0) queueMicrotask(() => link.receive(head));
    });
    asked.end();
  });
}

function reasonOf(error: Error): string {
  // Node tries several addresses, and then has one error for all of them, without a message.
  if (error instanceof AggregateError)
    return (error.errors as Error[]).map((one) => one.message).join('; ');
  return error.message;
}

async function refusal(place: Place, answer: http.IncomingMessage): Promise<TalariaError> {
  let body = '';
  try {
    for await (const piece of answer.setEncoding('utf8'))
      body = (body + String(piece)).slice(0, 4096);
  } catch {
    // What came is enough.
  }
  let why = body.trim();
  try {
    why = String((JSON.parse(body) as { error?: unknown }).error ?? why);
  } catch {
    // Not the answer of a gateway.
  }
  const message = `gateway ${place.shown}: HTTP ${answer.statusCode}${why === '' ? '' : `: ${why}`}`;
  if (answer.statusCode === 401 || answer.statusCode === 403) return new Denied(message);
  return new Unavailable(message);
}

class WebSocketLink implements Link {
  readonly #reader = new FrameReader(MAX_MESSAGE_BYTES);
  readonly #pings: NodeJS.Timeout;
  readonly #ended: Promise<void>;
  #closing = false;
  #unanswered = 0;
  #why: string | undefined;

  constructor(
    readonly socket: Socket,
    place: Place,
    readonly listener: LinkListener,
  ) {
    socket.setNoDelay(true);
    socket.setTimeout(0);
    socket.on('data', (piece: Buffer) => this.receive(piece));
    socket.on('error', (error) => (this.#why ??= error.message));
    socket.on('end', () => socket.end());
    this.#pings = setInterval(() => this.#ping(), PING_MS);
    this.#pings.unref();
    this.#ended = new Promise((resolve) => {
      socket.once('close', () => {
        clearInterval(this.#pings);
        resolve();
        if (this.#closing) return;
        const why = this.#why ?? 'the connection was closed';
        listener.lost(new ConnectionLost(`gateway ${place.shown}: ${why}`));
      });
    });
  }

  receive(piece: Buffer): void {
    if (this.#why !== undefined) return;
    let received: Received[];
    try {
      received = this.#reader.push(piece);
    } catch (error) {
      if (!(error instanceof WebSocketViolation)) throw error;
      this.#why = `it broke the protocol: ${error.message}`;
      this.#frame(OPCODE.close, closePayload(error.code));
      this.socket.destroySoon();
      return;
    }
    for (const one of received) this.#take(one);
  }

  #take(one: Received): void {
    this.#unanswered = 0;
    if (one.type === 'message') this.listener.line(one.text);
    if (one.type === 'ping') this.#frame(OPCODE.pong, one.payload);
    if (one.type === 'close') {
      this.#why ??= `it closed the connection (${one.code}${one.reason === '' ? '' : ` ${one.reason}`})`;
      if (!this.#closing)
        this.#frame(OPCODE.close, closePayload(one.code === 1005 ? 1000 : one.code));
      this.socket.destroySoon();
    }
  }

  #ping(): void {
    if (this.#unanswered >= 2) {
      this.#why ??= 'it does not answer any more';
      this.socket.destroy();
      return;
    }
    this.#unanswered += 1;
    this.#frame(OPCODE.ping, new Uint8Array());
  }

  #frame(opcode: number, payload: Uint8Array): void {
    if (this.socket.writable) this.socket.write(encodeFrame(opcode, payload, randomBytes(4)));
  }

  send(line: string): void {
    this.#frame(OPCODE.text, Buffer.from(line, 'utf8'));
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.ref();
    this.#frame(OPCODE.close, closePayload(1000));
    const timer = setTimeout(() => this.socket.destroy(), CLOSE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  ref(): void {
    this.socket.ref();
  }

  unref(): void {
    this.socket.unref();
  }
}
