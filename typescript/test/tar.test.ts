import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { lstat, mkdir, readFile, readlink, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import {
  padding,
  TarReader,
  tarEnd,
  tarHeader,
  type TarEntry,
  type TarPiece,
} from '../src/core/tar.js';
import { InfrastructureError } from '../src/errors.js';
import { packTree, unpackTree } from '../src/transfer.js';

const entry = (path: string, more: Partial<TarEntry> = {}): TarEntry => ({
  path,
  type: 'file',
  mode: 0o644,
  modified: 1_700_000_000,
  size: 0,
  ...more,
});

function archive(entries: [TarEntry, string][]): Buffer {
  const pieces = entries.flatMap(([one, data]) => [
    tarHeader({ ...one, size: Buffer.byteLength(data) }),
    Buffer.from(data),
    padding(Buffer.byteLength(data)),
  ]);
  return Buffer.concat([...pieces, tarEnd()]);
}

function read(bytes: Buffer, size: number): TarPiece[] {
  const reader = new TarReader();
  const pieces: TarPiece[] = [];
  for (let from = 0; from < bytes.length; from += size)
    pieces.push(...reader.push(bytes.subarray(from, from + size)));
  assert.ok(reader.complete);
  return pieces;
}

const LONG = `${'d'.repeat(120)}/${'é'.repeat(60)}`;

test('an archive is read as it was written, however the bytes were cut', () => {
  const bytes = archive([
    [entry('a.txt'), 'hello'],
    [entry(LONG, { mode: 0o755 }), 'x'.repeat(1000)],
    [entry('empty'), ''],
    [entry('dir', { type: 'directory', mode: 0o700 }), ''],
    [entry('link', { type: 'link', linkTo: LONG }), ''],
  ]);
  for (const size of [1, 100, 512, 513, bytes.length]) {
    const pieces = read(bytes, size);
    const entries = pieces.flatMap((piece) => (piece.type === 'entry' ? [piece.entry] : []));
    assert.deepEqual(
      entries.map(({ path, type, mode, size, linkTo }) => [path, type, mode, size, linkTo]),
      [
        ['a.txt', 'file', 0o644, 5, undefined],
        [LONG, 'file', 0o755, 1000, undefined],
        ['empty', 'file', 0o644, 0, undefined],
        ['dir', 'directory', 0o700, 0, undefined],
        ['link', 'link', 0o644, 0, LONG],
      ],
    );
    const data = pieces.flatMap((piece) => (piece.type === 'data' ? [piece.data] : []));
    assert.equal(Buffer.concat(data).toString(), 'hello' + 'x'.repeat(1000));
    assert.equal(pieces.filter((piece) => piece.type === 'end').length, 5);
  }
});

test('a damaged archive is an error', () => {
  const bytes = archive([[entry('a.txt'), 'hello']]);
  bytes[0] = 0x62;
  assert.throws(() => new TarReader().push(bytes), /checksum/);
});

function scratch(t: { after: (done: () => void) => void }): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'talaria-tar-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function makeTree(root: string): Promise<void> {
  await mkdir(path.join(root, 'sub', 'deeper'), { recursive: true });
  await writeFile(path.join(root, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(path.join(root, 'sub', 'deeper', `${'long'.repeat(40)}é`), 'y'.repeat(700_000));
  await symlink('../run.sh', path.join(root, 'sub', 'link'));
  await utimes(path.join(root, 'run.sh'), 1_600_000_000, 1_600_000_000);
}

async function checkTree(root: string): Promise<void> {
  const stats = await lstat(path.join(root, 'run.sh'));
  assert.equal(stats.mode & 0o777, 0o755);
  assert.equal(stats.mtimeMs, 1_600_000_000_000);
  assert.equal(await readlink(path.join(root, 'sub', 'link')), '../run.sh');
  const long = await readFile(path.join(root, 'sub', 'deeper', `${'long'.repeat(40)}é`), 'utf8');
  assert.equal(long, 'y'.repeat(700_000));
}

test('tar reads what is packed here', async (t) => {
  const root = scratch(t);
  await makeTree(path.join(root, 'from'));
  await mkdir(path.join(root, 'to'));
  const pieces: Buffer[] = [];
  for await (const piece of packTree(path.join(root, 'from'))) pieces.push(Buffer.from(piece));
  execFileSync('tar', ['-xf', '-', '-C', path.join(root, 'to')], { input: Buffer.concat(pieces) });
  await checkTree(path.join(root, 'to'));
});

for (const format of ['gnu', 'pax', 'ustar']) {
  test(`what tar packs as ${format} is unpacked here`, async (t) => {
    const root = scratch(t);
    await makeTree(path.join(root, 'from'));
    const args = [`--format=${format}`, '-cf', '-', '-C', path.join(root, 'from'), '.'];
    if (format === 'ustar') args.splice(1, 0, '--exclude=*é'); // it has no room for such a name
    const bytes = execFileSync('tar', args, { maxBuffer: 1e8 });
    const to = path.join(root, 'to');
    async function* data() {
      for (let from = 0; from < bytes.length; from += 10_000)
        yield bytes.subarray(from, from + 10_000);
    }
    const { files } = await unpackTree(to, data());
    assert.equal(files, format === 'ustar' ? 1 : 2);
    if (format !== 'ustar') await checkTree(to);
  });
}

test('an archive writes nothing outside of its directory', async (t) => {
  const root = scratch(t);
  const evil: [string, [TarEntry, string][]][] = [
    ['..', [[entry('../out.txt'), 'x']]],
    ['.. inside', [[entry('a/../../out.txt'), 'x']]],
    ['absolute', [[entry(path.join(root, 'out.txt')), 'x']]],
  ];
  for (const [name, entries] of evil) {
    async function* data() {
      yield archive(entries);
    }
    await assert.rejects(unpackTree(path.join(root, 'to'), data()), InfrastructureError, name);
  }
  // Through a link that the archive brought: the link makes room for a directory.
  async function* data() {
    yield archive([
      [entry('door', { type: 'link', linkTo: '..' }), ''],
      [entry('door/out.txt'), 'x'],
    ]);
  }
  await unpackTree(path.join(root, 'to'), data());
  assert.equal(await lstat(path.join(root, 'out.txt')).catch(() => 'nothing'), 'nothing');
});

test('an archive that ends too early is an error', async (t) => {
  const root = scratch(t);
  async function* data() {
    yield archive([[entry('a.txt'), 'hello']]).subarray(0, 600);
  }
  await assert.rejects(unpackTree(path.join(root, 'to'), data()), /ends too early/);
});
