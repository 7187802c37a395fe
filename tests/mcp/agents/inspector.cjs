// The MCP Inspector, by its two command lines:   node inspector.cjs
'use strict';

const assert = require('node:assert/strict');
const { execFile, spawn } = require('node:child_process');
const fs = require('node:fs');
const { promisify } = require('node:util');
const { drive, eventually } = require('../clients/connect.cjs');
const { program } = require('../clients/server.cjs');

const place = `${process.env.TALARIA_CLIENT_MODULES}/@modelcontextprotocol/inspector/clients`;
const env = { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' };
const server = ['-e', `TALARIA_HOME=${process.env.TALARIA_HOME}`, '--', program, 'mcp'];

const single = (words) => [`${place}/launcher/build/index.js`, '--cli', ...words, ...server];
const kept = (words) => [`${place}/mcpdo/build/mcp-bin.js`, '--format', 'json', ...words];

async function run(words) {
  const { stdout } = await promisify(execFile)(process.execPath, words, { env, timeout: 60_000 });
  return JSON.parse(stdout);
}

const call = (args) => ['--method', 'tools/call', '--tool-name', 'terminal', ...args.flatMap((one) => ['--tool-arg', one])];

async function callTools() {
  // It fails if a schema is of a kind that some client does not understand.
  const { tools } = await run(single(['--method', 'tools/list', '--strict']));
  assert.ok(tools.some((tool) => tool.name === 'terminal'));
  for (const era of ['legacy', 'modern']) {
    const result = await run(single(['--protocol-era', era, ...call(['command=echo "in $PWD"'])]));
    assert.equal(result.structuredContent.output, `in ${process.cwd()}`);
  }
  const load = await run(single([...call(['command=echo hi']), '--load', '--load-requests', '40', '--load-concurrency', '8']));
  assert.equal(load.ok, 40, JSON.stringify(load));
}

// On one connection: a call that takes long, and a question that is answered.
async function useConnection() {
  const on = (...words) => run(kept(['--connection', 'talaria', ...words]));
  await on('connect', ...server);
  try {
    const long = await on('tools/call', 'terminal', 'command:="sleep 1; echo late"', 'yield_ms:=200');
    const id = /proc_\w+/.exec(JSON.stringify(long))[0];
    const ended = await on('tools/call', 'process', 'action:="wait"', `session_id:="${id}"`);
    assert.match(JSON.stringify(ended), /late/);

    fs.writeFileSync('asked.txt', '', { mode: 0o600 });
    const asked = await on('tools/call', 'terminal', `command:="chmod 777 ${process.cwd()}/asked.txt"`);
    assert.match(JSON.stringify(asked), /elicitationPending/);
    const form = JSON.stringify(asked);
    assert.match(form, /world\/other-writable/);
    const question = /"(?:elicitationId|id)":"([^"]+)"/.exec(form)[1];
    const answered = await on('elicitation/respond', question, 'decision:="once"');
    assert.match(JSON.stringify(answered), /"exit_code":0/);
    assert.equal(fs.statSync('asked.txt').mode & 0o777, 0o777);
  } finally {
    await promisify(execFile)(process.execPath, kept(['daemon', 'stop']), { env });
  }
}

async function interrupt() {
  const command = 'command=echo $$ > long.new && mv long.new long.pid && while :; do sleep 1; done';
  const child = spawn(process.execPath, single(call([command, 'yield_ms=0', 'timeout=500'])), { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await eventually('the long command runs', () => fs.existsSync('long.pid'));
  const pid = fs.readFileSync('long.pid', 'utf8').trim();
  child.kill('SIGINT');
  await ended;
  await eventually('the long command is gone', () => !fs.existsSync(`/proc/${pid}/exe`));
}

drive(async () => {
  await callTools();
  await useConnection();
  await interrupt();
});
