// Talaria as an MCP server, for the drivers: over stdio the client starts it, over HTTP it is a
// gateway of the driver's own. And a small web server, for the tools that read the web.
'use strict';

const { spawn, execFile } = require('node:child_process');
const http = require('node:http');
const { promisify } = require('node:util');

const program = process.env.TALARIA_PROGRAM;

// Runs `talaria WORDS...` to its end; what it printed.
async function talaria(words, env = process.env) {
  const { stdout } = await promisify(execFile)(program, words, { env });
  return stdout.trim();
}

// One page, and one search that finds it.
async function startWeb() {
  const server = http.createServer((request, response) => {
    const page = `http://127.0.0.1:${server.address().port}/page`;
    if (request.url.startsWith('/search')) {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ results: [{ title: 'Sandals', url: page, content: 'winged' }] }));
    } else {
      response.setHeader('Content-Type', 'text/html');
      response.end('<title>Sandals</title><main><h1>Winged sandals</h1></main>');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  return {
    page: `${base}/page`,
    env: { ...process.env, SEARXNG_URL: base, HERMES_ALLOW_PRIVATE_URLS: 'yes' },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

// A gateway; `port` to have the one before it again, `server` for another program that is one.
async function startGateway(env, { port = 0, token, approve = false, server = program } = {}) {
  token ??= await talaria(['token', 'add', ...(approve ? ['--approve'] : []), `driver-${process.pid}`], env);
  const listen = ['serve', '--listen', `127.0.0.1:${port}`, '--log', 'errors'];
  const child = spawn(server, listen, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      text += bytes;
      const found = /listening on (\S+),/.exec(text);
      if (found) resolve(found[1]);
    });
    ended.then((code) => reject(new Error(`the gateway ended with ${code}`)));
  });
  return {
    url: new URL('/mcp', url),
    port: Number(new URL(url).port),
    token,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}

module.exports = { program, startGateway, startWeb, talaria };
