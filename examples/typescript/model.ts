// A model that always says the same: one step for each turn of the agent. It looks at what the tools
// returned before it goes on, as a model would.

interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface Message {
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

interface Step {
  says?: string;
  calls?: [tool: string, args: object][];
  /** What the results of the step before must contain. */
  expects?: string;
}

const STEPS: Step[] = [
  {
    calls: [
      ['terminal', { command: 'python3 test_mean.py' }],
      ['read_file', { path: 'mean.py' }],
    ],
  },
  {
    expects: 'AssertionError',
    calls: [
      ['patch', { path: 'mean.py', old_string: 'len(values) + 1', new_string: 'len(values)' }],
    ],
  },
  { expects: '"success":true', calls: [['terminal', { command: 'python3 test_mean.py' }]] },
  { expects: 'passed', calls: [['terminal', { command: 'rm -rf old' }]] },
  {
    expects: '"exit_code":0',
    says: 'mean() added 1 to its result. The test passes now, and old/ is gone.',
  },
];

export async function complete({ messages }: { messages: Message[]; tools: unknown[] }): Promise<{
  choices: [{ message: Message }];
}> {
  const turn = messages.filter((message) => message.role === 'assistant').length;
  const step = STEPS[turn];
  if (!step) throw new Error('the script of the model is over');
  const last = messages.slice(
    messages.findLastIndex((message) => message.role === 'assistant') + 1,
  );
  const results = last.map((message) => message.content).join('\n');
  if (step.expects !== undefined && !results.includes(step.expects)) {
    throw new Error(`expected ${step.expects} in: ${results}`);
  }
  const tool_calls = step.calls?.map(([name, args], at) => ({
    id: `call_${turn}_${at}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message: Message = { role: 'assistant', content: step.says ?? null };
  if (tool_calls) message.tool_calls = tool_calls;
  return { choices: [{ message }] };
}
