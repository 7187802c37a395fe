// What /mcp does with requests no official client would send, and who sees what:
//   node http_rules.cjs
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const { drive, eventually } = require('./connect.cjs');
const { startGateway, talaria } = require('./server.cjs');

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const accept = 'application/json, text/event-stream';

// One request; `headers` that are undefined are left out. `started` is called with the request once
// the head of its answer is there.
function ask(gateway, { method = 'POST', path = '/mcp', headers = {}, body, token, started }) {
  const all = { 'Content-Type': 'application/json', Accept: accept, Authorization: `Bearer ${token ?? gateway.token}`, ...headers };
  for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: gateway.port, path, method, headers: all });
    request.on('response', (answer) => {
      let text = '';
      answer.on('data', (bytes) => (text += bytes));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
      answer.on('error', reject);
      started?.(request);
    });
    request.on('error', reject);
    request.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}

// A session refuses the id of a request that it has not finished, and it may finish a moment after
// the client has the answer.
let nextId = 1000;
const message = (method, params = {}, id = nextId++) => ({ jsonrpc: '2.0', id, method, params });

// The answer in it: plain, or the last of its events.
function answerIn(response) {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return JSON.parse(response.text);
  const events = response.text.split('\n').filter((line) => line.startsWith('data: '));
  return JSON.parse(events.at(-1).slice('data: '.length));
}

async function initialize(gateway, token, capabilities = {}) {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } };
  const answer = await ask(gateway, { body: message('initialize', params), token });
  assert.equal(answer.status, 200);
  assert.equal(answerIn(answer).result.protocolVersion, '2025-11-25');
  return answer.headers['mcp-session-id'];
}

// A call of a tool as 2026-07-28 has it.
const modernCall = (name, args, id) => ({
  headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  body: message('tools/call', { name, arguments: args, _meta: meta }, id),
});

async function callModern(gateway, token, name, args) {
  const answer = await ask(gateway, { ...modernCall(name, args), token });
  assert.equal(answer.status, 200, answer.text);
  return answerIn(answer).result.structuredContent;
}

async function checkDoor(gateway) {
  const list = message('tools/list');
  const none = await ask(gateway, { body: list, headers: { Authorization: undefined } });
  assert.equal(none.status, 401);
  const where = /resource_metadata="([^"]+)"/.exec(none.headers['www-authenticate'])[1];
  assert.equal(where, `http://127.0.0.1:${gateway.port}/.well-known/oauth-protected-resource/mcp`);
  const described = await ask(gateway, { method: 'GET', path: new URL(where).pathname, headers: { Authorization: undefined } });
  assert.equal(JSON.parse(described.text).resource, gateway.url.href);
  assert.equal((await ask(gateway, { body: list, token: 'tal_wrong' })).status, 401);
  assert.equal((await ask(gateway, { body: list, headers: { Origin: 'https://example.org' } })).status, 403);
  assert.equal((await ask(gateway, { body: list, headers: { Origin: 'null' } })).status, 403);
  assert.equal((await ask(gateway, { body: list, headers: { Host: 'example.org' } })).status, 403);
  const get = await ask(gateway, { method: 'GET' });
  assert.equal(get.status, 405);
  assert.equal(get.headers.allow, 'POST, DELETE');
  assert.equal((await ask(gateway, { body: list, headers: { 'Content-Type': 'text/plain' } })).status, 415);
  const broken = await ask(gateway, { body: '{"jsonrpc":' });
  assert.equal(broken.status, 400);
  assert.equal(answerIn(broken).error.code, -32700);
}

