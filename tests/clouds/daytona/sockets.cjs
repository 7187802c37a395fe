// What Daytona says over web sockets: terminals, the output of a session's command, and the events
// of sandboxes (Socket.IO, as much as a client needs that only listens).
'use strict';

const crypto = require('node:crypto');
const { WebSocketServer } = require('ws');

const { Refusal } = require('./cloud.cjs');
const { commandOf } = require('./toolbox.cjs');

const kExitControl = 'X-Daytona-Pty-Exit-Control';
const kEnvironment = 'X-Daytona-Pty-Envs~';
const kStdout = Buffer.from([1, 1, 1]);
const kStderr = Buffer.from([2, 2, 2]);

const server = new WebSocketServer({ noServer: true, handleProtocols: choose });

function choose(offered) { return offered.has(kExitControl) ? kExitControl : [...offered][0]; }

function accept(upgrade) {
  return new Promise((resolve) => server.handleUpgrade(...upgrade, (socket) => resolve(socket)));
}

// A login shell on a terminal. Without clients it stays; each client sees what comes from then on.
class Terminal {
  constructor(sandbox, { id, cols, rows, cwd, env }) {
    this.child = sandbox.box.spawn(
        ['bash', '-i', '-l'],
        { pty: { rows, cols }, workdir: cwd, env: { TERM: 'xterm-256color', ...env } });
    this.clients = new Set();
    this.view = {
      id,
      cols,
      rows,
      cwd: cwd ?? sandbox.box.home,
      envs: env,
      active: true,
      lazyStart: false,
      createdAt: new Date().toISOString()
    };
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (bytes) => this.clients.forEach((client) => this.show(client, bytes)));
    }
    this.child.once('close', (code, signal) => {
      sandbox.terminals.delete(id);
      this.ended(this.killed ? 137 : code ?? (signal ? 137 : 1));
    });
  }

  show(client, bytes) {
    client.socket.send(bytes);
    if (!client.limit) return;
    client.limit.bytes -= bytes.length;
    if (client.limit.bytes <= 0) client.limit.reached();
  }

  add(socket, limit) {
    const client = { socket, limit, control: socket.protocol === kExitControl };
    this.clients.add(client);
    socket.send(JSON.stringify({ type: 'control', status: 'connected' }));
    socket.on('message', (data) => this.child.stdin.write(data));
    socket.on('close', () => this.clients.delete(client));
  }

  ended(exitCode) {
    const exitReason = exitCode === 0 ? undefined : exitCode === 137 ? 'SIGKILL' : 'non-zero exit';
    for (const { socket, control } of this.clients) {
      if (control)
        socket.send(JSON.stringify({ type: 'control', status: 'exited', exitCode, exitReason }));
      socket.close(exitCode === 0 ? 1000 : 1011, JSON.stringify({ exitCode, exitReason }));
    }
  }

  resize({ cols, rows }) {
    Object.assign(this.view, { cols, rows });
    this.child.resize({ cols, rows });
    return this.view;
  }

  kill() {
    this.killed = true;
    this.child.killAll();
  }
}

function environmentOf(request) {
  const offered =
      (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  const encoded = offered.find((one) => one.startsWith(kEnvironment));
  return encoded ? JSON.parse(Buffer.from(encoded.slice(kEnvironment.length), 'base64url')) : {};
}

const routes = {
  'GET /process/pty/create-connect': async ({ sandbox, query, request, upgrade, limit }) => {
    if (sandbox.terminals.has(query.id))
      throw new Refusal(409, `PTY session with ID '${query.id}' already exists`, 'CONFLICT');
    const { id, cwd } = query;
    const terminal = new Terminal(sandbox, {
      id,
      cwd,
      cols: Number(query.cols),
      rows: Number(query.rows),
      env: environmentOf(request)
    });
    sandbox.terminals.set(id, terminal);
    terminal.add(await accept(upgrade), limit);
  },

  'GET /process/pty/:session/connect': async ({ sandbox, params, upgrade, limit }) => {
    const terminal = sandbox.terminals.get(params.session);
    if (!terminal) throw new Refusal(404, `PTY session ${params.session} not found`, 'NOT_FOUND');
    terminal.add(await accept(upgrade), limit);
  },

  // Both outputs in one stream, each piece after a mark.
  'GET /process/session/:session/command/:command/logs': async ({ sandbox, params, upgrade }) => {
    const command = commandOf(sandbox, params);
    const socket = await accept(upgrade);
    const gone = new Promise((resolve) => socket.once('close', resolve));
    await command.begun;
    const follow = async (output, mark) => {
      for await (const bytes of output.from(0, gone)) socket.send(Buffer.concat([mark, bytes]));
    };
    await Promise.all([follow(command.exec.stdout, kStdout), follow(command.exec.stderr, kStderr)]);
    await command.done;  // so that whoever saw the end may ask for the exit code
    socket.close(1000);
  },
};

// The stream of events: a handshake, a ping now and then, and a message per change.
class Events {
  constructor(record) {
    this.record = record;
    this.sockets = new Set();
  }

  async add(upgrade) {
    const socket = await accept(upgrade);
    socket.send(`0${JSON.stringify({
      sid: crypto.randomUUID(),
      upgrades: [],
      pingInterval: 25000,
      pingTimeout: 20000,
      maxPayload: 1e6
    })}`);
    const pings = setInterval(() => socket.send('2'), 25000);
    socket.on('message', (data) => {
      if (!String(data).startsWith('40')) return;
      socket.send(`40${JSON.stringify({ sid: crypto.randomUUID() })}`);
      this.sockets.add(socket);
      this.record('GET /socket.io');
    });
    socket.on('close', () => {
      clearInterval(pings);
      this.sockets.delete(socket);
    });
  }

  tell(view) {
    const message =
        `42${JSON.stringify(['sandbox.state.updated', { sandbox: view, newState: view.state }])}`;
    for (const socket of this.sockets) {
      socket.send(message);
      this.record(`told ${view.state}`);
    }
  }
}

module.exports = { Events, routes };
