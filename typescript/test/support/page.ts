// Takes the programs out of a page of the documentation:   node page.js PAGE FOLDER
// Each block `ts` becomes a file FOLDER/NN-KIND.ts, where KIND is what the comment before it says
// (`<!-- docs-test: typescript -->`), or `checked` without a comment: it is compiled, not run. A
// block that makes no client of its own begins with the first two lines of the page's first block.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Block {
  line: number;
  kind: string;
  text: string;
}

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let kind = 'checked';
  let block: Block | undefined;
  for (const [at, line] of page.split('\n').entries()) {
    const comment = /^<!--\s*docs-test:\s*(typescript\S*)\s*-->$/.exec(line);
    if (block) {
      if (line === '```') block = undefined;
      else block.text += line + '\n';
    } else if (comment) {
      kind = comment[1] ?? kind;
    } else if (line === '```ts') {
      block = { line: at + 1, kind, text: '' };
      blocks.push(block);
      kind = 'checked';
    }
  }
  return blocks;
}

const IMPORT = "import { Talaria } from '@talaria/client';\n";
const CLIENT = 'await using t = new Talaria();\n';

/** The module of a block: imports first, then the client. */
export function moduleOf({ text }: Block): string {
  const imports = text.split('\n').filter((line) => line.startsWith('import '));
  const rest = text.split('\n').filter((line) => !line.startsWith('import '));
  const known = imports.some((line) => line.includes('{ Talaria'));
  const client = /await using t = /.test(text) ? '' : CLIENT;
  return `${known ? '' : IMPORT}${imports.join('\n')}\n${client}${rest.join('\n')}\nexport {};\n`;
}

const [page, folder] = process.argv.slice(2);
if (page !== undefined && folder !== undefined && process.argv[1]?.endsWith('page.js') === true) {
  mkdirSync(folder, { recursive: true });
  for (const block of blocksOf(readFileSync(page, 'utf8'))) {
    const name = `${String(block.line).padStart(3, '0')}-${block.kind}.ts`;
    writeFileSync(path.join(folder, name), moduleOf(block));
  }
}
