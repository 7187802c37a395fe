// A fake of Daytona: its API and the daemon of each sandbox, over HTTP, as a client speaks it that
// has DAYTONA_API_URL=http://127.0.0.1:PORT/api. Sandboxes are real (../fakes/box.cjs).
//
//   node fake.cjs DIR [--delay SECONDS] [--cpus N] [--toolbox-apart]
//
// Prints one line of JSON when it listens: {"url", "control", "api_key"}. A change of state takes
// the delay. With --toolbox-apart where the daemons are has to be asked for. Ends, with all its sandboxes, when its stdin does, or on SIGTERM. DIR/log has every
// request.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { parseArgs } = require('node:util');

const { whyNot } = require('../fakes/box.cjs');
const { Control, readAll, sleep } = require('../fakes/control.cjs');
const { Front } = require('../fakes/front.cjs');
const api = require('./api.cjs');
const sockets = require('./sockets.cjs');
const toolbox = require('./toolbox.cjs');
const { Cloud, Refusal } = require('./cloud.cjs');

// The route of a request, and what its words stand for; routes are "METHOD /path/:name".
function match(routes, method, name) {
  const words = name.split('/');
  for (const route of Object.keys(routes)) {
    const [verb, pattern] = route.split(' ');
    const parts = pattern.split('/');
    if (verb !== method || parts.length !== words.length) continue;
    const params = {};
    const fits = parts.every((part, index) => {
      if (!part.startsWith(':')) return part === words[index];
      params[part.slice(1)] = decodeURIComponent(words[index]);
      return true;
    });
    if (fits) return { route, params };
  }
  return undefined;
}

class Fake {
  constructor(options) {
    this.options = options;
    this.events = new sockets.Events((what) => this.control.record(what, {}));
    this.cloud = new Cloud(options, (sandbox) => this.events.tell(this.cloud.view(sandbox)));
    this.control = new Control({
      logFile: path.join(options.directory, 'log'),
      hooks: {
        expire: () => {
          this.cloud.expired = true;
        },
        vanish: (id) => this.cloud.vanish(id),
        sandboxes: () => [...this.cloud.sandboxes.values()]
                             .filter((one) => one.state !== 'destroyed')
                             .map(({ id, name, state }) => ({ id, name, state })),
      },
    });
  }

  // Which route, of which part; what it is called with but for the body.
  find(request, plain) {
    const url = new URL(request.url, 'http://fake');
    const query = Object.fromEntries(url.searchParams);
    const [, part, rest] = /^\/(api|toolbox)(\/.*)$/.exec(url.pathname) ?? [];
    const [, sandbox, below] = (part === 'toolbox' && /^\/([^/]+)(\/.*)$/.exec(rest)) || [];
    const routes = !plain ? sockets.routes : part === 'api' ? api.routes : toolbox.routes;
    const found = part && match(routes, request.method, below ?? rest);
    if (!found) throw new Refusal(404, `Cannot ${request.method} ${url.pathname}`);
    return {
      ...found,
      work: routes[found.route],
      query,
      id: sandbox ?? found.params.sandbox,
      inside: below !== undefined
    };
  }

  // Before a request is carried out: the log, the faults and who asks.
  async admit({ route, params, query, id, inside }, request, said) {
    const { sandbox: _, ...others } = params;
    const asked = Object.keys(query).length ? { query } : {};
    this.control.record(
        route, { sandbox: id, ...others, ...asked, ...said }, { headers: headersOf(request) });
    const fault = this.control.take(route);
    if (fault?.do === 'delay') await sleep(fault.seconds);
    if (fault?.do === 'vanish') await this.cloud.vanish(this.cloud.find(id).id);
    if (fault?.do === 'error' || fault?.do === 'answer') throw refusalOf(fault);
    if (fault?.do === 'cut' && !fault.bytes) {
      this.front.cut();
      throw refusalOf(fault);
    }
    if (request.headers.authorization !== `Bearer ${this.options.apiKey}` || this.cloud.expired) {
      throw new Refusal(401, 'Invalid credentials');
    }
    return { fault, sandbox: inside ? this.cloud.running(id) : undefined };
  }

