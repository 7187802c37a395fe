// What a test sees of a fake cloud and does to it, over HTTP on a port of its own:
//
//   GET /log           every request so far, a JSON line each
//   GET /normal        the same in a form that two clients can be compared by
//   POST /mark         {"operation":"exec"}: the requests from here on belong to that
//   POST /faults       one or a list: {"on":"TaskExecStart","do":"error",…}; DELETE forgets them
//   POST /expire       no token given so far is good any more; of Modal's two kinds those of the
//                      {"tokens":"router"} or "account"
//   POST /vanish       {"sandbox":ID}: it is gone, as if the cloud had lost it
//   GET /sandboxes     those that are there now
//
// A fault is for the requests of the name `on` ("*" at its end: that begin so); it lets `skip` of
// them pass, then hits `times` (1). What it does: "error" (with code or status, message,
// retry_after) instead of the request; "lost": the request is carried out and then the error said;
// "cut": every connection is cut, before it is carried out, or with `bytes` once that much output
// has gone; "answer" (`status`, `body`, `location`), as something on the way might (Daytona only);
// "delay" (`seconds`); "vanish" and "expire", as above, and then the request.
'use strict';

const http = require('node:http');
const fs = require('node:fs');

const kNames = [  // what ids look like, and what the normal form calls them
  ['app', /\bap-\w+/g], ['image', /\bim-\w+/g], ['sandbox', /\bsb-\w+/g], ['task', /\bta-\w+/g],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
];
const kChanging =
    [[/\b127\.0\.0\.1:\d+/g, 'HOST'], [/(?<=[:\[,])\d{10}\.?\d*(?=[\],}])/g, '"TIME"']];

class Control {
  constructor({ logFile, hooks }) {
    this.hooks = hooks;  // expire(tokens), vanish(id), sandboxes()
    this.entries = [];
    this.faults = [];
    this.operation = '';
    this.logFile = logFile;
  }

  // One request, and what it said.
  record(method, fields, extra = {}) {
    const entry = { operation: this.operation, method, fields, ...extra };
    this.entries.push(entry);
    if (this.logFile) fs.appendFileSync(this.logFile, `${JSON.stringify(entry)}\n`);
  }

  // The fault for this request, if it is its turn.
  take(method) {
    const meant = ({ on }) =>
        (on.endsWith('*') ? method.startsWith(on.slice(0, -1)) : method === on);
    const fault = this.faults.find((one) => one.times !== 0 && meant(one));
    if (!fault) return undefined;
    if (fault.skip > 0) {
      fault.skip -= 1;
      return undefined;
    }
    fault.times = (fault.times ?? 1) - 1;
    if (fault.do === 'expire') this.hooks.expire(fault.tokens);
    return fault;
  }

  // Per operation, its requests in the order of the alphabet, each once: clients may send some at
  // the same time, and any of them again.
  normal() {
    const seen = new Map();
    const lines = [];
    const operations = [...new Set(this.entries.map((entry) => entry.operation))];
    for (const operation of operations) {
      if (operation) lines.push(`# ${operation}`);
      const said = this.entries.filter((entry) => entry.operation === operation)
        .map(({ method, fields }) => named(`${method} ${JSON.stringify(sorted(fields))}`, seen));
      lines.push(...new Set(said.sort()));
      for (const id of seen.keys()) if (seen.get(id).startsWith('uuid#')) seen.delete(id);
    }
    return `${lines.join('\n')}\n`;
  }

  async answer(request, body) {
    switch (`${request.method} ${request.url}`) {
      case 'GET /log': return this.entries.map((entry) => JSON.stringify(entry)).join('\n');
      case 'GET /normal': return this.normal();
      case 'GET /sandboxes': return JSON.stringify(this.hooks.sandboxes());
      case 'POST /mark': this.operation = body.operation; return '';
      case 'POST /faults': this.faults.push(...[body].flat()); return '';
      case 'DELETE /faults': this.faults = []; return '';
      case 'POST /expire': this.hooks.expire(body.tokens); return '';
      case 'POST /vanish': await this.hooks.vanish(body.sandbox); return '';
      default: return undefined;
    }
  }

  async listen() {
    this.server = http.createServer(async (request, response) => {
      const body = await readAll(request);
      try {
        const text = await this.answer(request, body.length ? JSON.parse(body) : {});
        response.statusCode = text === undefined ? 404 : 200;
        response.end(text);
      } catch (error) {
        response.statusCode = 400;
        response.end(`${error.message}\n`);
      }
    });
    this.server.keepAliveTimeout = 0;  // a test may have nothing to say for a while
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this.server.address().port;
  }
}

async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function isEmpty(value) {
  return value === undefined || value === null || value === '' || value === 0 || value === false ||
    (Array.isArray(value) && value.length === 0);
}

// For what does not tell an empty field from none. Bytes become their number: what they are is for
// the test of the behaviour.
function withoutEmpty(value) {
  if (Buffer.isBuffer(value)) return value.length ? { bytes: value.length } : undefined;
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).map(([name, one]) => [name, withoutEmpty(one)])
    .filter(([, one]) => !isEmpty(one));
  return Object.fromEntries(kept);
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

// Each id by its kind and its turn.
function named(line, seen) {
  for (const [pattern, word] of kChanging) line = line.replace(pattern, word);
  for (const [kind, pattern] of kNames) {
    line = line.replace(pattern, (id) => {
      if (!seen.has(id)) {
        seen.set(
            id,
            `${kind}#${[...seen.values()].filter((one) => one.startsWith(`${kind}#`)).length + 1}`);
      }
      return seen.get(id);
    });
  }
  return line;
}

const sleep = (seconds) => new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });

module.exports = { Control, readAll, sleep, withoutEmpty };
