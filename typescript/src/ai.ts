// Tools for the AI SDK of Vercel (the package `ai`, which this module needs).
//
//     const tools = await aiTools(sandbox);
//     await generateText({ model, tools, prompt, stopWhen: stepCountIs(10) });

import { jsonSchema, tool, type Tool, type ToolSet } from 'ai';

import type { Json } from './core/json.js';
import type { Place } from './place.js';
import type { AgentTools } from './toolbox.js';

export interface AiToolsOptions {
  /** Which tools; default: all. */
  only?: string[] | undefined;
  /** Functions of yours that take part: as tools, and in scripts of `execute_code`. */
  functions?: AgentTools | undefined;
  signal?: AbortSignal | undefined;
}

/** The tools of a place, as `generateText`, `streamText` and agents of the AI SDK take them. A step
 * that is aborted ends what it started. */
export async function aiTools(place: Place, options: AiToolsOptions = {}): Promise<ToolSet> {
  const tools = await place.tools(options);
  const set: Record<string, Tool<any, Json>> = {};
  for (const { name, description, parameters } of tools.schemas) {
    set[name] = tool({
      description,
      inputSchema: jsonSchema<Record<string, unknown>>(parameters),
      execute: (input: Record<string, unknown>, { toolCallId, abortSignal }): Promise<Json> =>
        tools.call(name, input, { callId: toolCallId, signal: abortSignal }),
    });
  }
  return set as ToolSet;
}
