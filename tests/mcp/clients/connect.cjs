// The official SDKs behind one face, so that every driver runs with each of them:
//   v1      @modelcontextprotocol/sdk, which knows only the era of `initialize`
//   v2      @modelcontextprotocol/client in its usual mode, which is that era, too
//   modern  the same, of 2026-07-28 and nothing else
//   auto    the same; it finds out what the server speaks
'use strict';

const fs = require('node:fs');
const { program } = require('./server.cjs');

function modulesOf(kind) {
  if (kind === 'v1') {
    return {
      ...require('@modelcontextprotocol/sdk/client/index.js'),
      ...require('@modelcontextprotocol/sdk/client/stdio.js'),
      ...require('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      ...require('@modelcontextprotocol/sdk/types.js'),
    };
  }
  return { ...require('@modelcontextprotocol/client'), ...require('@modelcontextprotocol/client/stdio') };
}

// On a machine with much else to do, a command must not be handed to the background for that.
function withPatience(name, args) {
  const yields = name === 'terminal' || name === 'execute_code';
  return yields && !args.background ? { yield_ms: 100_000, ...args } : args;
}

const modes = { v1: undefined, v2: 'legacy', modern: { pin: '2026-07-28' }, auto: 'auto' };

// `gateway`: over HTTP, else over stdio with `env` and `words` behind "mcp". `elicit`: answers
// questions; without it the client cannot be asked.
async function connect(kind, { gateway, env = process.env, words = [], elicit } = {}) {
  const modules = modulesOf(kind);
  const options = { capabilities: elicit ? { elicitation: {} } : {} };
  if (modes[kind]) options.versionNegotiation = { mode: modes[kind] };
  const client = new modules.Client({ name: `driver-${kind}`, version: '1' }, options);
  if (elicit) {
    const what = kind === 'v1' ? modules.ElicitRequestSchema : 'elicitation/create';
    client.setRequestHandler(what, (request) => elicit(request.params));
  }
  const transport = gateway
    ? new modules.StreamableHTTPClientTransport(gateway.url, {
        requestInit: { headers: { Authorization: `Bearer ${gateway.token}` } },
      })
    : new modules.StdioClientTransport({
        command: program, args: ['mcp', ...words], env, cwd: process.cwd(), stderr: 'inherit',
      });
  await client.connect(transport);
  return {
    client,
    // The whole result.
    raw: (name, args, more) => {
      const params = { name, arguments: withPatience(name, args) };
      more = { timeout: 120_000, ...more };
      return kind === 'v1' ? client.callTool(params, undefined, more) : client.callTool(params, more);
    },
    // What the tool answered; the text says the same.
    async call(name, args, more) {
      const result = await this.raw(name, args, more);
      const text = result.content.find((block) => block.type === 'text').text;
      if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(result.structuredContent)) {
        throw new Error(`${name}: the text is not the structured content: ${text}`);
      }
      return result.structuredContent;
    },
    close: () => client.close(),
  };
}

// Until `look` gives something; it is asked again and again.
async function eventually(what, look) {
  for (const begun = Date.now(); Date.now() - begun < 60_000; ) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`it never came to that: ${what}`);
}

function isAlive(pid) {
  try {
    // A zombie has no command line.
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

// Runs a driver with the words of its command line; whatever goes wrong is told and is exit code 1.
function drive(main) {
  main(...process.argv.slice(2)).then(
    () => process.exit(0),
    (error) => {
      console.error(error.stack ?? error, error.data ?? '');
      process.exit(1);
    });
}

module.exports = { connect, drive, eventually, isAlive };
