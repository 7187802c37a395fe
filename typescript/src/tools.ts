// Tools for a model: their schemas in the forms of the vendors, and what runs the calls.

import { randomBytes } from 'node:crypto';

import { isObject, type Json, type JsonObject } from './core/json.js';
import {
  anthropicTool,
  answersTo,
  argumentsOf,
  callsOf,
  openaiTool,
  responsesTool,
  type AnthropicAnswer,
  type AnthropicTool,
  type OpenAIAnswer,
  type OpenAITool,
  type ResponsesAnswer,
  type ResponsesTool,
  type ToolSchema,
  type WantedCall,
} from './core/vendors.js';
import { BadRequest, Denied, LimitReached, NotFound } from './errors.js';
import type { Where } from './exec.js';
import { errorText, resultOf, toolOf, type AgentTools, type Toolbox } from './toolbox.js';
import type { Cancellable } from './types.js';

export interface CallOptions extends Cancellable {
  /** The agent's own id of the call. */
  callId?: string | undefined;
  /** Calls with the same value share a limit on how much they return. */
  turn?: string | undefined;
}

export class Tools {
  readonly #toolbox: Toolbox;
  readonly #caller: Where;
  readonly #functions: AgentTools;
  /** Name, description and parameters of each tool. */
  readonly schemas: readonly ToolSchema[];

  constructor(
    toolbox: Toolbox,
    caller: Where,
    schemas: readonly ToolSchema[],
    functions: AgentTools,
  ) {
    this.#toolbox = toolbox;
    this.#caller = caller;
    this.#functions = functions;
    const own = Object.entries(functions).map(([name, tool]) => schemaOf(name, toolOf(tool)));
    this.schemas = [...schemas.filter(({ name }) => !Object.hasOwn(functions, name)), ...own];
  }

  get names(): string[] {
    return this.schemas.map(({ name }) => name);
  }

  /** Schemas for chat completions of OpenAI. */
  openai(): OpenAITool[] {
    return this.schemas.map(openaiTool);
  }

  /** Schemas for the Responses API of OpenAI. */
  responses(): ResponsesTool[] {
    return this.schemas.map(responsesTool);
  }

  /** Schemas for messages of Anthropic. */
  anthropic(): AnthropicTool[] {
    return this.schemas.map(anthropicTool);
  }

  /** Runs all tool calls of a model's response, at the same time, and returns the messages that go
   * behind it. Empty: the model called no tool. `response` is what the packages of OpenAI and
   * Anthropic return, or the message in it. */
  answer(response: { output: unknown[] }, options?: Cancellable): Promise<ResponsesAnswer[]>;
  answer(
    response: { content: unknown[]; tool_calls?: never },
    options?: Cancellable,
  ): Promise<AnthropicAnswer[]>;
  answer(
    response: { choices: unknown[] } | { tool_calls?: unknown },
    options?: Cancellable,
  ): Promise<OpenAIAnswer[]>;
  async answer(
    response: unknown,
    options: Cancellable = {},
  ): Promise<(OpenAIAnswer | ResponsesAnswer | AnthropicAnswer)[]> {
    const { form, calls } = callsOf(response);
    const turn = randomBytes(8).toString('hex');
    const results = await Promise.all(calls.map((call) => this.#work(call, turn, options)));
    return answersTo(form, calls, results);
  }

  /** A call and its result, as a text for the model. */
  async #work(call: WantedCall, turn: string, options: Cancellable): Promise<string> {
    return JSON.stringify(await this.#attempt(call, { ...options, turn, callId: call.id }));
  }

  async #attempt(call: WantedCall, options: CallOptions): Promise<Json> {
    let args: JsonObject;
    try {
      args = argumentsOf(call);
    } catch (error) {
      return { error: (error as Error).message };
    }
    return this.call(call.name, args, options);
  }

  /** Runs one call and returns its result. What the model did wrong is in the result; that the
   * infrastructure failed, or that the call was cancelled, is thrown. */
  async call(name: string, args: object, options: CallOptions = {}): Promise<Json> {
    const own = Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined;
    if (own !== undefined) return this.#own(name, toolOf(own), args, options);
    if (!this.schemas.some((schema) => schema.name === name)) {
      return { error: `unknown tool '${name}'. Use one of: ${this.names.join(', ')}` };
    }
    try {
      return await this.#toolbox.call(this.#caller, name, args, {
        ...options,
        tools: this.#functions,
      });
    } catch (error) {
      if (!isForTheModel(error)) throw error;
      return { error: error.message };
    }
  }

  async #own(
    name: string,
    tool: ReturnType<typeof toolOf>,
    args: object,
    options: CallOptions,
  ): Promise<Json> {
    const signal = options.signal ?? new AbortController().signal;
    try {
      const result = await resultOf(tool, args, signal);
      return isObject(result) ? result : { result };
    } catch (error) {
      signal.throwIfAborted();
      return { error: `${name}: ${errorText(error)}` };
    }
  }
}

function isForTheModel(error: unknown): error is Error {
  return [BadRequest, NotFound, Denied, LimitReached].some((type) => error instanceof type);
}

function schemaOf(name: string, tool: ReturnType<typeof toolOf>): ToolSchema {
  const parameters = (tool.parameters ?? { type: 'object', properties: {} }) as JsonObject;
  return { name, description: tool.description ?? '', parameters };
}
