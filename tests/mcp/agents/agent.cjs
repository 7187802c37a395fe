// A real agent with a scripted model:   node agent.cjs codex|opencode|gemini
// It calls a tool, makes two calls at the same time, waits for a long one, is notified of an end,
// needs an approval, and is interrupted in a call.
'use strict';

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { drive, eventually } = require('../clients/connect.cjs');
const { talaria } = require('../clients/server.cjs');
const agents = require('./agents.cjs');
const { startModel } = require('./model.cjs');

const terminal = (args) => ({ tool: 'terminal', args });
// Agents wrap what a tool answered, some of them as JSON in JSON.
const plain = (text) => (text ?? 'no result').replaceAll('\\', '');
const found = (text, pattern) => {
  const match = pattern.exec(plain(text));
  assert.ok(match, `${pattern} is not in ${text}`);
  return match[1];
};

// To all processes of the agent, as a terminal does.
function signal(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch {
    // It has ended.
  }
}

// One turn of the agent, with a model that plays `script`. `meanwhile` gets its process.
async function turn(agent, script, { words, meanwhile = () => {} } = {}) {
  const model = await startModel(script);
  const how = await agent(model.url, words);
  const env = { ...process.env, ...how.env };
  const child = spawn(how.program, how.words, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const limit = setTimeout(() => signal(child, 'SIGKILL'), 100_000);
  try {
    await meanwhile(child);
    const code = await ended;
    if (model.problem) throw model.problem;
    return { code, output, results: model.results };
  } finally {
    clearTimeout(limit);
    signal(child, 'SIGKILL');
    model.stop();
  }
}

const waits = (own, other) => terminal({ command: `touch ${own}; until [ -e ${other} ]; do sleep 0.05; done; echo "met ${other}"` });
const dangerous = terminal({ command: 'chmod 777 asked.txt' });
const isOpen = () => (fs.statSync('asked.txt').mode & 0o777) === 0o777;

const story = [
  { calls: [terminal({ command: 'echo "called in $PWD"' })] },
  { calls: [waits('one', 'two'), waits('two', 'one')] },
  { calls: [terminal({ command: 'echo early; until [ -e go ]; do sleep 0.05; done; echo "then late"', yield_ms: 300 })] },
  (results) => {
    fs.writeFileSync('go', '');
    const id = found(results[3], /"session_id":"(proc_\w+)"/);
    return { calls: [{ tool: 'process', args: { action: 'wait', session_id: id } }] };
  },
  { calls: [terminal({ command: 'exit 7', background: true, notify_on_complete: true })] },
  { calls: [terminal({ command: 'sleep 1' })] },
  { calls: [{ tool: 'read_file', args: { path: 'asked.txt' } }] },
  { calls: [dangerous] },
  async (results) => {
    assert.equal(isOpen(), false);
    await talaria(['approve', found(results[8], /"approval_id":"(appr_\w+)"/)]);
    return { calls: [dangerous] };
  },
  { text: 'finished' },
];

async function tellStory(agent) {
  fs.writeFileSync('asked.txt', 'asked\n', { mode: 0o600 });
  const { code, output, results } = await turn(agent, story);
  assert.equal(code, 0, output);
  assert.equal(results.length, 10, output);
  found(results[0], new RegExp(`(called in ${process.cwd()})`));
  found(results[1], /(met two)/);
  found(results[2], /(met one)/);
  found(results[4], /(then late)/);
  found(results[5] + results[6] + results[7], /(IMPORTANT: Background process proc_\w+ exited \(exit code 7\))/);
  found(results[7], /(asked)/);
  found(results[8], /("status":"pending_approval")/);
  found(results[9], /("exit_code":0)/);
  assert.ok(isOpen());
}

const isAlive = (pid) => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
};

// Ctrl-C: the command ends, however the agent says so.
async function interrupt(agent) {
  const command = 'echo $$ > long.new && mv long.new long.pid && while :; do sleep 1; done';
  const script = [{ calls: [terminal({ command, yield_ms: 0, timeout: 500 })] }];
  const meanwhile = async (child) => {
    await eventually('the long command runs', () => fs.existsSync('long.pid'));
    signal(child, 'SIGINT');
  };
  await turn(agent, script, { meanwhile });
  const pid = fs.readFileSync('long.pid', 'utf8').trim();
  await eventually('the long command is gone', () => !isAlive(pid));
}

// `codex exec` refuses what it would ask about, unless the installer was told otherwise.
async function refuse(agent) {
  const script = [{ calls: [terminal({ command: 'touch refused' })] }, { text: 'finished' }];
  const { results } = await turn(agent, script, { words: [] });
  found(results[0], /(requires approval, but approval policy is never)/);
  assert.ok(!fs.existsSync('refused'));
}

drive(async (name) => {
  const agent = agents[name];
  if (name === 'codex') await refuse(agent);
  await tellStory(agent);
  await interrupt(agent);
});
