// The routes of the daemon inside a sandbox: commands, sessions, terminals and files.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { Exec } = require('../fakes/exec.cjs');
const { Refusal } = require('./cloud.cjs');

const kSeconds = 360;  // of a command that asks for no limit

// Each command of a session begins where the last one ended: its directory and its exported
// variables.
const kSession = [
  'state=/tmp/.daytona-session-$1',
  '[ ! -f "$state" ] || . "$state"',
  'eval "$2"',
  'code=$?',
  '{ export -p; printf "cd \'%s\'\\n" "$PWD"; } >"$state"',
  'exit $code',
].join('\n');

function named(collection, id, what) {
  const found = collection.get(id);
  if (!found) throw new Refusal(404, `${what} not found`, 'NOT_FOUND');
  return found;
}

const codeOf = ({ code, signal }) => code ?? (signal ? -1 : 0);

async function execute({ sandbox, body }) {
  if (!body.command) throw new Refusal(400, 'command is required', 'INVALID_REQUEST_BODY');
  const child =
      sandbox.box.spawn(['bash', '-c', body.command], { workdir: body.cwd, env: body.envs });
  child.stdin.end();
  const exec = Exec.of(child, { mergeErrors: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    exec.kill();
  }, (body.timeout || kSeconds) * 1000);
  const status = await exec.ended;
  clearTimeout(timer);
  if (late) throw new Refusal(408, 'command execution timeout', 'PROCESS_EXECUTION_TIMEOUT');
  await exec.closed;
  return { exitCode: codeOf(status), result: exec.stdout.all().toString() };
}

async function executeInSession({ sandbox, params, body }) {
  const session = named(sandbox.sessions, params.session, 'session');
  const command = { id: crypto.randomUUID(), command: body.command, log: [] };
  session.commands.set(command.id, command);
  const before = session.last;  // one shell: they run after each other
  const run = async () => {
    await before;
    const child =
        sandbox.box.spawn(['bash', '-c', kSession, 'bash', session.sessionId, body.command]);
    command.exec = Exec.of(child);
    command.started();
    if (!body.runAsync && !body.async) child.stdin.end();
    const status = await command.exec.ended;
    await command.exec.closed;
    command.exitCode = codeOf(status);
  };
  command.begun = new Promise((resolve) => { command.started = resolve; });
  command.done = run();
  session.last = command.done;
  if (body.runAsync || body.async) return { cmdId: command.id };
  await command.done;
  return { cmdId: command.id, exitCode: command.exitCode, ...logs(command) };
}

function logs({ exec }) {
  const stdout = exec?.stdout.all().toString() ?? '';
  const stderr = exec?.stderr.all().toString() ?? '';
  return { output: stdout + stderr, stdout, stderr };
}

const show = ({ id, command, exitCode }) => ({ id, command, exitCode });
const showSession = ({ sessionId, commands }) =>
    ({ sessionId, commands: [...commands.values()].map(show) });

function commandOf(sandbox, params) {
  return named(
      named(sandbox.sessions, params.session, 'session').commands, params.command, 'command');
}

// Input is text, and ends with the end of a line: the daemon sees to that.
async function sendInput({ sandbox, params, body }) {
  const command = commandOf(sandbox, params);
  if (command.exitCode !== undefined) {
    throw new Refusal(
        410, `command has already completed with exit code ${command.exitCode}`,
        'COMMAND_ALREADY_COMPLETED');
  }
  await command.begun;
  const data = Buffer.from(body.data.endsWith('\n') ? body.data : `${body.data}\n`);
  await command.exec.write(command.exec.written, data, false);
}

function fileOf(sandbox, name) {
  if (!name) throw new Refusal(400, 'path is required', 'BAD_REQUEST');
  const file = sandbox.box.at(name);
  if (!file) throw new Refusal(403, `permission denied: ${name}`, 'FILE_ACCESS_DENIED');
  return file;
}

// What the file system says, as the daemon would.
function withFiles(work) {
  return (request) => {
    try {
      return work(request);
    } catch (error) {
      if (error.code === 'ENOENT')
        throw new Refusal(
            404, `no such file or directory: ${request.query.path}`, 'FILE_NOT_FOUND');
      if (['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY'].includes(error.code))
        throw new Refusal(400, error.message, 'BAD_REQUEST');
      throw error;
    }
  };
}

function info(file, name) {
  const found = fs.statSync(file);
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return {
    name: path.basename(name),
    path: name,
    isDir: found.isDirectory(),
    size: found.size,
    mode,
    permissions: mode,
    owner: 'daytona',
    group: 'daytona',
    modTime: found.mtime.toISOString(),
    modifiedAt: found.mtime.toISOString(),
  };
}

