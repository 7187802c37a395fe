// Loaded before a program of the guide: models of the AI SDK that are only named are this script.
import { MockLanguageModelV4, MockProviderV4 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
let turn = 0;

const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    turn += 1;
    const input = '{"command":"echo it ran"}';
    if (turn === 1) {
      const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'terminal', input };
      return {
        content: [call],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    }
    const text = `the tool says: ${JSON.stringify(prompt.at(-1))}`;
    return {
      content: [{ type: 'text', text }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    };
  },
});

(globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown }).AI_SDK_DEFAULT_PROVIDER = new MockProviderV4({
  languageModels: { 'openai/gpt-5': model },
});
