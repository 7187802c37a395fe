// Place: where commands run. A session of a task, or a sandbox.

import type { Verdict } from './approvals.js';
import type { Channel } from './channel.js';
import { camel, type JsonObject, type Params } from './core/json.js';
import type { ToolSchema } from './core/vendors.js';
import { CodeResult } from './code.js';
import { CommandStream, run, type Where } from './exec.js';
import { Files } from './files.js';
import { Process } from './process.js';
import type { Result } from './result.js';
import type { AgentTools, Toolbox } from './toolbox.js';
import { Tools } from './tools.js';
import {
  commandParams,
  type Cancellable,
  type Command,
  type ProcessInfo,
  type RunOptions,
  type SandboxInfo,
  type StartOptions,
  type StreamOptions,
} from './types.js';

export interface CodeOptions extends Cancellable {
  /** Functions of yours that the script may call, too. They run here. */
  tools?: AgentTools | undefined;
  /** Which tools of Talaria the script may call; default: all. */
  builtin?: string[] | undefined;
  callId?: string | undefined;
}

export interface ToolOptions extends Cancellable {
  callId?: string | undefined;
  turn?: string | undefined;
  /** Which tools a script of this call (`execute_code`) may call. */
  tools?: string[] | undefined;
}

/** A session at a target: directory, variables, functions and options stay from one command to the
 * next. What a client, a task and a sandbox have in common. */
export class Place {
  protected readonly channel: Channel;
  protected readonly toolbox: Toolbox;
  /** Which session, and who is asking. */
  protected readonly caller: Where;
  /** Files there. */
  readonly files: Files;

  /** @internal */
  constructor(channel: Channel, toolbox: Toolbox, caller: Where) {
    this.channel = channel;
    this.toolbox = toolbox;
    this.caller = caller;
    this.files = new Files(channel, caller);
  }

  protected get where(): Where {
    const { task, sandbox } = this.caller;
    return { task, sandbox };
  }

  protected async method(
    method: string,
    params: Params,
    options: Cancellable,
  ): Promise<JsonObject> {
    return this.channel.method(method, { ...this.where, ...params }, options.signal);
  }

  /** Runs a command and waits for its end. A command that fails is a result like any other; with
   * `check` it is an error. */
  run(command: Command, options: RunOptions = {}): Promise<Result> {
    return run(this.channel, this.caller, command, options);
  }

  /** Runs a command and yields its output as it comes. */
  stream(command: Command, options: StreamOptions = {}): CommandStream {
    return new CommandStream(this.channel, this.caller, command, options);
  }

  /** Starts a command in the background. */
  async start(command: Command, options: StartOptions = {}): Promise<Process> {
    const { signal, terminal, maxAge, waitApproval, ...rest } = options;
    const size =
      terminal === true ? { rows: 30, cols: 120 } : terminal === false ? undefined : terminal;
    const params = {
      ...this.caller,
      ...commandParams(command),
      ...rest,
      terminal: size,
      max_age: maxAge,
      wait_approval: waitApproval,
    };
    const { process } = await this.channel.method('processes.start', params, signal);
    return new Process(this.channel, camel<ProcessInfo>(process));
  }

  /** Background processes of this place; `all` adds those that have ended. */
  async processes(options: Cancellable & { all?: boolean | undefined } = {}): Promise<Process[]> {
    const answer = await this.method('processes.list', { all: options.all }, options);
    return camel<{ processes: ProcessInfo[] }>(answer).processes.map(
      (info) => new Process(this.channel, info),
    );
  }

  /** Ends the background processes of this place. Returns how many ran. */
  async killAll(options: Cancellable = {}): Promise<number> {
    return Number((await this.method('processes.kill_all', {}, options))['killed']);
  }

  /** Runs a Python script at the target; only what it prints comes back. It calls tools with
   * `from hermes_tools import terminal, ...`. */
  async code(script: string, options: CodeOptions = {}): Promise<CodeResult> {
    return new CodeResult(
      await this.toolbox.call(this.caller, 'execute_code', { code: script }, options),
    );
  }