async function checkSessions(gateway, other) {
  const session = await initialize(gateway);
  const headers = { 'Mcp-Session-Id': session };
  const told = await ask(gateway, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  assert.equal(told.status, 202);
  assert.equal(told.text, '');
  assert.ok(answerIn(await ask(gateway, { headers, body: message('tools/list') })).result.tools.length > 0);
  assert.equal((await ask(gateway, { body: message('tools/list') })).status, 400);
  const stolen = await ask(gateway, { headers, body: message('tools/list'), token: other });
  assert.equal(stolen.status, 404, 'the session of somebody else');
  assert.equal((await ask(gateway, { method: 'DELETE', headers, token: other })).status, 404);
  assert.equal((await ask(gateway, { method: 'DELETE', headers })).status, 204);
  assert.equal((await ask(gateway, { headers, body: message('tools/list') })).status, 404);
}

async function checkHeaders(gateway) {
  const version = { 'MCP-Protocol-Version': '2026-07-28' };
  const unnamed = await ask(gateway, { headers: version, body: message('tools/list', { _meta: meta }) });
  assert.equal(unnamed.status, 400);
  assert.equal(answerIn(unnamed).error.code, -32020);
  const unknown = await ask(gateway, {
    headers: { ...version, 'Mcp-Method': 'no/such' }, body: message('no/such', { _meta: meta }),
  });
  assert.equal(unknown.status, 404);
  assert.equal(answerIn(unknown).error.code, -32601);
  const future = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
  const refused = await ask(gateway, {
    headers: { 'MCP-Protocol-Version': '2031-01-01', 'Mcp-Method': 'tools/list' },
    body: message('tools/list', { _meta: future }),
  });
  assert.equal(refused.status, 400);
  assert.equal(answerIn(refused).error.code, -32022);
}

// Neither shells nor processes are seen by the token of somebody else.
async function checkTenants(gateway, other) {
  await callModern(gateway, undefined, 'terminal', { command: 'export MINE=1', task: 'shared' });
  const own = await callModern(gateway, undefined, 'terminal', { command: 'echo "[$MINE]"', task: 'shared' });
  assert.equal(own.output.trim(), '[1]');
  const theirs = await callModern(gateway, other, 'terminal', { command: 'echo "[$MINE]"', task: 'shared' });
  assert.equal(theirs.output.trim(), '[]');
  const started = await callModern(gateway, undefined, 'terminal', { command: 'sleep 1000', background: true });
  const id = started.session_id;
  const list = async (token) => (await callModern(gateway, token, 'process', { action: 'list' })).processes;
  assert.ok((await list()).some((one) => one.session_id === id));
  assert.deepEqual(await list(other), []);
  for (const action of ['poll', 'log', 'kill']) {
    const answer = await callModern(gateway, other, 'process', { action, session_id: id });
    assert.equal(answer.status, 'not_found', action);
  }
  const ended = await callModern(gateway, undefined, 'process', { action: 'kill', session_id: id });
  assert.equal(ended.status, 'killed');
}

// A script that takes long is found again by a later request, of its owner alone.
async function checkKeptScripts(gateway, other) {
  const ready = `${process.cwd()}/script.ready`;
  const code = `import os, time\nwhile not os.path.exists(${JSON.stringify(ready)}): time.sleep(0.02)\nprint("done")`;
  const kept = await callModern(gateway, undefined, 'execute_code', { code, yield_ms: 200 });
  assert.equal(kept.status, 'running', JSON.stringify(kept));
  const wait = { action: 'wait', session_id: kept.session_id, timeout: 60 };
  assert.equal((await callModern(gateway, other, 'process', wait)).status, 'not_found');
  fs.writeFileSync(ready, '');
  const ended = await callModern(gateway, undefined, 'process', wait);
  assert.equal(ended.status, 'success', JSON.stringify(ended));
  assert.match(ended.output, /done/);
}

// The end of a process is at the head of a later result, of its own user only.
async function checkNotices(gateway, other) {
  const headers = { 'Mcp-Session-Id': await initialize(gateway) };
  const callLegacy = async (args) => {
    const body = message('tools/call', { name: 'terminal', arguments: args });
    return answerIn(await ask(gateway, { headers, body })).result.structuredContent;
  };
  for (const call of [callLegacy, (args) => callModern(gateway, undefined, 'terminal', args)]) {
    const { session_id: id } = await call({ command: 'exit 7', background: true, notify_on_complete: true });
    const notices = await eventually('the end is reported', async () => {
      assert.equal((await callModern(gateway, other, 'terminal', { command: 'true' })).notices, undefined);
      return (await call({ command: 'true' })).notices;
    });
    assert.match(notices[0], new RegExp(`${id} exited \\(exit code 7\\)`));
  }
}

// A token that may not answer questions is not asked any.
async function checkQuestions(gateway, approver) {
  fs.writeFileSync('asked.txt', '', { mode: 0o600 });
  const args = { command: `chmod 777 '${process.cwd()}/asked.txt'` };
  const withForms = (token) => {
    const call = modernCall('terminal', args);
    call.body.params._meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    return ask(gateway, { ...call, token }).then((answer) => answerIn(answer).result);
  };
  const refused = await withForms();
  assert.equal(refused.structuredContent.status, 'pending_approval');
  const asked = await withForms(approver);
  assert.equal(asked.resultType, 'input_required');
  assert.equal(fs.statSync('asked.txt').mode & 0o777, 0o600);
}

// A session is its token's: another one of the same user, which may not answer, has no use of it.
async function checkSessionOfAnotherToken(gateway, approver) {
  const plain = await talaria(['token', 'add', '--user', 'approver', 'plain']);
  const headers = { 'Mcp-Session-Id': await initialize(gateway, approver, { elicitation: {} }) };
  assert.equal((await ask(gateway, { headers, body: message('tools/list'), token: plain })).status, 404);
  assert.equal((await ask(gateway, { method: 'DELETE', headers, token: plain })).status, 404);
  assert.equal((await ask(gateway, { method: 'DELETE', headers, token: approver })).status, 204);
}

// Before 2026-07-28: a cancel ends the stream of its request, whatever number its id is; who takes
// no stream is not asked by one, and told when the session ends under a call.
async function checkLegacyRequests(gateway, approver) {
  const token = approver;
  const headers = { 'Mcp-Session-Id': await initialize(gateway, approver, { elicitation: {} }) };
  const call = (args, id) => message('tools/call', { name: 'terminal', arguments: args }, id);
  const marked = (name) => ({ command: `touch '${process.cwd()}/${name}'; sleep 1000`, yield_ms: 0 });
  const runs = (name) => eventually(`${name} runs`, () => fs.existsSync(name));
  const stream = ask(gateway, { headers, token, body: call(marked('legacy.stream'), 1.5) });
  await runs('legacy.stream');
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1.5 } };
  assert.equal((await ask(gateway, { headers, token, body: cancel })).status, 202);
  assert.equal((await stream).status, 200);

  const plain = { ...headers, Accept: 'application/json' };
  const command = `chmod 777 '${process.cwd()}/asked.txt'`;
  const pending = answerIn(await ask(gateway, { headers: plain, token, body: call({ command }, 2) }));
  assert.equal(pending.result.structuredContent.status, 'pending_approval');
  const lost = ask(gateway, { headers: plain, token, body: call(marked('legacy.plain'), 3) });
  await runs('legacy.plain');
  assert.equal((await ask(gateway, { method: 'DELETE', headers, token })).status, 204);
  const ended = await lost;
  assert.equal(ended.status, 404);
  assert.equal(answerIn(ended).id, 3);
}

