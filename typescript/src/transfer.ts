// Files and trees as streams: from this machine to a target, and back.

import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';

import type { Channel } from './channel.js';
import type { JsonObject, Params } from './core/json.js';
import { dataOf, Window } from './core/protocol.js';
import { padding, TarReader, tarEnd, tarHeader, type TarEntry } from './core/tar.js';
import { InfrastructureError, Interrupted } from './errors.js';
import { BulkWriter } from './exec.js';
import { Queue } from './queue.js';
import type { Cancellable, Data } from './types.js';

const WINDOW = 4 * 1024 * 1024;

/** What an upload or a download moved. */
export interface Transfer {
  bytes: number;
  files?: number;
  sha256?: string;
}

/** Sends data for a request that takes it by stream.write; its answer. */
export async function send(
  channel: Channel,
  params: Params,
  data: AsyncIterable<Data>,
  options: Cancellable,
): Promise<JsonObject> {
  const { signal } = options;
  if (signal?.aborted) throw new Interrupted('the call was cancelled', { cause: signal.reason });
  const call = channel.start({ method: 'files.upload', params });
  const answer = channel.answerOf(call, signal);
  answer.catch(() => {});
  const writer = new BulkWriter(call);
  try {
    let taken = true;
    for await (const piece of data) {
      if (!(taken = await writer.write(piece))) break;
    }
    if (taken) await writer.end();
  } catch (error) {
    call.cancel(); // what was written so far is not kept
    await answer.catch((reason: unknown) => {
      // The target's own error says more than that it took no more input.
      if (!(reason instanceof Interrupted)) throw reason;
    });
    throw error;
  }
  return answer;
}

/** The data of a download, and its answer when all of it was taken. */
export async function* receive(
  channel: Channel,
  params: Params,
  options: Cancellable,
): AsyncGenerator<Uint8Array, JsonObject, undefined> {
  const { signal } = options;
  if (signal?.aborted) throw new Interrupted('the call was cancelled', { cause: signal.reason });
  const window = new Window(WINDOW);
  const queue = new Queue<Uint8Array>();
  const call = channel.start(
    { method: 'files.download', params: { ...params, window: WINDOW } },
    (part) => {
      const data = dataOf(part);
      if (data !== undefined) queue.push(typeof data === 'string' ? Buffer.from(data) : data);
    },
  );
  let answer: JsonObject = {};
  const over = channel.answerOf(call, signal).then(
    (result) => {
      answer = result;
      queue.end();
    },
    (error: unknown) => queue.fail(error),
  );
  try {
    for (;;) {
      const next = await queue.next();
      if (next.done === true) return answer;
      const more = window.take(next.value.length);
      if (more > 0) call.more(more);
      yield next.value;
    }
  } finally {
    if (!queue.ended) call.cancel();
    await over;
  }
}

// --- from this machine ---

/** A directory as an archive. */
export async function* packTree(root: string): AsyncGenerator<Data, void, undefined> {
  yield* packDirectory(root, '');
  yield tarEnd();
}

async function* packDirectory(root: string, below: string): AsyncGenerator<Data, void, undefined> {
  const names = (await readdir(path.join(root, below))).sort();
  for (const name of names) {
    const relative = below === '' ? name : `${below}/${name}`;
    const local = path.join(root, relative);
    const stats = await lstat(local);
    const entry = entryOf(relative, stats);
    if (entry === undefined) continue; // a socket, a device
    if (entry.type === 'link') entry.linkTo = await readlink(local);
    yield tarHeader(entry);
    if (entry.type === 'file') {
      yield* contents(local, entry.size);
      yield padding(entry.size);
    }
    if (entry.type === 'directory') yield* packDirectory(root, relative);
  }
}

function entryOf(relative: string, stats: Stats): TarEntry | undefined {
  const type = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'directory'
      : stats.isSymbolicLink()
        ? 'link'
        : undefined;
  if (type === undefined) return undefined;
  const { mode, size, mtimeMs } = stats;
  return {
    path: relative,
    type,
    mode: mode & 0o7777,
    modified: mtimeMs / 1000,
    size: type === 'file' ? size : 0,
  };
}

/** Exactly `size` bytes: that many were announced. */
async function* contents(file: string, size: number): AsyncGenerator<Data, void, undefined> {
  if (size === 0) return;
  let sent = 0;
  for await (const piece of createReadStream(file, { end: size - 1, highWaterMark: 256 * 1024 })) {
    sent += (piece as Buffer).length;
    yield piece as Buffer;
  }
  if (sent !== size) throw new Error(`${file}: it became shorter while it was read`);
}

