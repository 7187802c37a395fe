import assert from 'node:assert/strict';
import { test } from 'node:test';

import { camel, depth } from '../src/core/json.js';
import { LineSplitter } from '../src/core/lines.js';

test('lines come out whole, however the bytes were cut', () => {
  const bytes = Buffer.from('{"a":"é€😀"}\r\n\n  \n{"b":1}\nrest', 'utf8');
  for (let size = 1; size <= bytes.length; size++) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    for (let from = 0; from < bytes.length; from += size) {
      lines.push(...splitter.push(bytes.subarray(from, from + size)));
    }
    assert.deepEqual(lines, ['{"a":"é€😀"}', '{"b":1}'], `pieces of ${size}`);
  }
});

test('a reader that uses its memory again changes no line', () => {
  const splitter = new LineSplitter();
  const memory = Buffer.from('abc');
  splitter.push(memory);
  memory.fill('x');
  assert.deepEqual(splitter.push(Buffer.from('d\n')), ['abcd']);
});

test('names of the wire become names of this package, names of users stay', () => {
  const wire = {
    exit_code: 1,
    memory_mb: 5,
    env: { MY_VAR: 'x' },
    list: [{ tail_from: 2 }],
    gone: null,
    data64: 'a',
  };
  assert.deepEqual(camel(wire), {
    exitCode: 1,
    memoryMb: 5,
    env: { MY_VAR: 'x' },
    list: [{ tailFrom: 2 }],
    data64: 'a',
  });
});

test('the depth of a value is counted up to a limit', () => {
  assert.equal(depth('x', 9), 0);
  assert.equal(depth({ a: [1, { b: 2 }] }, 9), 3);
  let deep: unknown = 1;
  for (let i = 0; i < 1000; i++) deep = [deep];
  assert.ok(depth(deep, 33) > 32);
});
