// The programs of docs/guide/typescript.md, as they are there. What a line `console.log(...) // TEXT`
// promises must be printed, in that order.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { blocksOf, type Block } from './support/page.js';
import { runModule, World } from './support/world.js';

const world = new World({ asks: true });
const source = process.env['TALARIA_SOURCE'] ?? path.resolve('..');

function promised({ text }: Block): string[] {
  const lines = text.split('\n').filter((line) => line.includes('console.log('));
  return lines.flatMap((line) => /; \/\/ (.*)$/.exec(line)?.[1] ?? []);
}

function checkOutput(block: Block, out: string): void {
  let from = 0;
  const printed = out.replace(/\s+/g, ' ');
  for (const text of promised(block)) {
    const at = printed.indexOf(text, from);
    assert.ok(at >= 0, `line ${block.line}: '${text}' was not printed:\n${out}`);
    from = at + text.length;
  }
}

/** A model for the package of OpenAI: calls the agent's function once, then is done. */
async function openai(): Promise<{ url: string; close: () => void; asked: any[] }> {
  const asked: any[] = [];
  const call = { id: 'c1', type: 'function', function: { name: 'ticket', arguments: '{"id":7}' } };
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      asked.push(JSON.parse(body));
      const message =
        asked.length === 1
          ? { role: 'assistant', content: null, tool_calls: [call] }
          : { role: 'assistant', content: 'Done.' };
      response
        .setHeader('Content-Type', 'application/json')
        .end(JSON.stringify({ choices: [{ message }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => (server.close(), server.closeAllConnections()) };
}

for (const [page, folder] of [
  ['docs/guide/typescript.md', 'guide'],
  ['typescript/README.md', 'readme'],
] as const) {
  const blocks = blocksOf(readFileSync(path.join(source, page), 'utf8'));
  for (const block of blocks.filter(({ kind }) => kind !== 'checked')) {
    test(`${page}:${block.line}`, async () => {
      const file = path.resolve(
        'build/run',
        folder,
        `${String(block.line).padStart(3, '0')}-${block.kind}.js`,
      );
      const env: Record<string, string> = {
        ...world.env,
        OPENAI_API_KEY: 'none',
        AI_SDK_LOG_WARNINGS: 'false',
      };
      const model = block.kind === 'typescript-model' ? await openai() : undefined;
      if (model) env['OPENAI_BASE_URL'] = model.url;
      if (block.kind === 'typescript-ai')
        env['NODE_OPTIONS'] = `--import=${path.resolve('build/test/support/scripted-provider.js')}`;
      const ended = await runModule(file, env, world.directory(`work/${folder}-${block.line}`));
      model?.close();
      assert.equal(ended.code, 0, ended.out + ended.err);
      checkOutput(block, ended.out);
      if (model) assert.match(JSON.stringify(model.asked[1].messages), /The build fails/);
      if (block.kind === 'typescript-ai') assert.match(ended.out, /the tool says: .*it ran/);
    });
  }
}

test('examples/typescript', async () => {
  const ended = await runModule(
    path.resolve('build/run/example/agent.js'),
    world.env,
    world.directory('work/example'),
  );
  assert.equal(ended.code, 0, ended.out + ended.err);
  assert.match(ended.out, /asked: rm -rf old \(/);
  assert.match(ended.out, /the test says: passed; old\/ exists: false/);
});
