// Drives every tool once:   node every_tool.cjs v1|v2|modern|auto stdio|http
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { connect, drive } = require('./connect.cjs');
const { startGateway, startWeb } = require('./server.cjs');

const wanted = ['terminal', 'process', 'read_file', 'write_file', 'search_files', 'patch',
  'execute_code', 'web_search', 'web_extract'];

async function checkList(server) {
  const { tools } = await server.client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [...wanted].sort());
  const openings = new Set();
  for (const tool of tools) {
    assert.ok(tool.title, tool.name);
    assert.ok(Buffer.byteLength(tool.description) < 2048, tool.name);
    assert.equal(tool.inputSchema.type, 'object');
    openings.add(tool.description.split('. ')[0]);
  }
  assert.equal(openings.size, tools.length, 'first sentences that are the same');
  assert.deepEqual((await server.client.listTools()).tools, tools);
}

async function useFiles(server) {
  const written = await server.call('write_file', { path: 'notes.txt', content: 'one\ntwo\n' });
  assert.equal(written.bytes_written, 8);
  assert.equal(fs.readFileSync('notes.txt', 'utf8'), 'one\ntwo\n');
  const read = await server.call('read_file', { path: 'notes.txt' });
  assert.match(read.content, /2\|two/);
  const found = await server.call('search_files', { pattern: 'tw.', path: '.' });
  assert.equal(found.total_count, 1);
  const change = { path: 'notes.txt', old_string: 'two', new_string: 'three' };
  assert.equal((await server.call('patch', change)).success, true);
  assert.equal(fs.readFileSync('notes.txt', 'utf8'), 'one\nthree\n');
  const missing = await server.raw('read_file', { path: 'not/there' });
  assert.equal(missing.isError, true);
}

async function useShell(server) {
  assert.equal((await server.call('terminal', { command: 'cd / && export A=b && pwd' })).output.trim(), '/');
  const state = await server.call('terminal', { command: 'echo "$PWD $A"; exit 3' });
  assert.equal(state.output.trim(), '/ b');
  assert.equal(state.exit_code, 3);
  // Another task has another shell.
  const other = await server.call('terminal', { command: 'echo "$A."', task: `other-${process.pid}` });
  assert.equal(other.output.trim(), '.');

  const yielded = await server.call('terminal', {
    command: 'echo first; read -r line < gate; echo "$line"', workdir: process.cwd(), yield_ms: 200,
  });
  assert.match(yielded.session_id, /^proc_/);
  fs.writeFileSync('gate', 'second\n');
  const ended = await server.call('process', { action: 'wait', session_id: yielded.session_id, timeout: 60 });
  assert.equal(ended.status, 'exited');
  const log = await server.call('process', { action: 'log', session_id: yielded.session_id });
  assert.match(log.output, /first[^]*second/);
}

async function useCode(server) {
  const code = 'from hermes_tools import terminal\nprint(terminal("echo nested")["output"])';
  const ran = await server.call('execute_code', { code });
  assert.equal(ran.status, 'success', JSON.stringify(ran));
  assert.match(ran.output, /nested/);
}

async function useWeb(server, web) {
  const found = await server.call('web_search', { query: 'sandals' });
  assert.equal(found.data.web[0].url, web.page);
  const read = await server.call('web_extract', { urls: [web.page] });
  assert.match(read.results[0].content, /Winged sandals/);
}

async function useErrors(server) {
  const wrong = await server.raw('terminal', { command: 7 }).catch((error) => error);
  assert.ok(wrong.isError || wrong.code === -32602, JSON.stringify(wrong));
  await assert.rejects(server.raw('no_such_tool', {}), (error) => error.code === -32602);
  const gone = await server.raw('process', { action: 'poll', session_id: 'proc_000000000000' });
  assert.equal(gone.isError, true);
}

async function useProgress(server) {
  const seen = [];
  const told = (progress) => {
    seen.push(progress.progress);
    if (seen.length === 2) fs.writeFileSync('enough', '');
  };
  const command = 'until [ -e enough ]; do echo .; sleep 0.1; done';
  const args = { command, workdir: process.cwd(), yield_ms: 0 };
  await server.call('terminal', args, { onprogress: told, timeout: 60_000 });
  assert.ok(seen.length >= 2);
  assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b), 'progress grows');
}

drive(async (kind, transport) => {
  const web = await startWeb();
  const gateway = transport === 'http' ? await startGateway(web.env) : undefined;
  try {
    const server = await connect(kind, { gateway, env: web.env });
    await checkList(server);
    // The gateway's shells begin at its own place.
    await server.call('terminal', { command: `cd '${process.cwd()}' && mkfifo gate` });
    await useFiles(server);
    await useWeb(server, web);
    await useCode(server);
    await useErrors(server);
    await useProgress(server);
    await useShell(server);
    await server.close();
  } finally {
    await gateway?.stop();
    await web.stop();
  }
});
