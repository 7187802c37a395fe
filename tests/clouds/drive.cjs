// What the drivers share: a fake that is theirs, steps with names, and the requests at the end.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const kStepSeconds = 60;
const started = [];

// Starts a fake with these words; what it said, and how to talk to it.
async function startFake(program, words = []) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'clouds-'));
  const child = spawn(process.execPath, [path.join(__dirname, program), directory, ...words],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  const said = await new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.endsWith('\n')) resolve(JSON.parse(text));
    });
    ended.then((code) => {
      if (code === 77) process.exit(77);
      reject(new Error(`the fake ended with ${code}`));
    });
  });
  const ask = async (method, name, body) => {
    const response =
        await fetch(said.control + name, { method, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    return response.text();
  };
  const fake = {
    ...said,
    directory,
    fault: (fault) => ask('POST', '/faults', fault),
    noFaults: () => ask('DELETE', '/faults'),
    expire: (tokens) => ask('POST', '/expire', { tokens }),
    vanish: (sandbox) => ask('POST', '/vanish', { sandbox }),
    mark: (operation) => ask('POST', '/mark', { operation }),
    normal: () => ask('GET', '/normal'),
    log: async () => (await ask('GET', '/log')).split('\n').map((line) => JSON.parse(line)),
    sandboxes: async () => JSON.parse(await ask('GET', '/sandboxes')),
    stop: async () => {
      child.stdin.end();
      await ended;
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
  started.push(fake);
  return fake;
}

// Steps in order, each with a limit of time; the first that fails ends the program.
async function run(mark, steps) {
  for (const [name, step] of Object.entries(steps)) {
    await mark(name);
    let timer;
    const late = new Promise((_, reject) => {
      timer =
          setTimeout(() => reject(new Error(`not done in ${kStepSeconds} s`)), kStepSeconds * 1000);
    });
    try {
      await Promise.race([step(), late]);
    } catch (error) {
      error.message = `${name}: ${error.message}`;
      throw error;
    } finally {
      clearTimeout(timer);
    }
    process.stderr.write(`ok  ${name}\n`);
  }
}

// The request log in its normal form: printed, compared with a file, or written there.
async function conclude(fake, file) {
  const normal = await fake.normal();
  if (!file) {
    process.stdout.write(normal);
  } else if (process.env.CLOUDS_RECORD) {
    fs.writeFileSync(file, normal);
  } else if (normal !== fs.readFileSync(file, 'utf8')) {
    process.stdout.write(normal);
    throw new Error(`these requests are not those of ${file} (CLOUDS_RECORD=1 writes it anew)`);
  }
}

// A command in a sandbox of Modal, to its end.
async function exec(sandbox, words, { input, ...options } = {}) {
  const child = await sandbox.exec(words, options);
  const outputs = Promise.all([child.stdout.readText(), child.stderr.readText()]);
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    if (input.length) await writer.write(input);
    await writer.close();
  }
  const [stdout, stderr] = await outputs;
  return { stdout, stderr, code: await child.wait() };
}

// Runs the driver, ends its fakes, and says how it went.
async function main(drive) {
  let status = 0;
  try {
    await drive();
  } catch (error) {
    process.stderr.write(`FAILED ${error.stack}\n`);
    status = 1;
  }
  await Promise.all(started.map((fake) => fake.stop()));
  process.exit(status);
}

module.exports = { conclude, exec, main, run, startFake };
