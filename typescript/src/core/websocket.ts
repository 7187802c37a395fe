// WebSocket frames (RFC 6455) as a client writes and reads them. Bytes in, meanings out; no I/O. No
// extensions, text messages only.

import { createHash } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** What `Sec-WebSocket-Accept` has to be for this key. */
export function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}

/** A frame of a client: masked, and final. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask: Uint8Array): Buffer {
  const size = payload.length;
  const extended = size < 126 ? 0 : size < 65536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + extended + 4 + size);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extended === 0 ? size : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(size, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(size), 2);
  let at = 2 + extended;
  frame.set(mask.subarray(0, 4), at);
  at += 4;
  for (let i = 0; i < size; i++) frame[at + i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  return frame;
}

export function closePayload(code: number, reason = ''): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code, 0);
  payload.write(reason, 2);
  return payload;
}

export type Received =
  | { type: 'message'; text: string }
  | { type: 'ping' | 'pong'; payload: Buffer }
  | { type: 'close'; code: number; reason: string };

/** The other side broke the protocol; `code` is what to close with. */
export class WebSocketViolation extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface Frame {
  final: boolean;
  opcode: number;
  payload: Buffer;
}

/** Reads the frames of a server. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #size = 0;
  #message: Buffer[] | undefined;
  #messageSize = 0;

  constructor(readonly maxMessageBytes: number) {}

  /** What these bytes complete. Throws WebSocketViolation; nothing can be read after that. */
  push(piece: Uint8Array): Received[] {
    this.#pieces.push(Buffer.from(piece));
    this.#size += piece.length;
    const received: Received[] = [];
    for (;;) {
      const frame = this.#frame();
      if (!frame) return received;
      const meaning = frame.opcode >= 8 ? control(frame) : this.#data(frame);
      if (meaning) received.push(meaning);
    }
  }

  /** The first bytes of what has come, as one piece. */
  #head(count: number): Buffer {
    const first = this.#pieces[0];
    if (first && first.length >= count) return first;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  #frame(): Frame | undefined {
    if (this.#size < 2) return undefined;
    let head = this.#head(2);
    const first = head[0] ?? 0;
    const second = head[1] ?? 0;
    if (first & 0x70) throw new WebSocketViolation(1002, 'reserved bits are set');
    if (second & 0x80) throw new WebSocketViolation(1002, 'a frame of the server is masked');
    const opcode = first & 0x0f;
    let size = second & 0x7f;
    let start = 2;
    if (size >= 126) {
      start = size === 126 ? 4 : 10;
      if (this.#size < start) return undefined;
      head = this.#head(start);
      size = start === 4 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    }
    if (opcode >= 8 && (size > 125 || !(first & 0x80))) {
      throw new WebSocketViolation(1002, 'a control frame is too long or in pieces');
    }
    if (size + this.#messageSize > this.maxMessageBytes) {
      throw new WebSocketViolation(1009, `a message has more than ${this.maxMessageBytes} bytes`);
    }
    if (this.#size < start + size) return undefined;
    const whole = this.#head(start + size);
    const payload = whole.subarray(start, start + size);
    this.#pieces[0] = whole.subarray(start + size);
    this.#size -= start + size;
    return { final: (first & 0x80) !== 0, opcode, payload };
  }

  #data(frame: Frame): Received | undefined {
    if (frame.opcode === OPCODE.continuation) {
      if (!this.#message) throw new WebSocketViolation(1002, 'a continuation of nothing');
    } else if (frame.opcode !== OPCODE.text) {
      throw new WebSocketViolation(1003, 'not a text message');
    } else if (this.#message) {
      throw new WebSocketViolation(1002, 'a message inside of another');
    } else {
      this.#message = [];
    }
    this.#message.push(frame.payload);
    this.#messageSize += frame.payload.length;
    if (!frame.final) return undefined;
    const text = utf8(Buffer.concat(this.#message));
    this.#message = undefined;
    this.#messageSize = 0;
    return { type: 'message', text };
  }
}

function control(frame: Frame): Received {
  if (frame.opcode === OPCODE.ping) return { type: 'ping', payload: frame.payload };
  if (frame.opcode === OPCODE.pong) return { type: 'pong', payload: frame.payload };
  if (frame.opcode !== OPCODE.close)
    throw new WebSocketViolation(1002, `unknown opcode ${frame.opcode}`);
  if (frame.payload.length === 1) throw new WebSocketViolation(1002, 'half a close code');
  const code = frame.payload.length === 0 ? 1005 : frame.payload.readUInt16BE(0);
  return { type: 'close', code, reason: utf8(frame.payload.subarray(2)) };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new WebSocketViolation(1007, 'a text is not valid UTF-8');
  }
}
