// Tools as model vendors write them: schemas, calls in their responses, answers to these. No I/O.

import { isObject, type Json, type JsonObject } from './json.js';

/** A tool, as a model gets it. `parameters` is a JSON Schema. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** For chat completions of OpenAI, and of those who speak like it. */
export interface OpenAITool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** For the Responses API of OpenAI. */
export interface ResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** For messages of Anthropic. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [member: string]: unknown };
}

export function openaiTool({ name, description, parameters }: ToolSchema): OpenAITool {
  return { type: 'function', function: { name, description, parameters } };
}

export function responsesTool({ name, description, parameters }: ToolSchema): ResponsesTool {
  return { type: 'function', name, description, parameters, strict: false };
}

export function anthropicTool({ name, description, parameters }: ToolSchema): AnthropicTool {
  return { name, description, input_schema: { ...parameters, type: 'object' } };
}

export interface OpenAIAnswer {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

export interface ResponsesAnswer {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

export interface AnthropicAnswer {
  role: 'user';
  content: { type: 'tool_result'; tool_use_id: string; content: string }[];
}

export type Form = 'chat' | 'responses' | 'anthropic';

/** A call that a model wants. */
export interface WantedCall {
  id: string;
  name: string;
  args: unknown;
}

/** The calls in what a model returned: a response, or the message in it. */
export function callsOf(response: unknown): { form: Form; calls: WantedCall[] } {
  const choices = member(response, 'choices');
  const message = Array.isArray(choices) ? member(choices[0], 'message') : response;
  const output = Array.isArray(message) ? message : member(message, 'output');
  if (Array.isArray(output)) {
    return { form: 'responses', calls: listOf(output, 'function_call', 'call_id', 'arguments') };
  }
  const content = member(message, 'content');
  const wanted = member(message, 'tool_calls');
  if (Array.isArray(content) && !Array.isArray(wanted)) {
    return { form: 'anthropic', calls: listOf(content, 'tool_use', 'id', 'input') };
  }
  const calls = (Array.isArray(wanted) ? wanted : []).map((one: unknown) => ({
    id: String(member(one, 'id')),
    name: String(member(member(one, 'function'), 'name')),
    args: member(member(one, 'function'), 'arguments'),
  }));
  return { form: 'chat', calls };
}

/** What goes into the conversation behind the model's message. */
export function answersTo(
  form: Form,
  calls: readonly WantedCall[],
  results: readonly string[],
): (OpenAIAnswer | ResponsesAnswer | AnthropicAnswer)[] {
  const pairs = calls.map((call, at) => ({ id: call.id, text: results[at] ?? '' }));
  if (form === 'chat')
    return pairs.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  if (form === 'responses') {
    return pairs.map(({ id, text }) => ({
      type: 'function_call_output',
      call_id: id,
      output: text,
    }));
  }
  if (pairs.length === 0) return [];
  const content = pairs.map(({ id, text }) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: text,
  }));
  return [{ role: 'user', content }];
}

/** The arguments of a call; throws an Error with a text for the model. */
export function argumentsOf({ name, args }: WantedCall): JsonObject {
  let value: unknown = args;
  if (typeof args === 'string') {
    try {
      value = args.trim() === '' ? {} : JSON.parse(args);
    } catch (error) {
      throw new Error(`the arguments of ${name} are not valid JSON: ${(error as Error).message}`);
    }
  }
  if (!isObject(value ?? {})) throw new Error(`the arguments of ${name} must be a JSON object`);
  return (value ?? {}) as JsonObject;
}

function listOf(items: readonly unknown[], type: string, id: string, args: string): WantedCall[] {
  return items
    .filter((one) => member(one, 'type') === type)
    .map((one) => ({
      id: String(member(one, id)),
      name: String(member(one, 'name')),
      args: member(one, args),
    }));
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? (value as Record<string, Json>)[name] : undefined;
}
