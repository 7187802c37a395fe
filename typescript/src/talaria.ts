// Talaria: the client. It speaks with a local program, or with a gateway.

import { randomBytes } from 'node:crypto';

import { Approvals, Sudo } from './approvals.js';
import { Channel, type Hello } from './channel.js';
import { camel, isObject, type Json, type JsonObject, type Params } from './core/json.js';
import { events, type Event, type EventOptions } from './events.js';
import type { OpenLink } from './link/link.js';
import { openProgram, type ProgramOptions } from './link/program.js';
import { openGateway, type GatewayOptions } from './link/websocket.js';
import { Place, Sandbox, Task } from './place.js';
import { Process } from './process.js';
import type { Stream } from './subscription.js';
import { Toolbox } from './toolbox.js';
import {
  isBytes,
  megabytes,
  type Cancellable,
  type Data,
  type ProcessInfo,
  type SandboxInfo,
  type SandboxOptions,
} from './types.js';

const LINK = Symbol('link');

export interface TalariaOptions extends ProgramOptions {
  /** Who is asking, for approvals and events. */
  sessionKey?: string | undefined;
  /** @internal */
  [LINK]?: OpenLink | undefined;
}

export interface ConnectOptions extends GatewayOptions {
  sessionKey?: string | undefined;
}

/** A client of a local program, or with `connect` of a gateway.
 *
 *     await using t = new Talaria();
 *     const result = await t.run('uname -r');
 *
 * The program is started by the first call, and again after it has died: sessions and background
 * processes are still there. What `run`, `start` and `files` of the client itself use is a session
 * of its own, which ends with the client. A client without calls under way does not keep the process
 * alive. */
export class Talaria extends Place implements AsyncDisposable {
  /** Questions whether a command may run. */
  readonly approvals: Approvals;
  /** Passwords of sudo. */
  readonly sudo: Sudo;
  /** Settings of the program, changed while it runs. */
  readonly settings: Settings;

  constructor(options: TalariaOptions = {}) {
    const gateway = options[LINK];
    const task = gateway ? undefined : `ts-${randomBytes(8).toString('hex')}`;
    const channel = new Channel(gateway ?? openProgram(options), task);
    super(channel, new Toolbox(channel), { task, session_key: options.sessionKey });
    this.approvals = new Approvals(channel, options.sessionKey);
    this.sudo = new Sudo(channel, options.sessionKey);
    this.settings = new Settings(channel);
  }

  /** A client of a gateway: `https://host:port`, `http://` on this machine, or `unix:PATH`. Commands
   * need a sandbox there. */
  static connect(url: string, token: string, options: ConnectOptions = {}): Talaria {
    const { sessionKey } = options;
    const client: TalariaOptions = { [LINK]: openGateway(url, token, options) };
    return new Talaria(sessionKey === undefined ? client : { ...client, sessionKey });
  }

  /** What the program or the gateway says of itself: version, target, methods. */
  async hello(): Promise<Hello> {
    await this.channel.connect();
    return this.channel.hello as Hello;
  }

  /** The session of a task at the configured target. It is made by its first command. */
  task(name: string, options: { sessionKey?: string } = {}): Task {
    return new Task(this.channel, this.toolbox, {
      task: name,
      session_key: options.sessionKey ?? this.caller.session_key,
    });
  }

  /** Makes a sandbox. It is removed by `close()`, and at the latest when this client is closed,
   * unless `keep`. */
  async sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    const { cpus, memory, disk, files = {}, keep, signal, ...rest } = options;
    const sizes = { memory_mb: megabytes(memory, 'memory'), disk_mb: megabytes(disk, 'disk') };
    const answer = await this.channel.method(
      'sandboxes.create',
      { ...rest, cpu: cpus, ...sizes },
      signal,
    );
    const sandbox = this.#sandboxOf(answer['sandbox']);
    if (keep !== true) {
      const remove = { method: 'sandboxes.remove', params: { sandbox: sandbox.id } };
      this.channel.leftovers.set(sandbox.id, [remove]);
    }
    try {
      for (const [path, content] of Object.entries(files))
        await putFile(sandbox, path, content, signal);
    } catch (error) {
      await sandbox.close();
      throw error;
    }
    return sandbox;
  }

  #sandboxOf(wire: Json | undefined): Sandbox {
    return new Sandbox(this.channel, this.toolbox, this.caller, camel<SandboxInfo>(wire));
  }

  /** The sandbox of this id, also one of another program. Throws NotFound. */
  async findSandbox(id: string, options: Cancellable = {}): Promise<Sandbox> {
    const { sandbox } = await this.channel.method('sandboxes.get', { sandbox: id }, options.signal);
    return this.#sandboxOf(sandbox);
  }

  /** All sandboxes of the home, or at a gateway of the user. */
  async sandboxes(options: Cancellable = {}): Promise<Sandbox[]> {
    const { sandboxes } = await this.channel.method('sandboxes.list', {}, options.signal);
    return Array.isArray(sandboxes) ? sandboxes.map((one) => this.#sandboxOf(one)) : [];
  }

  /** The background process of this id, of whatever program. Throws NotFound. */
  async process(id: string, options: Cancellable = {}): Promise<Process> {
    const { process: info } = await this.channel.method(
      'processes.get',
      { process: id },
      options.signal,
    );
    return new Process(this.channel, camel<ProcessInfo>(info));
  }

  /** What happens to background processes, as it comes. */
  events(options: EventOptions = {}): Stream<Event> {
    return events(this.channel, this.caller.session_key, options);
  }

  /** The text with its secrets masked. */
  async redact(text: string, options: Cancellable = {}): Promise<string> {
    return String((await this.channel.method('text.redact', { text }, options.signal))['text']);
  }

  /** The text without escape sequences of terminals. */
  async strip(text: string, options: Cancellable = {}): Promise<string> {
    return String((await this.channel.method('text.strip', { text }, options.signal))['text']);
  }

  /** Calls a method of the protocol (docs/reference/json-lines.md). */
  call(method: string, params: Params = {}, options: Cancellable = {}): Promise<JsonObject> {
    return this.channel.method(method, params, options.signal);
  }

  /** Ends calls under way, the client's own session and its sandboxes, and the connection. */
  close(): Promise<void> {
    return this.channel.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function putFile(
  sandbox: Sandbox,
  path: string,
  content: Data | { local: string },
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (typeof content === 'string' || isBytes(content))
    return sandbox.files.write(path, content, { signal });
  return sandbox.files.upload(content.local, path, { signal });
}

/** Which settings took effect, and which will later. */
export interface Applied {
  applied: string[];
  /** By name, why not at once. */
  later: Record<string, string>;
}

/** Settings of the program, changed while it runs (docs/reference/configuration.md). */
export class Settings {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Their values, or of all settings. Secrets are masked. */
  async get(names?: readonly string[], options: Cancellable = {}): Promise<JsonObject> {
    const { settings } = await this.#channel.method('settings.get', { names }, options.signal);
    return isObject(settings) ? settings : {};
  }

  /** Sets them; null takes one back. Says which took effect at once. */
  async set(settings: Record<string, Json>, options: Cancellable = {}): Promise<Applied> {
    const answer = await this.#channel.method('settings.set', { settings }, options.signal);
    const { applied, later } = camel<{
      applied?: string[];
      later?: { name: string; reason?: string }[];
    }>(answer);
    const reasons = (later ?? []).map(({ name, reason }) => [name, reason ?? ''] as const);
    return { applied: applied ?? [], later: Object.fromEntries(reasons) };
  }
}
