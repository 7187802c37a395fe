// An agent that fixes a program. It works in a sandbox, a person (here: a rule) answers what needs
// approval, and everything it leaves behind is gone at the end.
//
// The model is a script, so that the example runs without an account. `complete` has the form of
// OpenAI's chat completions: put `client.chat.completions.create` of the package `openai` in its
// place.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Talaria } from '@talaria/client';

import { complete, type Message } from './model.js';

await using t = new Talaria();
await t.approvals.handler((question) => {
  console.log(`asked: ${question.command} (${question.description})`);
  return question.command === 'rm -rf old' || { deny: 'only old/ may be removed' };
});

const target = process.env['AGENT_TARGET'] ?? 'local';
await using sandbox = await t.sandbox({
  target,
  ...(target === 'local' && { cwd: await mkdtemp(join(tmpdir(), 'agent-')) }),
  ttl: '10m',
  files: {
    'mean.py': 'def mean(values):\n    return sum(values) / len(values) + 1\n',
    'test_mean.py':
      'from mean import mean\nassert mean([1, 2, 3]) == 2, mean([1, 2, 3])\nprint("passed")\n',
    'old/notes.txt': 'left over\n',
  },
});

const tools = await sandbox.tools({ only: ['terminal', 'read_file', 'patch'] });
const messages: Message[] = [
  { role: 'user', content: 'The test fails. Fix the program, then remove old/.' },
];
for (let turn = 0; turn < 20; turn++) {
  const response = await complete({ messages, tools: tools.openai() });
  const message = response.choices[0].message;
  messages.push(message);
  for (const { function: wanted } of message.tool_calls ?? [])
    console.log(`${wanted.name} ${wanted.arguments}`);
  const answers = await tools.answer(response);
  if (answers.length === 0) break;
  messages.push(...answers);
}
console.log(messages.at(-1)?.content);

const { stdout } = await sandbox.run('python3 test_mean.py', { check: true, timeout: 60 });
console.log(
  `the test says: ${stdout.trim()}; old/ exists: ${await sandbox.files.exists('old')}`,
);
