// The official conformance suite against the gateway with the suite's fixtures at /mcp:
//   node conformance.cjs 2025-11-25|2026-07-28
// Exits as the suite does: 0 if all that the revision requires holds. Extensions are reported.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { drive } = require('./connect.cjs');
const { startGateway } = require('./server.cjs');

// The suite knows no tokens: what it sends passes through here and gets ours. Everything else,
// names of hosts included, arrives as it was sent.
async function startDoor(gateway) {
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${gateway.token}` };
    const { method, url } = request;
    const onward = http.request({ host: '127.0.0.1', port: gateway.port, path: url, method, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${server.address().port}/mcp`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

// What did not hold, from the files the suite leaves.
function complaints(directory) {
  const lines = [];
  for (const scenario of fs.readdirSync(directory)) {
    const file = path.join(directory, scenario, 'checks.json');
    if (!fs.existsSync(file)) continue;
    for (const check of JSON.parse(fs.readFileSync(file, 'utf8'))) {
      if (check.status !== 'FAILURE') continue;
      const details = JSON.stringify(check.details ?? {}).slice(0, 2000);
      lines.push(`${scenario}: ${check.id}: ${check.errorMessage ?? ''} ${details}`);
    }
  }
  return lines;
}

async function runSuite(url, which, results) {
  const suite = path.join(process.env.NODE_PATH, '@modelcontextprotocol/conformance/dist/index.js');
  const words = [suite, 'server', '--url', url, ...which, '-o', results, '--timeout', '60000'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (fs.existsSync(results)) console.log(complaints(results).join('\n'));
  return code;
}

drive(async (revision) => {
  const gateway = await startGateway(process.env, { server: process.env.TALARIA_MCP_CONFORMANCE });
  const door = await startDoor(gateway);
  try {
    // Some of its checks give a server no more than a second, whatever else the machine does: what
    // does not hold then may hold the next time, and what never does fails.
    const codes = [];
    do {
      const results = `results-${codes.length}`;
      codes.push(await runSuite(door.url, ['--requirements', revision], results));
    } while (codes.at(-1) !== 0 && codes.length < 3);
    if (codes.at(-1) !== 0) throw new Error(`the suite says ${codes}`);
  } finally {
    await door.stop();
    await gateway.stop();
  }
});
