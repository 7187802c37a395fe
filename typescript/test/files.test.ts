import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';

import { BadRequest, Interrupted, NotFound, ToolError } from '../src/index.js';
import { World } from './support/world.js';

const world = new World();
const t = world.client({ cwd: world.work });
const { files } = t;

test('a file is written and read', async () => {
  await files.write('notes/a.txt', 'é one\ntwo\n', { mode: '0600' });
  assert.equal(readFileSync(world.path('notes/a.txt'), 'utf8'), 'é one\ntwo\n');
  assert.equal(lstatSync(world.path('notes/a.txt')).mode & 0o777, 0o600);
  assert.equal(await files.readText('notes/a.txt'), 'é one\ntwo\n');
  await files.write('notes/a.txt', 'three\n', { append: true });
  assert.equal(
    Buffer.from(await files.read('notes/a.txt', { start: 7, max: 6 })).toString(),
    'two\nth',
  );
  await assert.rejects(files.read('notes/none.txt'), NotFound);
  await assert.rejects(files.write('no/where.txt', '', { parents: false }));
});

test('bytes, and more of them than one message carries', async () => {
  const all = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i));
  await files.write('bytes', all);
  assert.deepEqual(Buffer.from(await files.read('bytes')), all);
  const large = Buffer.alloc(20 * 1024 * 1024, all);
  await files.write('large', large);
  assert.ok(readFileSync(world.path('large')).equals(large));
  assert.ok(Buffer.from(await files.read('large')).equals(large));
});

test('facts, lists, and changes', async () => {
  await files.write('tree/sub/b.txt', 'b');
  await files.write('tree/a.txt', 'aa');
  const facts = await files.stat('tree/a.txt');
  assert.deepEqual([facts.type, facts.size, facts.mode.slice(-3)], ['file', 2, '644']);
  assert.ok(Math.abs(facts.modified - Date.now() / 1000) < 60);
  assert.equal((await files.stat('tree')).type, 'directory');
  await assert.rejects(files.stat('tree/none'), NotFound);
  assert.equal(await files.exists('tree/none'), false);
  assert.deepEqual((await files.list('tree')).map(({ path }) => path).sort(), ['a.txt', 'sub']);
  assert.deepEqual((await files.tree('tree')).map(({ path }) => path).sort(), [
    'a.txt',
    'sub',
    'sub/b.txt',
  ]);
  await files.makeDir('tree/new/deep', { mode: '0700' });
  await files.rename('tree/a.txt', 'tree/new/a.txt');
  assert.equal(await files.exists('tree/a.txt'), false);
  await files.remove('tree/new/a.txt');
  await assert.rejects(files.remove('tree'));
  await files.remove('tree', { recursive: true });
  assert.equal(await files.exists('tree'), false);
});

test('edits, patches and searches are those of the tools', async () => {
  await files.write('src/app.py', 'def main():\n    print("hi")\n');
  const edit = await files.edit('src/app.py', '"hi"', '"hello"');
  assert.match(edit.diff, /\+ +print\("hello"\)/);
  assert.deepEqual(edit.modified, [world.path('src/app.py')]);
  await assert.rejects(files.edit('src/app.py', 'not there', 'x'), (error: unknown) => {
    assert.ok(error instanceof ToolError);
    assert.equal(error.result['success'], false);
    return true;
  });
  const patch = '*** Begin Patch\n*** Add File: src/new.py\n+x = 1\n*** End Patch\n';
  assert.deepEqual((await files.patch(patch)).created, [world.path('src/new.py')]);
  const found = await files.search('^def ', { path: 'src', glob: '*.py' });
  assert.equal(found.total, 1);
  assert.deepEqual(
    found.matches.map(({ line, text }) => [line, text]),
    [[1, 'def main():']],
  );
  const names = await files.search('*.py', { what: 'files', path: 'src' });
  assert.equal(names.files.length, 2);
});

test('a file travels as a stream', async () => {
  const local = world.path('local.bin');
  const bytes = Buffer.alloc(
    9 * 1024 * 1024,
    Buffer.from(Uint8Array.from({ length: 251 }, (_, i) => i)),
  );
  writeFileSync(local, bytes);
  const up = await files.upload(local, 'copies/there.bin', { mode: '0640' });
  assert.equal(up.bytes, bytes.length);
  assert.ok(readFileSync(world.path('copies/there.bin')).equals(bytes));
  assert.equal(lstatSync(world.path('copies/there.bin')).mode & 0o777, 0o640);
  const down = await files.download('copies/there.bin', world.path('back/again.bin'));
  assert.equal(down.bytes, bytes.length);
  assert.equal(down.sha256, up.sha256);
  assert.ok(readFileSync(world.path('back/again.bin')).equals(bytes));
});

test('a tree travels as a stream', async () => {
  const local = world.directory('local-tree');
  mkdirSync(`${local}/sub/empty`, { recursive: true });
  writeFileSync(`${local}/run.sh`, '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(`${local}/sub/${'long'.repeat(40)}é.txt`, 'text');
  symlinkSync('../run.sh', `${local}/sub/link`);
  const up = await files.upload(local, 'tree-there');
  assert.equal(lstatSync(world.path('tree-there/run.sh')).mode & 0o777, 0o755);
  assert.equal(readlinkSync(world.path('tree-there/sub/link')), '../run.sh');
  assert.equal(
    readFileSync(world.path(`tree-there/sub/${'long'.repeat(40)}é.txt`), 'utf8'),
    'text',
  );
  assert.ok(lstatSync(world.path('tree-there/sub/empty')).isDirectory());
  assert.ok((up.files ?? 0) >= 2);
  const back = world.path('tree-back');
  await files.download('tree-there', back);
  assert.equal(lstatSync(`${back}/run.sh`).mode & 0o777, 0o755);
  assert.equal(readlinkSync(`${back}/sub/link`), '../run.sh');
  assert.equal(readFileSync(`${back}/sub/${'long'.repeat(40)}é.txt`, 'utf8'), 'text');
});

test('an upload that is cancelled leaves nothing', async () => {
  const abort = new AbortController();
  const local = world.path('big.bin');
  writeFileSync(local, Buffer.alloc(64 * 1024 * 1024));
  const going = files.upload(local, 'interrupted/file', { signal: abort.signal });
  setTimeout(() => abort.abort(), 30);
  await assert.rejects(going, Interrupted);
  assert.deepEqual(await files.exists('interrupted/file'), false);
});

test('a download of what is not there leaves nothing', async () => {
  await assert.rejects(files.download('no/such/file', world.path('none')), NotFound);
  await assert.rejects(files.upload('/no/such/local', 'x'), /ENOENT/);
  assert.equal(lstatSync(world.path('none'), { throwIfNoEntry: false }), undefined);
});

test('invalid calls are named', async () => {
  await assert.rejects(
    files.list('notes/a.txt'),
    (error: unknown) => error instanceof Error && !(error instanceof NotFound),
  );
  await assert.rejects(files.write('x', 'y', { mode: 'rw' }), BadRequest);
});