// Whoever closes the stream of a request does not want it any more.
async function checkClosedStream(gateway) {
  const command = `cd '${process.cwd()}' && echo $$ > closed.new && mv closed.new closed.pid && while :; do sleep 1; done`;
  const call = modernCall('terminal', { command, yield_ms: 0, timeout: 500 });
  let request;
  const lost = ask(gateway, { ...call, started: (one) => (request = one) }).catch(() => 'lost');
  const pid = await eventually('the command runs', () => fs.existsSync('closed.pid') && fs.readFileSync('closed.pid', 'utf8').trim());
  await eventually('the answer has begun', () => request);
  request.destroy();
  assert.equal(await lost, 'lost');
  await eventually('the command has ended', () => !fs.existsSync(`/proc/${pid}/exe`) || fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '');
}

// A call whose stream the client closes while it runs. Undefined: it was answered before that.
async function abandon(gateway, headers, name, args, file) {
  let request;
  const body = message('tools/call', { name, arguments: args });
  const answer = ask(gateway, { headers, body, started: (one) => (request = one) }).catch(() => 'lost');
  let answered = false;
  answer.then(() => (answered = true));
  const printed = () => fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  await eventually(`${name} runs`, () => answered || (printed() && request));
  if (!answered) request.destroy();
  const came = await answer;
  if (came === 'lost') return printed();
  const handle = answerIn(came).result.structuredContent.session_id;
  assert.ok(handle, `${name} ended`);
  const kill = message('tools/call', { name: 'process', arguments: { action: 'kill', session_id: handle } });
  await ask(gateway, { headers, body: kill });
  return undefined;
}

// Before 2026-07-28 that cancels nothing: the call continues within its own limits. What it would
// leave in the background, where no client knows it, is ended. A loaded machine takes seconds to
// start a Python: then the call is answered before it can be abandoned, and the next may take longer.
async function checkAbandonedCall(gateway) {
  const headers = { 'Mcp-Session-Id': await initialize(gateway) };
  const calls = (file) => [
    ['terminal', { command: `echo $$ > '${file}'; sleep 500` }],
    ['execute_code', { code: `import os, time\nopen('${file}', 'w').write(str(os.getpid()))\ntime.sleep(500)` }],
  ];
  for (const which of [0, 1]) {
    let pid;
    for (let patience = 3_000; !pid && patience < 60_000; patience *= 2) {
      const file = `${process.cwd()}/abandoned.${which}.${patience}`;
      const [name, args] = calls(file)[which];
      pid = await abandon(gateway, headers, name, { ...args, yield_ms: patience }, file);
    }
    assert.ok(pid, 'every call was answered before it could be abandoned');
    await eventually('it has ended', () => !fs.existsSync(`/proc/${pid}/exe`) || fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '');
  }
}

drive(async () => {
  const gateway = await startGateway(process.env);
  try {
    const other = await talaria(['token', 'add', 'other']);
    const approver = await talaria(['token', 'add', '--approve', 'approver']);
    await checkDoor(gateway);
    await checkSessions(gateway, other);
    await checkHeaders(gateway);
    await checkTenants(gateway, other);
    await checkKeptScripts(gateway, other);
    await checkNotices(gateway, other);
    await checkQuestions(gateway, approver);
    await checkSessionOfAnotherToken(gateway, approver);
    await checkLegacyRequests(gateway, approver);
    await checkClosedStream(gateway);
    await checkAbandonedCall(gateway);
  } finally {
    await gateway.stop();
  }
});