  async answer(request, response) {
    const found = this.find(request, true);
    const bytes = await readAll(request);
    const type = request.headers['content-type'] ?? '';
    const form = type.startsWith('multipart/') ?
        await new Response(bytes, { headers: { 'content-type': type } }).formData() :
        undefined;
    const body = !form && bytes.length ? JSON.parse(bytes) : undefined;
    const said = form ? { form: shape(form) } : { body };
    const { fault, sandbox } = await this.admit(found, request, said);
    const result =
        await found.work({...found, cloud: this.cloud, sandbox, body: body ?? {}, form });
    if (fault?.do === 'lost') throw refusalOf(fault);
    if (result?.bytes) {
      response.writeHead(
          200, { 'Content-Type': result.type, 'Content-Length': result.bytes.length });
      response.end(result.bytes);
    } else if (result === undefined) {
      response.writeHead(204).end();
    } else {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
    }
  }

  async upgrade(request, socket, head) {
    const upgrade = [request, socket, head];
    if (request.url.startsWith('/api/socket.io/')) return this.events.add(upgrade);
    const found = this.find(request, false);
    const { fault, sandbox } = await this.admit(found, request, {});
    // A stream may be cut when so much has come.
    const limit =
        fault?.do === 'cut' ? { bytes: fault.bytes, reached: () => this.front.cut() } : undefined;
    return found.work({ ...found, sandbox, request, upgrade, limit });
  }

  async listen() {
    const server = http.createServer((request, response) => {
      this.answer(request, response).catch((error) => {
        const { status, headers, text } = said(error, request);
        if (!response.headersSent) response.writeHead(status, headers).end(text);
      });
    });
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {});
      this.upgrade(request, socket, head).catch((error) => {
        const { status, text } = said(error, request);
        socket.end(
            `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${
                Buffer.byteLength(text)}\r\n\r\n${text}`);
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.front = new Front(server.address().port);
    const port = await this.front.listen();
    this.cloud.toolboxUrl = `http://127.0.0.1:${port}/toolbox`;
    return port;
  }
}

function refusalOf(fault) {
  const refusal = new Refusal(fault.status ?? 503, fault.message ?? 'fault on demand');
  refusal.retryAfter = fault.retry_after;
  if (fault.do === 'answer') refusal.page = { text: fault.body, location: fault.location };
  return refusal;
}

// An error as the API says it, or the daemon.
function said(error, request) {
  const status = error instanceof Refusal ? error.status : 500;
  const daemon =
      error.code && error instanceof Refusal ? { code: error.code, source: 'DAYTONA_DAEMON' } : {};
  const message = error instanceof Refusal ? error.message : error.stack;
  const body = {
    statusCode: status,
    message,
    ...daemon,
    path: request.url,
    method: request.method,
    timestamp: new Date().toISOString()
  };
  const headers = { 'Content-Type': 'application/json' };
  if (error.retryAfter !== undefined) headers['Retry-After'] = String(error.retryAfter);
  if (error.page?.location) headers.Location = error.page.location;
  if (error.page) return { status, headers, text: error.page.text };
  return { status, headers, text: JSON.stringify(body) };
}

function headersOf(request) {
  const kept =
      Object.entries(request.headers)
          .filter(
              ([name]) => /^(x-daytona|user-agent|sec-websocket-protocol|content-type)/.test(name));
  return Object.fromEntries(kept);
}

function shape(form) {
  return Object.fromEntries([...form.entries()].map(
      ([name, value]) => [name, typeof value === 'string' ? value : { bytes: value.size }]));
}

async function main() {
  const why = whyNot();
  if (why) {
    process.stderr.write(`${why}\n`);
    process.exit(77);
  }
  const { values, positionals: [directory] } = parseArgs({
    allowPositionals: true,
    options: {
      delay: { type: 'string', default: '0.05' },
      cpus: { type: 'string', default: '100' },
      'toolbox-apart': { type: 'boolean', default: false }
    },
  });
  fs.mkdirSync(directory, { recursive: true });
  const options = {
    directory: path.resolve(directory),
    delay: Number(values.delay),
    cpus: Number(values.cpus),
    toolboxApart: values['toolbox-apart'],
    apiKey: `dtn_${crypto.randomBytes(12).toString('hex')}`  // tests look for it everywhere
  };
  const fake = new Fake(options);
  const port = await fake.listen();
  const controlPort = await fake.control.listen();
  const stop = async () => {
    await fake.cloud.stopAll();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.stdin.on('end', stop).on('error', stop).resume();
  const line = {
    url: `http://127.0.0.1:${port}/api`,
    control: `http://127.0.0.1:${controlPort}`,
    api_key: options.apiKey
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

main();
