import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  acceptOf,
  closePayload,
  encodeFrame,
  FrameReader,
  OPCODE,
  WebSocketViolation,
} from '../src/core/websocket.js';

/** A frame as a server writes it. */
function frame(first: number, payload: Uint8Array | string, masked = 0): Buffer {
  const bytes = Buffer.from(payload);
  const size = bytes.length;
  const head =
    size < 126
      ? [size]
      : size < 65536
        ? [126, size >> 8, size & 255]
        : [127, 0, 0, 0, 0, size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255];
  head[0] = (head[0] ?? 0) | masked;
  return Buffer.concat([Buffer.from([first, ...head]), bytes]);
}

const text = (payload: string) => frame(0x81, payload);

test('the key of RFC 6455 has its answer', () => {
  assert.equal(acceptOf('dGhlIHNhbXBsZSBub25jZQ=='), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

test('frames of a client are masked, with the size in its shortest form', () => {
  const mask = new Uint8Array([1, 2, 3, 4]);
  for (const [size, head] of [
    [5, 2],
    [125, 2],
    [126, 4],
    [65535, 4],
    [65536, 10],
  ] as const) {
    const payload = Buffer.alloc(size, 'a');
    const written = encodeFrame(OPCODE.text, payload, mask);
    assert.equal(written.length, head + 4 + size);
    assert.equal(written[0], 0x81);
    assert.ok((written[1] ?? 0) & 0x80);
    const open = written.subarray(head + 4).map((byte, i) => byte ^ (mask[i % 4] ?? 0));
    assert.deepEqual(Buffer.from(open), payload);
  }
});

test('messages come out whole, however the bytes were cut', () => {
  const long = 'é'.repeat(40_000);
  const bytes = Buffer.concat([
    text('one'),
    frame(0x89, 'are you there'),
    frame(0x01, 'two '),
    frame(0x8a, ''), // a pong between the frames of a message
    frame(0x00, 'and '),
    frame(0x80, 'three'),
    text(long),
    text(''),
    frame(0x88, closePayload(1001, 'bye')),
  ]);
  for (const size of [1, 2, 3, 7, 1000, bytes.length]) {
    const reader = new FrameReader(1e6);
    const received = [];
    for (let from = 0; from < bytes.length; from += size)
      received.push(...reader.push(bytes.subarray(from, from + size)));
    assert.deepEqual(
      received.map((one) =>
        'text' in one ? one.text : 'payload' in one ? `${one.type} ${one.payload}` : one,
      ),
      [
        'one',
        'ping are you there',
        'pong ',
        'two and three',
        long,
        '',
        { type: 'close', code: 1001, reason: 'bye' },
      ],
    );
  }
});

test('what breaks the protocol has the code to close with', () => {
  const cases: [string, Buffer, number][] = [
    ['reserved bits', frame(0xc1, 'x'), 1002],
    ['a masked frame', frame(0x81, 'abcd', 0x80), 1002],
    ['an unknown opcode', frame(0x8b, ''), 1002],
    ['a binary message', frame(0x82, 'x'), 1003],
    ['a continuation of nothing', frame(0x80, 'x'), 1002],
    ['a message inside of another', Buffer.concat([frame(0x01, 'a'), text('b')]), 1002],
    ['a ping in pieces', frame(0x09, 'x'), 1002],
    ['a long ping', frame(0x89, 'x'.repeat(126)), 1002],
    ['half a close code', frame(0x88, 'x'), 1002],
    ['no UTF-8', frame(0x81, new Uint8Array([0xff])), 1007],
    ['too long', frame(0x81, 'x'.repeat(2000)), 1009],
    [
      'too long in pieces',
      Buffer.concat([frame(0x01, 'x'.repeat(600)), frame(0x80, 'x'.repeat(600))]),
      1009,
    ],
  ];
  for (const [name, bytes, code] of cases) {
    assert.throws(
      () => new FrameReader(1000).push(bytes),
      (error: unknown) => error instanceof WebSocketViolation && error.code === code,
      name,
    );
  }
});
