// An afternoon of an agent:   node story.cjs v1|v2|modern|auto stdio|http
// It starts a dev server, waits for its log line, edits a file, runs a test, needs an approval,
// cancels a long command, loses its MCP server in the middle and finds its processes again.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { connect, drive, eventually, isAlive } = require('./connect.cjs');
const { startGateway, talaria } = require('./server.cjs');

const site = `
import http.server
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
print("listening on %d" % server.server_port, flush=True)
server.serve_forever()
`;

const task = 'story';

async function startSite(server) {
  await server.call('write_file', { path: 'site.py', content: site, task });
  const started = await server.call('terminal', { command: 'python3 site.py', background: true, task });
  assert.match(started.session_id, /^proc_/);
  const port = await eventually('the dev server says that it listens', async () => {
    const log = await server.call('process', { action: 'log', session_id: started.session_id, task });
    return /listening on (\d+)/.exec(log.output ?? '')?.[1];
  });
  return { id: started.session_id, port };
}

async function editAndTest(server) {
  await server.call('write_file', { path: 'sum.py', content: 'def add(a, b):\n    return a - b\n', task });
  await server.call('write_file', { path: 'test.py', content: 'import sum\nassert sum.add(2, 2) == 4\n', task });
  const test = { command: 'python3 -B test.py', task };
  assert.equal((await server.call('terminal', test)).exit_code, 1);
  const mend = { path: 'sum.py', old_string: 'a - b', new_string: 'a + b', task };
  assert.equal((await server.call('patch', mend)).success, true);
  assert.equal((await server.call('terminal', test)).exit_code, 0);
}

const modeOf = (file) => fs.statSync(file).mode & 0o777;

// Somebody is asked through the client.
async function askThroughClient(server, asked) {
  assert.deepEqual(asked, [], 'nothing so far was dangerous');
  fs.writeFileSync('open.txt', '', { mode: 0o600 });
  const ran = await server.call('terminal', { command: 'chmod 777 open.txt', task });
  assert.equal(ran.exit_code, 0, JSON.stringify(ran));
  assert.equal(modeOf('open.txt'), 0o777);
  assert.equal(asked.length, 1);
  assert.match(asked[0].message, /chmod 777 open\.txt/);
}

// The client cannot ask anybody: the question waits for a person at a terminal.
async function askThroughQueue(kind, how) {
  const server = await connect(kind, how);
  fs.writeFileSync('queued.txt', '', { mode: 0o600 });
  const command = { command: 'chmod 777 queued.txt', task: 'queued' };
  const result = await server.raw('terminal', command);
  assert.equal(result.isError, true);
  const waiting = result.structuredContent;
  assert.equal(waiting.status, 'pending_approval');
  assert.match(JSON.stringify(waiting), new RegExp(`talaria approve ${waiting.approval_id}`));
  assert.equal(modeOf('queued.txt'), 0o600);
  await talaria(['approve', waiting.approval_id]);
  assert.equal((await server.call('terminal', command)).exit_code, 0);
  assert.equal(modeOf('queued.txt'), 0o777);
  await server.close();
}

async function cancelLongCommand(server) {
  const abort = new AbortController();
  const command = 'echo $$ > long.new && mv long.new long.pid && while :; do sleep 1; done';
  const call = server.raw('terminal', { command, yield_ms: 0, timeout: 500, task },
    { signal: abort.signal, timeout: 500_000 });
  call.catch(() => {});
  const pid = await eventually('the long command runs', () =>
    fs.existsSync('long.pid') && fs.readFileSync('long.pid', 'utf8').trim());
  abort.abort('enough');
  await assert.rejects(call);
  await eventually('the long command is gone', () => !isAlive(pid));
}

drive(async (kind, transport) => {
  const asked = [];
  const elicit = (params) => {
    asked.push(params);
    const field = Object.keys(params.requestedSchema.properties)[0];
    return { action: 'accept', content: { [field]: 'once' } };
  };
  let gateway = transport === 'http' ? await startGateway(process.env, { approve: true }) : undefined;
  try {
    let server = await connect(kind, { gateway, elicit });
    await server.call('terminal', { command: `cd '${process.cwd()}'`, task });
    await server.call('terminal', { command: `cd '${process.cwd()}'`, task: 'queued' });
    const dev = await startSite(server);
    await editAndTest(server);
    await askThroughClient(server, asked);
    await askThroughQueue(kind, { gateway });
    await cancelLongCommand(server);
    const page = `http://127.0.0.1:${dev.port}/sum.py`;
    assert.match(await (await fetch(page)).text(), /a \+ b/, 'the cancel was for that command alone');

    // The server is lost, and with it everything it only remembered.
    if (gateway) {
      await gateway.stop('SIGKILL');
      await server.close().catch(() => {});
      gateway = await startGateway(process.env, { port: gateway.port, token: gateway.token });
    } else {
      const pid = server.client.transport.pid;
      process.kill(pid, 'SIGKILL');
      await eventually('the server is gone', () => !isAlive(pid));
      await server.close().catch(() => {});
    }
    server = await connect(kind, { gateway, elicit });
    assert.match(await (await fetch(page)).text(), /a \+ b/);
    const poll = await server.call('process', { action: 'poll', session_id: dev.id, task });
    assert.equal(poll.status, 'running', JSON.stringify(poll));
    const listed = await server.call('process', { action: 'list', task });
    assert.ok(listed.processes.some((one) => one.session_id === dev.id), JSON.stringify(listed));
    const log = await server.call('process', { action: 'log', session_id: dev.id, task });
    assert.match(log.output, new RegExp(`listening on ${dev.port}`));
    const ended = await server.call('process', { action: 'kill', session_id: dev.id, task });
    assert.equal(ended.status, 'killed', JSON.stringify(ended));
    await assert.rejects(fetch(page));
    await server.close();
  } finally {
    await gateway?.stop();
  }
});