  /** The tools for a model, with schemas and a dispatcher. `functions` are tools of yours. */
  async tools(
    options: Cancellable & { only?: string[] | undefined; functions?: AgentTools | undefined } = {},
  ): Promise<Tools> {
    const { only, functions = {} } = options;
    const wanted = only?.filter((name) => !Object.hasOwn(functions, name));
    const answer = await this.channel.method('tools.list', { tools: wanted }, options.signal);
    const schemas = Array.isArray(answer['tools'])
      ? (answer['tools'] as unknown as ToolSchema[])
      : [];
    return new Tools(this.toolbox, this.caller, schemas, functions);
  }

  /** Calls a tool and returns its result (docs/reference/tools.md). */
  tool(name: string, args: object = {}, options: ToolOptions = {}): Promise<JsonObject> {
    const { tools: builtin, ...rest } = options;
    return this.toolbox.call(this.caller, name, args, { ...rest, builtin });
  }

  /** Whether the command may run here, without running it or asking anybody. */
  async judge(
    command: Command,
    options: Cancellable & {
      cwd?: string | undefined;
      env?: Record<string, string> | undefined;
      stdin?: string | undefined;
    } = {},
  ): Promise<Verdict> {
    const { signal, ...rest } = options;
    return camel<Verdict>(
      await this.channel.method(
        'approvals.judge',
        { ...this.caller, ...commandParams(command), ...rest },
        signal,
      ),
    );
  }

  /** The directory of the session. */
  async cwd(options: Cancellable = {}): Promise<string> {
    return String((await this.method('sessions.get', {}, options))['cwd']);
  }

  /** Changes the directory of the session, and returns it. */
  async setCwd(path: string, options: Cancellable = {}): Promise<string> {
    return String((await this.method('sessions.set_cwd', { cwd: path }, options))['cwd']);
  }

  /** Forgets directory, variables and functions. Background processes stay. */
  async endSession(options: Cancellable = {}): Promise<void> {
    await this.method('sessions.end', {}, options);
  }

  /** The model's context was shortened: `read_file` shows again what it has shown. */
  async forgetReads(options: Cancellable = {}): Promise<void> {
    await this.method('reads.forget', {}, options);
  }
}

/** A session at the configured target, by the name of its task. Programs that use the same name
 * share it. */
export class Task extends Place implements AsyncDisposable {
  get name(): string {
    return this.caller.task ?? '';
  }

  /** Ends the session and the background processes of the task. */
  async close(options: Cancellable = {}): Promise<void> {
    await this.killAll(options);
    await this.endSession(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A place of its own, which is removed by `close()`, at its `ttl`, or with its client. */
export class Sandbox extends Place implements AsyncDisposable {
  #info: SandboxInfo;

  /** @internal */
  constructor(channel: Channel, toolbox: Toolbox, caller: Where, info: SandboxInfo) {
    super(channel, toolbox, { sandbox: info.id, session_key: caller.session_key });
    this.#info = info;
  }

  /** `sbx_...`: `findSandbox` of a client finds it again. */
  get id(): string {
    return this.#info.id;
  }

  /** What was known when it was last asked; `refresh()` asks. */
  get info(): SandboxInfo {
    return this.#info;
  }

  /** Asks how it is. Throws NotFound if it is gone. */
  async refresh(options: Cancellable = {}): Promise<SandboxInfo> {
    const { sandbox } = await this.method('sandboxes.get', {}, options);
    return (this.#info = camel<SandboxInfo>(sandbox));
  }

  /** Removes it, with everything that runs in it. Again: does nothing, returns false. */
  async close(options: Cancellable & { snapshot?: boolean | undefined } = {}): Promise<boolean> {
    const answer = await this.method('sandboxes.remove', { snapshot: options.snapshot }, options);
    this.channel.leftovers.delete(this.id);
    return answer['removed'] === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
