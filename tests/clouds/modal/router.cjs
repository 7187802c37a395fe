// The calls of a sandbox's command router.
'use strict';

const { Exec } = require('../fakes/exec.cjs');
const { Refusal, environment } = require('./cloud.cjs');
const { isFileTool, runFileTool, takesInput } = require('./file_tool.cjs');

const kArgumentBytes = 65536;
const kStderrToStdout = 2;

function execOf(request, cloud) {
  const exec = cloud.byTask(request.task_id).execs.get(request.exec_id);
  if (!exec) throw new Refusal('NOT_FOUND', `Exec ${request.exec_id} not found`);
  return exec;
}

function fileTool(argument, box) {
  const exec = Exec.serve((input) => runFileTool(argument, input, box));
  if (!takesInput(argument)) exec.closeInput();
  return exec;
}

function start(request, { box }) {
  if (isFileTool(request.command_args)) return fileTool(request.command_args[1], box);
  const terminal = request.pty_info?.enabled
    ? { rows: request.pty_info.winsz_rows, cols: request.pty_info.winsz_cols }
    : undefined;
  const env = environment(request.secret_sources);
  if (terminal) env.TERM ??= request.pty_info.env_term;
  const child = box.spawn(request.command_args, { env, workdir: request.workdir, pty: terminal });
  const exec = Exec.of(child, {
    mergeErrors: request.stderr_config === kStderrToStdout,
    dropOutput: request.stdout_config === 0,
    dropErrors: request.stderr_config === 0,
  });
  if (request.timeout_secs) {
    const timer = setTimeout(() => exec.kill(), request.timeout_secs * 1000);
    exec.ended.then(() => clearTimeout(timer));
  }
  return exec;
}

function status(exec) { return exec.status ?? {}; }

async function write(exec, offset, data, eof) {
  const gone = exec.stdinClosed && data.length > 0;
  if (await exec.write(Number(offset), data, eof)) return;
  if (gone) throw new Refusal('FAILED_PRECONDITION', 'stdin is closed');
  throw new Refusal(
      'INVALID_ARGUMENT', `offset ${offset} is past the ${exec.written} bytes written`);
}

const calls = {
  TaskExecStart: (request, cloud) => {
    const { execs } = cloud.byTask(request.task_id);
    if (execs.has(request.exec_id)) return {};
    if (request.command_args.reduce((sum, word) => sum + word.length, 0) > kArgumentBytes) {
      throw new Refusal(
          'INVALID_ARGUMENT',
          `Total length of CMD arguments must be less than ${kArgumentBytes} bytes (ARG_MAX)`);
    }
    execs.set(request.exec_id, start(request, cloud.byTask(request.task_id)));
    return {};
  },

  TaskExecStdinWrite: async (request, cloud) => {
    await write(execOf(request, cloud), request.offset, request.data, request.eof);
    return {};
  },

  TaskExecStdinStatus: (request, cloud) => {
    const exec = execOf(request, cloud);
    exec.stdinStream?.evict();
    return { num_bytes_written: exec.written, closed: exec.stdinClosed };
  },

  TaskExecWait: async (request, cloud, { gone }) => {
    const exec = execOf(request, cloud);
    await Promise.race([exec.ended, gone]);
    return status(exec);
  },

  TaskExecPoll: (request, cloud) => status(execOf(request, cloud)),

  TaskSnapshotFilesystem: (request, cloud) => ({
    image_id: cloud.snapshot(cloud.byTask(request.task_id), request.snapshot_id),
  }),
};

const streams = {
  async* TaskExecStdioRead(request, cloud, { gone }) {
    const exec = execOf(request, cloud);
    const output = request.file_descriptor === 1 ? exec.stderr : exec.stdout;
    for await (const data of output.from(Number(request.offset), gone)) yield { data };
  },
};

const inputs = {
  // One stream of input: what was taken before it broke stays taken.
  async TaskExecStdinWriteStream(messages, cloud) {
    let exec;
    let offset;
    let evicted = false;
    for await (const message of messages) {
      if (message.start) {
        exec = execOf(message.start, cloud);
        offset = Number(message.start.offset);
        exec.stdinStream = { evict: () => { evicted = true; } };
      } else if (!exec) {
        throw new Refusal('INVALID_ARGUMENT', 'the first message must be the start');
      } else if (evicted) {
        throw new Refusal('ABORTED', 'another stream took over');
      } else if (message.end) {
        await write(exec, offset, Buffer.alloc(0), true);
      } else {
        await write(exec, offset, message.data, false);
        offset += message.data.length;
      }
    }
    return {};
  },
};

function authorize(method, metadata, cloud) {
  const [header] = metadata.get('authorization');
  return cloud.tokens.router.read(/^Bearer (.*)$/.exec(header ?? '')?.[1]);
}

module.exports = { authorize, calls, inputs, streams };
