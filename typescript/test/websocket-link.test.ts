import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { acceptOf } from '../src/core/websocket.js';
import {
  BadRequest,
  ConnectionLost,
  Denied,
  Unavailable,
  type TalariaError,
} from '../src/errors.js';
import type { Link } from '../src/link/link.js';
import { openGateway, type GatewayOptions } from '../src/link/websocket.js';

const undo: (() => void)[] = [];
after(() => undo.forEach((one) => one()));

type Upgrade = (request: http.IncomingMessage, socket: Socket) => void;

async function serve(upgrade: Upgrade, server: http.Server = http.createServer()): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('upgrade', (request, socket) => upgrade(request, socket as Socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const accept: Upgrade = ({ headers }, socket) => {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${acceptOf(String(headers['sec-websocket-key']))}\r\n\r\n`,
  );
  socket.on('data', (piece) => {
    if (piece[0] === 0x88) socket.end(Buffer.from([0x88, 2, 0x03, 0xe8]));
  });
};

interface Opened {
  link: Link;
  lines: string[];
  lost: Promise<TalariaError>;
  line: () => Promise<string>;
}

async function open(url: string, options: GatewayOptions = {}): Promise<Opened> {
  const lines: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  let tell: (error: TalariaError) => void = () => {};
  const lost = new Promise<TalariaError>((resolve) => (tell = resolve));
  const link = await openGateway(
    url,
    'tal_secret',
    options,
  )({
    line: (text) => {
      lines.push(text);
      waiting.shift()?.(text);
    },
    lost: (error) => tell(error),
  });
  const line = () => new Promise<string>((resolve) => waiting.push(resolve));
  return { link, lines, lost, line };
}

test('the request names the protocol and carries the token', async () => {
  let seen: http.IncomingMessage | undefined;
  const url = await serve((request, socket) => {
    seen = request;
    accept(request, socket);
  });
  const { link } = await open(`${url}/prefix/`, { headers: { 'X-Proxy': 'yes' } });
  assert.equal(seen?.url, '/prefix/v1/lines');
  assert.equal(seen?.headers.authorization, 'Bearer tal_secret');
  assert.equal(seen?.headers['sec-websocket-protocol'], 'talaria.lines.1');
  assert.equal(seen?.headers['x-proxy'], 'yes');
  await link.close();
});

test('a message in the same packet as the handshake is not lost', async () => {
  const url = await serve((request, socket) => {
    socket.cork();
    accept(request, socket);
    socket.write(Buffer.from([0x81, 2, 0x7b, 0x7d]));
    socket.uncork();
  });
  const { link, lines, line } = await open(url);
  if (lines.length === 0) await line();
  assert.deepEqual(lines, ['{}']);
  await link.close();
});

test('pings are answered, and what is sent is masked', async () => {
  const received: Buffer[] = [];
  const url = await serve((request, socket) => {
    accept(request, socket);
    socket.on('data', (piece) => {
      received.push(piece);
      if (received.length === 1) socket.write(Buffer.from([0x81, 2, 0x6f, 0x6b]));
    });
    socket.write(Buffer.from([0x89, 1, 0x78]));
  });
  const { link, line } = await open(url);
  assert.equal(await line(), 'ok');
  const frame = Buffer.concat(received);
  assert.equal(frame[0], 0x8a);
  assert.equal(frame[1], 0x81);
  assert.equal((frame[6] ?? 0) ^ (frame[2] ?? 0), 0x78);
  await link.close();
});

test('a gateway that refuses says why', async () => {
  const cases = [
    {
      status: 401,
      body: '{"error":"no such token"}',
      type: Denied,
      text: /HTTP 401: no such token/,
    },
    { status: 404, body: 'nothing here', type: Unavailable, text: /HTTP 404: nothing here/ },
    { status: 503, body: '', type: Unavailable, text: /HTTP 503$/ },
  ];
  for (const { status, body, type, text } of cases) {
    const url = await serve((_, socket) =>
      socket.end(
        `HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      ),
    );
    await assert.rejects(
      open(url),
      (error: unknown) => error instanceof type && text.test(error.message),
      String(status),
    );
  }
});

test('what is not a gateway is unavailable', async () => {
  const wrong = await serve((_, socket) =>
    socket.write(
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: no\r\n\r\n',
    ),
  );
  await assert.rejects(open(wrong), /handshake is invalid/);
  await assert.rejects(open('http://127.0.0.1:1'), Unavailable);
  const silent = await serve(() => {});
  await assert.rejects(open(silent, { connectTimeout: 0.2 }), /no answer within 0.2 s/);
  assert.throws(() => openGateway('ftp://host', 't', {}), BadRequest);
  assert.throws(() => openGateway('nonsense', 't', {}), BadRequest);
});

test('a connection that ends is lost, with the reason', async () => {
  const endings: [string, (socket: Socket) => void, RegExp][] = [
    ['closed', (socket) => socket.end(), /connection was closed/],
    [
      'close frame',
      (socket) => socket.write(Buffer.from([0x88, 5, 0x03, 0xe9, 0x62, 0x79, 0x65])),
      /1001 bye/,
    ],
    ['garbage', (socket) => socket.write(Buffer.from([0x82, 0])), /broke the protocol/],
  ];
  for (const [name, end, text] of endings) {
    const url = await serve((request, socket) => {
      accept(request, socket);
      end(socket);
    });
    const { lost } = await open(url);
    const error = await lost;
    assert.ok(error instanceof ConnectionLost, name);
    assert.match(error.message, text);
  }
});

test('a connection that was closed here is not lost', async () => {
  const closes: number[] = [];
  const url = await serve((request, socket) => {
    accept(request, socket);
    socket.on('data', (piece) => closes.push(piece[0] ?? 0));
  });
  const { link, lost } = await open(url);
  let told = false;
  void lost.then(() => (told = true));
  await link.close();
  assert.deepEqual(closes, [0x88]);
  assert.equal(told, false);
});

test('https needs a certificate that is trusted', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'talaria-tls-'));
  undo.push(() => rmSync(directory, { recursive: true }));
  const [key, cert] = [path.join(directory, 'key'), path.join(directory, 'cert')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    '-days',
    '2',
    ...subject,
  ];
  execFileSync('openssl', made, { stdio: 'ignore' });
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) });
  const url = (await serve(accept, server)).replace('http:', 'https:');
  await assert.rejects(open(url), /self-signed certificate/);
  const { link } = await open(url, { tls: { ca: readFileSync(cert) } });
  await link.close();
});
