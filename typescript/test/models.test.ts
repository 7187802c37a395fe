// The packages of model vendors, with a model that is a script: a server on loopback that speaks
// their protocols.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';

import Anthropic from '@anthropic-ai/sdk';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import OpenAI from 'openai';

import { aiTools } from '../src/ai.js';
import { isAlive, pidIn, World } from './support/world.js';

const world = new World();
const t = world.client({ cwd: world.work });

/** Answers each request with the next of these, and keeps what it was asked. */
class Script {
  answers: object[] = [];
  asked: any[] = [];
  url = '';
  readonly #server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      this.asked.push(JSON.parse(body));
      response
        .setHeader('Content-Type', 'application/json')
        .end(JSON.stringify(this.answers.shift() ?? {}));
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const script = new Script();
before(() => script.start());
after(() => script.stop());

test('chat completions of OpenAI', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: script.url });
  const tools = await t.tools({ only: ['terminal'] });
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'terminal', arguments: '{"command":"echo $((6*7))"}' },
  };
  script.asked = [];
  script.answers = [
    { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] },
    { choices: [{ message: { role: 'assistant', content: 'It is 42.' } }] },
  ];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: '6 * 7?' }];
  for (;;) {
    const response = await client.chat.completions.create({
      model: 'm',
      messages,
      tools: tools.openai(),
    });
    messages.push(response.choices[0]!.message);
    const answers = await tools.answer(response);
    if (answers.length === 0) break;
    messages.push(...answers);
  }
  assert.equal(messages.at(-1)?.content, 'It is 42.');
  const { messages: sent, tools: offered } = script.asked[1];
  assert.equal(sent[2].tool_call_id, 'call_1');
  assert.equal(JSON.parse(sent[2].content).output, '42');
  assert.equal(offered[0].function.name, 'terminal');
});

test('the Responses API of OpenAI', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: script.url });
  const tools = await t.tools({ only: ['terminal'] });
  script.answers = [
    {
      output: [
        {
          type: 'function_call',
          call_id: 'f1',
          name: 'terminal',
          arguments: '{"command":"echo hi"}',
        },
      ],
    },
  ];
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'say hi' }];
  const response = await client.responses.create({ model: 'm', input, tools: tools.responses() });
  input.push(...(await tools.answer(response)));
  const answer = input.at(-1) as { call_id: string; output: string };
  assert.deepEqual([answer.call_id, JSON.parse(answer.output).output], ['f1', 'hi']);
});

test('messages of Anthropic', async () => {
  const client = new Anthropic({ apiKey: 'none', baseURL: script.url });
  const tools = await t.tools({ only: ['terminal'] });
  script.answers = [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'terminal', input: { command: 'echo hi' } }],
    },
  ];
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'say hi' }];
  const request = { model: 'm', max_tokens: 100, messages, tools: tools.anthropic() };
  const response = await client.messages.create(request);
  messages.push(...(await tools.answer(response)));
  const [answer] = messages.at(-1)?.content as Anthropic.ToolResultBlockParam[];
  assert.equal(answer?.tool_use_id, 't1');
  assert.equal(JSON.parse(String(answer?.content)).output, 'hi');
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model of the AI SDK that calls one tool, and then repeats what the tool returned. */
function model(toolName: string, input: object): MockLanguageModelV4 {
  let turn = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      turn += 1;
      if (turn === 1) {
        const call = {
          type: 'tool-call' as const,
          toolCallId: 'c1',
          toolName,
          input: JSON.stringify(input),
        };
        return {
          content: [call],
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage,
          warnings: [],
        };
      }
      const text = JSON.stringify(prompt.at(-1));
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

test('the AI SDK runs tools, and functions of the agent', async () => {
  const tools = await aiTools(t, {
    only: ['terminal'],
    functions: { add: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }) },
  });
  assert.deepEqual(Object.keys(tools).sort(), ['add', 'terminal']);
  const options = { tools, prompt: 'x', stopWhen: stepCountIs(5) };
  const { text } = await generateText({
    model: model('terminal', { command: 'echo $((6*7))' }),
    ...options,
  });
  assert.match(text, /"output":"42"/);
  const sum = await generateText({ model: model('add', { a: 1, b: 2 }), ...options });
  assert.match(sum.text, /"sum":3/);
});

test('what an aborted step of the AI SDK has started ends', async () => {
  const file = world.path('ai.pid');
  const abort = new AbortController();
  const command = `sh -c 'echo $$ > ${file}; sleep 600'`;
  const generating = generateText({
    model: model('terminal', { command }),
    tools: await aiTools(t, { only: ['terminal'] }),
    prompt: 'x',
    stopWhen: stepCountIs(5),
    abortSignal: abort.signal,
  });
  const pid = await pidIn(file);
  abort.abort();
  await generating.then(
    () => {},
    (error: Error) => assert.equal(error.name, 'AbortError'),
  );
  const deadline = Date.now() + 20_000;
  while (isAlive(pid))
    (assert.ok(Date.now() < deadline), await new Promise((resolve) => setTimeout(resolve, 20)));
});