async function upload({ sandbox, form }) {
  for (const [field, value] of form.entries()) {
    const [, index] = /^files\[(\d+)\]\.file$/.exec(field) ?? [];
    if (index === undefined) continue;
    const file = fileOf(sandbox, form.get(`files[${index}].path`));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, Buffer.from(await value.arrayBuffer()));
  }
}

// Many files in one answer; one that cannot be read is a part that says why.
function download({ sandbox, body }) {
  const boundary = `fake-${crypto.randomUUID()}`;
  const parts = body.paths.map((name) => {
    const part = (field, type, data) => Buffer.concat([
      Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${
              name}"\r\n` +
          `Content-Type: ${type}\r\nContent-Length: ${data.length}\r\n\r\n`),
      data, Buffer.from('\r\n')
    ]);
    try {
      return part('file', 'application/octet-stream', fs.readFileSync(fileOf(sandbox, name)));
    } catch (error) {
      const message = {
        message: `${name}: ${error.message}`,
        statusCode: 404,
        code: 'FILE_NOT_FOUND',
        source: 'DAYTONA_DAEMON'
      };
      return part('error', 'application/json', Buffer.from(JSON.stringify(message)));
    }
  });
  const bytes = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

const routes = {
  'GET /user-home-dir': ({ sandbox }) => ({ dir: sandbox.box.home }),
  'GET /work-dir': ({ sandbox }) => ({ dir: sandbox.box.workdir }),
  'POST /process/execute': execute,

  'POST /process/session': ({ sandbox, body }) => {
    if (sandbox.sessions.has(body.sessionId))
      throw new Refusal(409, 'session already exists', 'CONFLICT');
    sandbox.sessions.set(
        body.sessionId,
        { sessionId: body.sessionId, commands: new Map(), last: Promise.resolve() });
  },
  'GET /process/session': ({ sandbox }) => [...sandbox.sessions.values()].map(showSession),
  'GET /process/session/:session': ({ sandbox, params }) =>
      showSession(named(sandbox.sessions, params.session, 'session')),
  'DELETE /process/session/:session': ({ sandbox, params }) => {
    const session = named(sandbox.sessions, params.session, 'session');
    for (const command of session.commands.values())
      if (command.exitCode === undefined) command.exec?.kill();
    sandbox.sessions.delete(params.session);
  },
  'POST /process/session/:session/exec': executeInSession,
  'GET /process/session/:session/command/:command': ({ sandbox, params }) =>
      show(commandOf(sandbox, params)),
  'GET /process/session/:session/command/:command/logs': ({ sandbox, params }) =>
      logs(commandOf(sandbox, params)),
  'POST /process/session/:session/command/:command/input': sendInput,

  'GET /process/pty': ({ sandbox }) =>
      ({ sessions: [...sandbox.terminals.values()].map((one) => one.view) }),
  'GET /process/pty/:session': ({ sandbox, params }) =>
      named(sandbox.terminals, params.session, 'PTY session').view,
  'DELETE /process/pty/:session': ({ sandbox, params }) => {
    named(sandbox.terminals, params.session, 'PTY session').kill();
  },
  'POST /process/pty/:session/resize': ({ sandbox, params, body }) =>
      named(sandbox.terminals, params.session, 'PTY session').resize(body),

  'POST /files/bulk-upload': upload,
  'POST /files/bulk-download': download,
  'GET /files/download': withFiles(({ sandbox, query }) => ({
                                     type: 'application/octet-stream',
                                     bytes: fs.readFileSync(fileOf(sandbox, query.path))
                                   })),
  'GET /files': withFiles(({ sandbox, query }) => {
    const directory = fileOf(sandbox, query.path ?? '.');
    return fs.readdirSync(directory).sort().map(
        (name) => info(path.join(directory, name), path.posix.join(query.path ?? '', name)));
  }),
  'GET /files/info':
      withFiles(({ sandbox, query }) => info(fileOf(sandbox, query.path), query.path)),
  'POST /files/folder': withFiles(({ sandbox, query }) => {
    fs.mkdirSync(fileOf(sandbox, query.path), { recursive: true, mode: parseInt(query.mode, 8) });
  }),
  'POST /files/move': withFiles(({ sandbox, query }) => {
    fs.renameSync(fileOf(sandbox, query.source), fileOf(sandbox, query.destination));
  }),
  'POST /files/permissions': withFiles(({ sandbox, query }) => {
    fs.chmodSync(fileOf(sandbox, query.path), parseInt(query.mode, 8));
  }),
  'DELETE /files': withFiles(({ sandbox, query }) => {
    const file = fileOf(sandbox, query.path);
    if (fs.statSync(file).isDirectory() && query.recursive !== 'true') {
      throw new Refusal(400, 'cannot delete a directory without the recursive flag', 'BAD_REQUEST');
    }
    fs.rmSync(file, { recursive: true });
  }),
};

module.exports = { commandOf, routes };
