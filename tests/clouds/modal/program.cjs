// talaria-modal as a test runs it: by its words, with the fake's account in its environment.
'use strict';

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { spawn } = require('node:child_process');

// What a test creates unless it says otherwise; the same as modal_sdk.cjs does.
const kSandbox = {
  app: 'hermes-agent',
  image: { layers: [['FROM debian:bookworm-slim'], ['RUN true', 'ENV LAYER=yes']] },
  command: ['sleep', 'infinity'],
  cpu: 1,
  memory_mb: 5120,
  timeout_s: 3600,
};

const execWords = (sandbox, words) => ['exec', '--sandbox', sandbox, '--', ...words];

class Program {
  constructor(path, fake, variables = {}) {
    this.path = path;
    this.said = '';  // on standard error, by all of them
    this.variables = {
      PATH: process.env.PATH,
      MODAL_SERVER_URL: fake.url,
      MODAL_TOKEN_ID: fake.token_id,
      MODAL_TOKEN_SECRET: fake.token_secret,
      ...variables,
    };
  }

  // `ended` of it is how it ends: [code, signal].
  start(words) {
    const child = spawn(this.path, words, { env: this.variables });
    child.ended = once(child, 'exit');
    return child;
  }

  // To its end; {code, signal, stdout, stderr}, with the outputs as bytes.
  async run(words, input = '') {
    const child = this.start(words);
    const outputs = [child.stdout, child.stderr].map((stream) => stream.toArray());
    child.stdin.on('error', () => {});  // it need not take it
    child.stdin.end(input);
    const [code, signal] = await child.ended;
    const [stdout, stderr] = (await Promise.all(outputs)).map((chunks) => Buffer.concat(chunks));
    this.said += stderr;
    return { code, signal, stdout, stderr };
  }

  // The answer of a verb that succeeds.
  async ask(words, input) {
    const done = await this.run(words, input && JSON.stringify(input));
    assert.equal(done.code, 0, done.stderr.toString());
    return JSON.parse(done.stdout);
  }

  // The error of one that fails: one line, behind any number of lines of progress.
  async refused(words, input) {
    const done = await this.run(words, input && JSON.stringify(input));
    assert.deepEqual([done.code, done.stdout.toString()], [1, ''], done.stderr.toString());
    const lines = done.stderr.toString().trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.ok(lines.slice(0, -1).every((line) => 'progress' in line), done.stderr.toString());
    return lines.at(-1).error;
  }

  startExec(sandbox, words) { return this.start(execWords(sandbox, words)); }

  create(options = {}) { return this.ask(['create'], { ...kSandbox, ...options }); }

  // A command; the outputs as text.
  async exec(sandbox, words, input) {
    const { code, stdout, stderr } = await this.run(execWords(sandbox, words), input);
    return { code, stdout: stdout.toString(), stderr: stderr.toString() };
  }

  terminate(sandbox) { return this.ask(['terminate', '--sandbox', sandbox]); }
}

module.exports = {
  Program,
  kSandbox
};
