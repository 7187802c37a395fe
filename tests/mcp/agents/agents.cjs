// The agents that people use, with their own configuration in HOME and in the current directory, as
// docs/guide/mcp has it. Each is a function: where the model is -> how to start one turn of it.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { program, talaria } = require('../clients/server.cjs');

const modules = process.env.TALARIA_CLIENT_MODULES;
const home = process.env.HOME;

function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

const server = { command: program, args: ['mcp'], env: { TALARIA_HOME: process.env.TALARIA_HOME } };

// `installed`: the words behind `talaria mcp install codex`.
async function codex(url, installed = ['--approval-mode', 'approve']) {
  write(`${home}/.codex/config.toml`, `model = "scripted"
model_provider = "scripted"
[features]
plugins = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
[mcp_servers.talaria]
supports_parallel_tool_calls = true
`);
  await talaria(['mcp', 'install', 'codex', ...installed]);
  const words = [`${modules}/@openai/codex/bin/codex.js`, 'exec', '--json', '--skip-git-repo-check', 'go'];
  return { program: process.execPath, words };
}

async function opencode(url) {
  write('opencode.json', JSON.stringify({
    model: 'scripted/model',
    small_model: 'scripted/model',
    autoupdate: false,
    share: 'disabled',
    provider: { scripted: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: 'none' },
      models: { model: { tool_call: true } },
    } },
    mcp: { talaria: { type: 'local', command: [server.command, ...server.args], environment: server.env } },
  }));
  return {
    program: `${modules}/opencode-linux-x64-baseline/bin/opencode`,
    words: ['run', 'go'],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
  };
}

async function gemini(url) {
  write(`${home}/.gemini/settings.json`, JSON.stringify({
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
    mcpServers: { talaria: { ...server, trust: true } },
  }));
  return {
    program: process.execPath,
    // With a model of its choice it would first ask one which model to ask.
    words: [`${modules}/@google/gemini-cli/bundle/gemini.js`, '--model', 'gemini-2.5-flash', '--yolo', '--skip-trust', '--prompt', 'go'],
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
  };
}

module.exports = { codex, opencode, gemini };
