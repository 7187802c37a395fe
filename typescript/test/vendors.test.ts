import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answersTo, argumentsOf, callsOf } from '../src/core/vendors.js';

const chat = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } },
  ],
};
const anthropic = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'x' },
    { type: 'tool_use', id: 't1', name: 'terminal', input: { command: 'ls' } },
  ],
};
const responses = {
  output: [
    { type: 'message' },
    { type: 'function_call', call_id: 'f1', name: 'terminal', arguments: '{"command":"ls"}' },
  ],
};

test('calls are found in what each vendor returns', () => {
  const cases = [
    { response: { choices: [{ message: chat }] }, form: 'chat', id: 'c1' },
    { response: chat, form: 'chat', id: 'c1' },
    { response: anthropic, form: 'anthropic', id: 't1' },
    { response: responses, form: 'responses', id: 'f1' },
  ];
  for (const { response, form, id } of cases) {
    const found = callsOf(response);
    assert.equal(found.form, form);
    assert.deepEqual(
      found.calls.map((call) => [call.id, call.name, argumentsOf(call)]),
      [[id, 'terminal', { command: 'ls' }]],
    );
  }
});

test('answers have the form of the vendor', () => {
  const calls = [{ id: 'a', name: 'n', args: {} }];
  assert.deepEqual(answersTo('chat', calls, ['r']), [
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ]);
  assert.deepEqual(answersTo('responses', calls, ['r']), [
    { type: 'function_call_output', call_id: 'a', output: 'r' },
  ]);
  assert.deepEqual(answersTo('anthropic', calls, ['r']), [
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] },
  ]);
});

test('a model that called no tool gets no answer', () => {
  for (const response of [
    { choices: [{ message: { content: 'done' } }] },
    { content: [{ type: 'text', text: 'done' }] },
    { output: [] },
  ]) {
    const { form, calls } = callsOf(response);
    assert.deepEqual(answersTo(form, calls, []), []);
  }
});

test('arguments that are not an object are an error for the model', () => {
  for (const args of ['{"a":', '[1]', '"x"', 7]) {
    assert.throws(
      () => argumentsOf({ id: 'a', name: 'terminal', args }),
      /the arguments of terminal/,
    );
  }
  assert.deepEqual(argumentsOf({ id: 'a', name: 'terminal', args: '' }), {});
  assert.deepEqual(argumentsOf({ id: 'a', name: 'terminal', args: undefined }), {});
});