// --- to this machine ---

/** Writes a file: under another name first, so that it is there whole or not at all. */
export async function writeFile(
  file: string,
  data: AsyncGenerator<Uint8Array, JsonObject, undefined>,
): Promise<Transfer> {
  await mkdir(path.dirname(file), { recursive: true });
  const part = `${file}.part-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const handle = await open(part, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    let next = await data.next();
    for (; next.done !== true; next = await data.next()) {
      await writeWhole(handle, next.value);
      hash.update(next.value);
      bytes += next.value.length;
    }
    const sha256 = hash.digest('hex');
    const expected = next.value['sha256'];
    if (typeof expected === 'string' && expected !== sha256) {
      throw new InfrastructureError(
        `download of ${file}: the checksum does not match; nothing was written`,
      );
    }
    await handle.close();
    await rename(part, file);
    return { bytes, files: 1, sha256 };
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  } finally {
    await data.return({}).catch(() => {});
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}

/** Unpacks an archive below `root`. What would be written outside of it is an error. */
export async function unpackTree(root: string, data: AsyncIterable<Uint8Array>): Promise<Transfer> {
  await mkdir(root, { recursive: true });
  const tree = new TreeWriter(root);
  const reader = new TarReader();
  try {
    for await (const piece of data) {
      for (const part of reader.push(piece)) {
        if (part.type === 'entry') await tree.begin(part.entry);
        else if (part.type === 'data') await tree.write(part.data);
        else await tree.end();
      }
    }
    if (!reader.complete)
      throw new InfrastructureError(`download to ${root}: the archive ends too early`);
    await tree.finish();
  } finally {
    await tree.close();
  }
  return { bytes: tree.bytes, files: tree.files };
}

class TreeWriter {
  bytes = 0;
  files = 0;
  #handle: FileHandle | undefined;
  #entry: TarEntry | undefined;
  #directories: { place: string; entry: TarEntry }[] = [];
  #checked = new Set<string>();

  constructor(readonly root: string) {}

  async begin(entry: TarEntry): Promise<void> {
    this.#entry = entry;
    if (entry.path === '' || entry.path === '.') return;
    const place = await this.#placeOf(entry.path);
    if (entry.type === 'directory') {
      await this.#removeUnless(place, (stats) => stats.isDirectory());
      await mkdir(place, { recursive: true });
      this.#directories.push({ place, entry });
      return;
    }
    await this.#removeUnless(place, () => false);
    if (entry.type === 'link') await symlink(entry.linkTo ?? '', place);
    else this.#handle = await open(place, 'wx', entry.mode);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#handle) return;
    await writeWhole(this.#handle, bytes);
    this.bytes += bytes.length;
  }

  async end(): Promise<void> {
    const entry = this.#entry;
    if (entry?.type === 'file' && this.#handle) {
      await this.#handle.chmod(entry.mode);
      await this.#handle.utimes(entry.modified, entry.modified);
      this.files += 1;
    }
    await this.close();
  }

  /** Modes and times of directories, when nothing is written into them any more. */
  async finish(): Promise<void> {
    for (const { place, entry } of this.#directories.reverse()) {
      await utimes(place, entry.modified, entry.modified);
      await chmod(place, entry.mode);
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Where an entry goes: below the root, and not through a link that the archive brought. */
  async #placeOf(relative: string): Promise<string> {
    const parts = relative.split('/').filter((part) => part !== '' && part !== '.');
    if (relative.startsWith('/') || parts.includes('..') || relative.includes('\0')) {
      throw new InfrastructureError(
        `download to ${this.root}: the archive names '${relative}', which is outside of it`,
      );
    }
    let place = this.root;
    for (const part of parts.slice(0, -1)) {
      place = path.join(place, part);
      if (this.#checked.has(place)) continue;
      await this.#removeUnless(place, (stats) => stats.isDirectory());
      await mkdir(place, { recursive: true });
      this.#checked.add(place);
    }
    return path.join(place, parts.at(-1) ?? '');
  }

  async #removeUnless(place: string, wanted: (stats: Stats) => boolean): Promise<void> {
    const stats = await lstat(place).catch(() => undefined);
    if (stats === undefined || wanted(stats)) return;
    await rm(place, { recursive: true });
    for (const known of this.#checked) {
      if (known === place || known.startsWith(place + path.sep)) this.#checked.delete(known);
    }
  }
}
