// The MCP client of Vercel's AI SDK:   node vercel.cjs stdio|http
// It sends no cancel when a call is given up, and may leave the connection open even when it is
// closed. What it gave up ends by the `timeout` of the call, or with the program that called.
'use strict';

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const { promisify } = require('node:util');
const { createMCPClient } = require('@ai-sdk/mcp');
const { Experimental_StdioMCPTransport: Stdio } = require('@ai-sdk/mcp/mcp-stdio');
const { drive, eventually, isAlive } = require('./connect.cjs');
const { program, startGateway } = require('./server.cjs');

const connect = (gateway) =>
  createMCPClient({
    transport: gateway
      ? { type: 'http', url: gateway.url.href, headers: { Authorization: `Bearer ${gateway.token}` } }
      : new Stdio({ command: program, args: ['mcp'], env: process.env }),
  });

const here = process.cwd();

// The result of a tool, as a model gets it.
async function call(tools, name, args, abortSignal) {
  const options = { toolCallId: `${name}-1`, messages: [], abortSignal };
  const result = await tools[name].execute(args, options);
  return JSON.parse(result.content.find((block) => block.type === 'text').text);
}

// Starts a command that would run for minutes and gives it up; the process that runs it.
async function giveUp(tools, name, timeout) {
  const abort = new AbortController();
  const command = `cd '${here}' && echo $$ > ${name}.new && mv ${name}.new ${name}.pid && sleep 300`;
  const given = call(tools, 'terminal', { command, timeout, yield_ms: 0, task: name }, abort.signal);
  given.catch(() => {});
  const pid = await eventually('the command runs', () =>
    fs.existsSync(`${name}.pid`) && fs.readFileSync(`${name}.pid`, 'utf8').trim());
  abort.abort();
  await assert.rejects(given);
  return pid;
}

// A program that ends in the middle of a call.
async function leave(url, token) {
  const client = await connect(url && { url: new URL(url), token });
  await giveUp(await client.tools(), 'left', 500);
}

drive(async (transport, ...gatewayOf) => {
  if (transport === 'leave') return leave(...gatewayOf);
  const gateway = transport === 'http' ? await startGateway(process.env) : undefined;
  try {
    const client = await connect(gateway);
    const tools = await client.tools();
    assert.ok(tools.terminal && tools.process && tools.read_file, Object.keys(tools).join(' '));
    assert.equal((await call(tools, 'terminal', { command: 'echo $((6 * 7))' })).output, '42');
    assert.equal((await call(tools, 'write_file', { path: `${here}/a.txt`, content: 'one\n' })).error, undefined);
    assert.match((await call(tools, 'read_file', { path: `${here}/a.txt` })).content, /one/);

    const limited = await giveUp(tools, 'limited', 3);
    await eventually('a call that was given up ends by its timeout', () => !isAlive(limited));
    assert.equal((await call(tools, 'terminal', { command: 'echo still' })).output, 'still');

    await client.close();

    const words = [__filename, 'leave', ...(gateway ? [gateway.url.href, gateway.token] : [])];
    await promisify(execFile)(process.execPath, words);
    const left = fs.readFileSync('left.pid', 'utf8').trim();
    await eventually('a call ends with the program that called', () => !isAlive(left));
  } finally {
    await gateway?.stop();
  }
});
