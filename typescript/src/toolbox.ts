// The agent's own tools: functions of this program that scripts at a target may call, too.

import { randomBytes } from 'node:crypto';

import type { Channel } from './channel.js';
import type { Json, JsonObject } from './core/json.js';
import type { Request } from './core/protocol.js';
import { Interrupted } from './errors.js';
import type { Where } from './exec.js';

export interface ToolContext {
  /** Aborted when the call is cancelled. */
  signal: AbortSignal;
}

/** A function that a model or a script may call, with its arguments as one object. */
export type ToolFunction = (args: any, context: ToolContext) => unknown;

/** A function with what a model has to know of it. `parameters` is a JSON Schema. */
export interface AgentTool {
  description?: string;
  parameters?: Record<string, unknown>;
  execute: ToolFunction;
}

export type AgentTools = Record<string, ToolFunction | AgentTool>;

export function toolOf(tool: ToolFunction | AgentTool): AgentTool {
  return typeof tool === 'function' ? { execute: tool } : tool;
}

interface Served {
  tools: AgentTools;
  abort: AbortController;
}

/** Serves the tools of all scripts that run, and passes each call to the tools of its script. */
export class Toolbox {
  readonly #channel: Channel;
  readonly #served = new Map<string, Served>(); // by the id of the call that runs the script
  #unlisten: (() => void) | undefined;
  #change: Promise<unknown> = Promise.resolve();

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Calls a tool. `tools` are functions that a script of this call may call. */
  async call(
    caller: Where,
    tool: string,
    args: object,
    options: {
      signal?: AbortSignal | undefined;
      callId?: string | undefined;
      turn?: string | undefined;
      builtin?: readonly string[] | undefined;
      tools?: AgentTools | undefined;
    },
  ): Promise<JsonObject> {
    const { signal, turn, builtin, tools = {} } = options;
    const names = Object.keys(tools);
    const serves = tool === 'execute_code' && names.length > 0;
    const callId =
      options.callId ?? (serves ? `call_${randomBytes(8).toString('hex')}` : undefined);
    const allowed = builtin && [...builtin, ...names];
    const request: Request = {
      tool,
      args: { ...args },
      ...caller,
      tool_call_id: callId,
      turn,
      tools: allowed,
    };
    if (serves && callId !== undefined) {
      const leave = await this.#serve(callId, tools);
      try {
        return await this.#finished(request, signal);
      } finally {
        await leave();
      }
    }
    return this.#finished(request, signal);
  }

  async #finished(request: Request, signal: AbortSignal | undefined): Promise<JsonObject> {
    const result = await this.#channel.request(request, signal);
    if (
      signal?.aborted === true &&
      (result['exit_code'] === 130 || result['status'] === 'interrupted')
    ) {
      throw new Interrupted(`${request.tool}: the call was cancelled`, { cause: signal.reason });
    }
    return result;
  }

  async #serve(callId: string, tools: AgentTools): Promise<() => Promise<void>> {
    const served: Served = { tools, abort: new AbortController() };
    this.#served.set(callId, served);
    this.#unlisten ??= this.#channel.listen((event) => {
      if (event['type'] === 'tool_called') void this.#called(event);
    });
    const leave = async () => {
      served.abort.abort();
      if (this.#served.get(callId) === served) this.#served.delete(callId);
      await this.#announce().catch(() => {});
    };
    try {
      await this.#announce();
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  }

  /** Says which tools there are, one change after the other. */
  #announce(): Promise<unknown> {
    this.#change = this.#change.catch(() => {}).then(() => this.#say());
    return this.#change;
  }

  async #say(): Promise<void> {
    const offered = new Map<string, object>();
    for (const { tools } of this.#served.values()) {
      for (const [name, tool] of Object.entries(tools)) {
        const { description, parameters } = toolOf(tool);
        offered.set(name, { name, description, parameters });
      }
    }
    const request = { method: 'tools.serve', params: { tools: [...offered.values()] } };
    if (offered.size > 0) await this.#channel.stand('tools.serve', request, () => {});
    else await this.#channel.unstand('tools.serve', request);
  }

  async #called(event: JsonObject): Promise<void> {
    const name = String(event['tool']);
    const params: { id: Json; result?: unknown; error?: string } = { id: event['id'] ?? null };
    const served = this.#servedFor(event['tool_call_id'], name);
    const tool = served && Object.hasOwn(served.tools, name) ? served.tools[name] : undefined;
    if (!served || tool === undefined) {
      params.error = `the script may not call ${name}`;
    } else {
      try {
        params.result = await resultOf(toolOf(tool), event['args'], served.abort.signal);
      } catch (error) {
        params.error = errorText(error);
      }
    }
    await this.#channel.method('tools.answer', { ...params }).catch(() => {});
  }

  #servedFor(callId: Json | undefined, name: string): Served | undefined {
    const named = typeof callId === 'string' ? this.#served.get(callId) : undefined;
    if (named) return named;
    const found = [...this.#served.values()].filter(({ tools }) => Object.hasOwn(tools, name));
    return found.length === 1 ? found[0] : undefined;
  }
}

/** What a function returns, as JSON: what cannot be written as JSON is an error of the function. */
export async function resultOf(tool: AgentTool, args: unknown, signal: AbortSignal): Promise<Json> {
  const result: unknown = await tool.execute(args ?? {}, { signal });
  return result === undefined ? null : (JSON.parse(JSON.stringify(result)) as Json);
}

export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
