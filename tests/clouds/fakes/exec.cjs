// A command in a sandbox, with all its output kept: any number of readers, each from where it
// likes.
'use strict';

// Bytes that come, and readers of them.
class Output {
  constructor() {
    this.chunks = [];
    this.size = 0;
    this.ended = false;
    this.waiting = new Set();
  }

  add(bytes) {
    if (bytes.length === 0) return;
    this.chunks.push({ at: this.size, bytes });
    this.size += bytes.length;
    this.wake();
  }

  end() {
    this.ended = true;
    this.wake();
  }

  wake() {
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }

  all() { return Buffer.concat(this.chunks.map((chunk) => chunk.bytes)); }

  // From an offset to the end; `given_up` settles when nobody reads any more.
  async* from(offset, givenUp = new Promise(() => {})) {
    let left = false;
    givenUp.then(() => {
      left = true;
      this.wake();
    });
    for (let next = 0; !left;) {
      if (next < this.chunks.length) {
        const { at, bytes } = this.chunks[next++];
        if (at + bytes.length > offset) yield bytes.subarray(Math.max(0, offset - at));
      } else if (this.ended) {
        return;
      } else {
        await new Promise((resume) => this.waiting.add(resume));
      }
    }
  }
}

// The three streams and the end of a process; what runs may also be a function of ours (see serve).
class Exec {
  constructor() {
    this.stdout = new Output();
    this.stderr = new Output();
    this.written = 0;
    this.stdinClosed = false;
    this.ended = new Promise((resolve) => {
      this.finish = (status) => {
        this.status ??= status;
        this.stdinClosed = true;
        resolve(this.status);
      };
    });
  }

  static of(child, { mergeErrors = false, dropOutput = false, dropErrors = false } = {}) {
    const exec = new Exec();
    exec.child = child;
    child.stdout.on('data', (bytes) => dropOutput || exec.stdout.add(bytes));
    child.stdout.once('close', () => mergeErrors || exec.stdout.end());
    child.stderr.on(
        'data', (bytes) => dropErrors || (mergeErrors ? exec.stdout : exec.stderr).add(bytes));
    child.stderr.once('close', () => exec.stderr.end());
    // Its end, and that of all its output: what it left running may hold that open.
    exec.closed = new Promise((resolve) => child.once('close', resolve));
    exec.closed.then(() => exec.stdout.end());
    child.once(
        'exit', (code, signal) => exec.finish(signal ? { signal: kSignals[signal] } : { code }));
    return exec;
  }

  // A program that exists in this process only: gets its whole input, says {code, stdout, stderr}.
  static serve(program) {
    const exec = new Exec();
    const input = [];
    exec.input = (bytes) => input.push(bytes);
    exec.inputEnded = () => {
      const { code, stdout = '', stderr = '' } = program(Buffer.concat(input));
      exec.stdout.add(Buffer.from(stdout));
      exec.stderr.add(Buffer.from(stderr));
      exec.stdout.end();
      exec.stderr.end();
      exec.finish({ code });
    };
    return exec;
  }

  // Input at an offset; what was written before is skipped, a gap is refused. Settled when it is
  // taken.
  async write(offset, data, eof) {
    if (this.stdinClosed) return data.length === 0 || offset + data.length <= this.written;
    if (offset > this.written) return false;
    const fresh = data.subarray(Math.min(data.length, this.written - offset));
    this.written += fresh.length;
    if (fresh.length && this.input) this.input(fresh);
    if (fresh.length && this.child) {
      const { stdin } = this.child;
      if (!stdin.write(fresh)) {
        await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), this.ended]);
      }
    }
    if (eof) this.closeInput();
    return true;
  }

  closeInput() {
    if (this.stdinClosed) return;
    this.stdinClosed = true;
    if (this.inputEnded) this.inputEnded();
    this.child?.stdin.end();
  }

  kill() { this.child?.killAll(); }
}

const kSignals = require('node:os').constants.signals;

module.exports = { Exec, Output };
