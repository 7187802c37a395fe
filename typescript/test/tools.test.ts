import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Interrupted, type ToolContext } from '../src/index.js';
import { pidIn, isAlive, World } from './support/world.js';

const world = new World();
const t = world.client({ cwd: world.work });

test('schemas have the forms of the vendors', async () => {
  const tools = await t.tools();
  assert.ok(
    ['terminal', 'process', 'read_file', 'patch', 'execute_code'].every((name) =>
      tools.names.includes(name),
    ),
  );
  const [terminal] = (await t.tools({ only: ['terminal'] })).schemas;
  assert.equal(terminal?.name, 'terminal');
  assert.ok(terminal && terminal.description.length > 50);
  assert.deepEqual((terminal?.parameters['required'] as string[]).includes('command'), true);
});

test('calls of a model are run, and answered with their results', async () => {
  const tools = await t.tools();
  const call = (id: string, name: string, args: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  const answers = await tools.answer({
    tool_calls: [
      call('a', 'terminal', '{"command":"echo hi"}'),
      call('b', 'terminal', '{"command":'),
      call('c', 'no_such_tool', '{}'),
      call('d', 'read_file', '{"path":"none.txt"}'),
    ],
  });
  const results = answers.map(({ tool_call_id, content }) => [tool_call_id, JSON.parse(content)]);
  assert.deepEqual(
    results.map(([id]) => id),
    ['a', 'b', 'c', 'd'],
  );
  assert.equal(results[0]?.[1].output, 'hi');
  assert.match(results[1]?.[1].error, /not valid JSON/);
  assert.match(results[2]?.[1].error, /unknown tool 'no_such_tool'/);
  assert.match(results[3]?.[1].error, /not found/i);
});

test('a call that is cancelled is thrown, and what it started has ended', async () => {
  const tools = await t.tools();
  const file = world.path('tool.pid');
  const abort = new AbortController();
  const calling = tools.call(
    'terminal',
    { command: `sh -c 'echo $$ > ${file}; sleep 600'` },
    { signal: abort.signal },
  );
  const pid = await pidIn(file);
  abort.abort();
  await assert.rejects(calling, Interrupted);
  assert.equal(isAlive(pid), false);
});

test('a tool call gives back what the tool reports, errors included', async () => {
  assert.equal((await t.tool('terminal', { command: 'exit 3' }))['exit_code'], 3);
  assert.match(String((await t.tool('read_file', { path: 'none.txt' }))['error']), /not found/i);
});

const functions = {
  add: {
    description: 'Add two numbers',
    parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    execute: async ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
  },
  fail: () => {
    throw new RangeError('too far');
  },
  nothing: () => undefined,
};

test('functions of the agent are tools for its model', async () => {
  const tools = await t.tools({ only: ['terminal'], functions });
  assert.deepEqual(tools.names, ['terminal', 'add', 'fail', 'nothing']);
  assert.deepEqual(await tools.call('add', { a: 1, b: 2 }), { sum: 3 });
  assert.deepEqual(await tools.call('fail', {}), { error: 'fail: RangeError: too far' });
  assert.deepEqual(await tools.call('nothing', {}), { result: null });
});

test('a script calls tools, and functions of the agent', async () => {
  const script = `
import hermes_tools
print(hermes_tools.terminal("echo from the target")["output"])
print(hermes_tools.add(a=20, b=22)["sum"])
print(hermes_tools.fail()["error"])
print(hermes_tools.nothing())
`;
  const result = await t.code(script, { tools: functions });
  assert.equal(result.error, undefined);
  assert.ok(result.ok);
  assert.match(result.output, /^from the target\n42\n.*too far.*\nNone\n$/);
  assert.equal(result.toolCalls, 4);
});

test('each script has its own functions, also at the same time', async () => {
  const script = 'import hermes_tools\nprint(hermes_tools.who()["name"])\n';
  const results = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      t.task(name).code(script, { tools: { who: () => ({ name }) } }),
    ),
  );
  assert.deepEqual(
    results.map(({ output }) => output),
    ['one\n', 'two\n', 'three\n'],
  );
  const without = await t.code(script);
  assert.equal(without.ok, false);
});

test('builtin limits which tools a script may call', async () => {
  const result = await t.code('from hermes_tools import terminal\nprint(terminal("echo hi"))', {
    builtin: ['read_file'],
  });
  assert.equal(result.ok, false);
});

test('a script that is cancelled ends, and its functions are aborted', async () => {
  const file = world.path('script.pid');
  const abort = new AbortController();
  let aborted = false;
  let called = () => {};
  const calling = new Promise<void>((resolve) => (called = resolve));
  const script = `import os, hermes_tools\nopen(${JSON.stringify(file)}, "w").write(str(os.getpid()))\nhermes_tools.wait()\n`;
  const wait = (_: unknown, { signal }: ToolContext) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve((aborted = true)));
      called();
    });
  const running = t.code(script, { signal: abort.signal, tools: { wait } });
  const pid = await pidIn(file);
  await calling;
  abort.abort();
  await assert.rejects(running, Interrupted);
  assert.equal(isAlive(pid), false);
  assert.equal(aborted, true);
});

test('what was read is shown again after the context was shortened', async () => {
  await t.files.write('read.txt', 'text\n');
  const read = async () => JSON.stringify(await t.tool('read_file', { path: 'read.txt' }));
  assert.match(await read(), /1\|text/);
  assert.match(await read(), /unchanged/);
  await t.forgetReads();
  assert.match(await read(), /1\|text/);
});
