// A model that plays a script, for clients that want one: the streaming forms of OpenAI's Responses
// and Chat Completions, and of Gemini. Each answer is the next step of the script:
//   { calls: [{ tool, args }, ...] }   calls tools of Talaria, by the names the client gave them
//   { text }                           says something, which ends the client's turn
//   (results) => ...                   one of these, after what tools answered so far
// What tools answered is in `results`, a list in the order of the calls.
'use strict';

const http = require('node:http');

// The tools a request offers, as { name, namespace }.
function toolsIn(body) {
  const tools = [];
  for (const tool of body.tools ?? []) {
    if (tool.type === 'namespace') {
      for (const one of tool.tools) tools.push({ name: one.name, namespace: tool.name });
    } else if (tool.functionDeclarations) {
      for (const one of tool.functionDeclarations) tools.push({ name: one.name });
    } else {
      tools.push({ name: tool.name ?? tool.function?.name });
    }
  }
  return tools.filter((tool) => tool.name);
}

function nameOf(tools, wanted) {
  const own = tools.filter((one) => `${one.namespace ?? ''}${one.name}`.includes('talaria'));
  const found = own.find((one) => one.name === wanted || one.name.endsWith(`_${wanted}`));
  if (!found) throw new Error(`the client offers no tool ${wanted}: ${JSON.stringify(tools)}`);
  return found;
}

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

// Each form: where its requests go, the tool results in one, and an answer as events.
const forms = {
  responses: {
    path: /\/responses$/,
    results: (body) => (body.input ?? []).filter((item) => item.type === 'function_call_output')
      .map((item) => [item.call_id, textOf(item.output)]),
    events: (step, id) => {
      const items = step.calls
        ? step.calls.map((call) => ({
            type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name,
            ...(call.namespace && { namespace: call.namespace }), arguments: JSON.stringify(call.args),
          }))
        : [{ type: 'message', id: `msg_${id}`, role: 'assistant', content: [{ type: 'output_text', text: step.text }] }];
      const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
      return [
        { type: 'response.created', response: { id: `resp_${id}` } },
        ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
        { type: 'response.completed', response: { id: `resp_${id}`, output: items, usage } },
      ];
    },
  },
  chat: {
    path: /\/chat\/completions$/,
    results: (body) => (body.messages ?? []).filter((one) => one.role === 'tool')
      .map((one) => [one.tool_call_id, textOf(one.content)]),
    events: (step, id) => {
      const chunk = (delta, reason = null) => ({
        id: `chat_${id}`, object: 'chat.completion.chunk', created: 1, model: 'scripted',
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
      const delta = step.calls
        ? { role: 'assistant', tool_calls: step.calls.map((call, index) => ({
            index, id: call.id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) },
          })) }
        : { role: 'assistant', content: step.text };
      return [chunk(delta), chunk({}, step.calls ? 'tool_calls' : 'stop'), '[DONE]'];
    },
  },
  gemini: {
    path: /:(streamGenerateContent|generateContent)/,
    results: (body) => (body.contents ?? []).flatMap((content) => content.parts ?? [])
      .filter((part) => part.functionResponse)
      .map((part) => [part.functionResponse.id, JSON.stringify(part.functionResponse.response)]),
    events: (step) => {
      const parts = step.calls
        ? step.calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: call.args } }))
        : [{ text: step.text }];
      return [{
        candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      }];
    },
  },
};

function bodyOf(request) {
  return new Promise((resolve) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(parts)));
      } catch {
        resolve({});
      }
    });
  });
}

async function startModel(script) {
  const steps = [...script];
  const model = { results: [], problem: undefined };
  let answers = 0;
  let calls = 0;

  async function next(body) {
    const tools = toolsIn(body);
    // Without tools it is not about the script: a title for the conversation, or the like.
    if (!tools.some((one) => `${one.namespace ?? ''}${one.name}`.includes('talaria'))) return { text: 'ok' };
    let step = steps.shift() ?? { text: 'done' };
    if (typeof step === 'function') step = await step(model.results);
    if (!step.calls) return step;
    return { calls: step.calls.map(({ tool, args }) => ({ ...nameOf(tools, tool), args, id: `call-${calls++}` })) };
  }

  const server = http.createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    const form = Object.values(forms).find((one) => one.path.test(path));
    const body = await bodyOf(request);
    if (!form || request.method !== 'POST') {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":{"message":"not here"}}');
      return;
    }
    for (const [id, text] of form.results(body)) model.results[Number(id.slice('call-'.length))] ??= text;
    try {
      const events = form.events(await next(body), ++answers);
      if (path.endsWith(':generateContent')) {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(events[0]));
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const event of events) {
        const name = event.type ? `event: ${event.type}\n` : '';
        response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
      }
      response.end();
    } catch (error) {
      model.problem ??= error;
      response.writeHead(500).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  model.url = `http://127.0.0.1:${server.address().port}`;
  model.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return model;
}

module.exports = { startModel };
