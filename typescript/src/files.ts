// Files at a target: read and written as they are, and edited with the tools that a model has.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

import type { Channel } from './channel.js';
import { camel, isObject, type Json, type JsonObject, type Params } from './core/json.js';
import { dataOf, encodeData } from './core/protocol.js';
import { NotFound, ToolError } from './errors.js';
import type { Where } from './exec.js';
import { packTree, receive, send, unpackTree, writeFile, type Transfer } from './transfer.js';
import type { Cancellable, Data, FileStat } from './types.js';

const PIECE = 4 * 1024 * 1024; // of a file that is read
const AT_ONCE = 8 * 1024 * 1024; // more than this is written as a stream

export interface FileOptions extends Cancellable {
  /** false: fail with ApprovalPending instead of waiting for a person. */
  waitApproval?: boolean | undefined;
}

export interface WriteOptions extends FileOptions {
  append?: boolean | undefined;
  /** Such as "0644". */
  mode?: string | undefined;
  /** Make missing directories; default true. */
  parents?: boolean | undefined;
}

/** What an edit or a patch changed. */
export interface EditResult {
  diff: string;
  modified: string[];
  created: string[];
  deleted: string[];
}

export interface SearchOptions extends Cancellable {
  /** Search in the contents (a regular expression), or names of files (a glob). */
  what?: 'content' | 'files' | undefined;
  /** The directory or file; default: the directory of the session. */
  path?: string | undefined;
  /** Only files with such names, such as "*.py". */
  glob?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  /** Lines before and after each match. */
  context?: number | undefined;
}

/** A line that a search found. */
export interface Match {
  path: string;
  line: number;
  text: string;
  /** It is near a match, not one itself. */
  context: boolean;
}

export interface SearchResult {
  /** All results, not only those shown. */
  total: number;
  matches: Match[];
  /** Names, with `what: "files"`. */
  files: string[];
  truncated: boolean;
}

export class Files {
  readonly #channel: Channel;
  readonly #caller: Where;
  readonly #where: Where;

  constructor(channel: Channel, caller: Where) {
    this.#channel = channel;
    this.#caller = caller;
    this.#where = { task: caller.task, sandbox: caller.sandbox };
  }

  /** Policy judges what is read and changed; facts about files are free. */
  #call(method: string, params: Params, options: FileOptions): Promise<JsonObject> {
    const free = method === 'stat' || method === 'list';
    const where = free ? this.#where : this.#judged(options);
    return this.#channel.method(`files.${method}`, { ...where, ...params }, options.signal);
  }

  #judged(options: FileOptions): Params {
    return { ...this.#caller, wait_approval: options.waitApproval };
  }

  /** The result of a tool; throws what it reports as its error. */
  async #tool(tool: string, args: Params, options: Cancellable): Promise<JsonObject> {
    const result = await this.#channel.request({ tool, args, ...this.#caller }, options.signal);
    const { error } = result;
    if (error !== undefined && error !== null)
      throw new ToolError(`${tool}: ${textOf(error)}`, result);
    return result;
  }

  /** A file as bytes, or `max` of them from byte `start` on. */
  async read(
    path: string,
    options: FileOptions & { start?: number | undefined; max?: number | undefined } = {},
  ): Promise<Uint8Array> {
    const { start = 0, max = Infinity } = options;
    const pieces: Buffer[] = [];
    for (let from = start; from < start + max;) {
      const params = { path, from, max: Math.min(PIECE, start + max - from), encoding: 'base64' };
      const answer = await this.#call('read', params, options);
      pieces.push(Buffer.from(dataOf(answer) ?? ''));
      if (answer['eof'] === true) break;
      from = Number(answer['next']);
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  /** A file as text. Bytes that are not UTF-8 become U+FFFD. */
  async readText(path: string, options: FileOptions = {}): Promise<string> {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await this.read(path, options));
  }

  /** Writes a file in one step, so that nobody sees half of it. */
  async write(path: string, data: Data, options: WriteOptions = {}): Promise<void> {
    const { append, mode, parents } = options;
    if (data.length <= AT_ONCE || append === true) {
      await this.#call('write', { path, ...encodeData(data), append, mode, parents }, options);
      return;
    }
    const params = { ...this.#judged(options), path, kind: 'file', mode, parents };
    await send(this.#channel, params, once(data), options);
  }

  /** Replaces a text in a file. It must be there exactly once, unless
   * `replaceAll`. */
  async edit(
    path: string,
    oldText: string,
    newText: string,
    options: Cancellable & { replaceAll?: boolean | undefined } = {},
  ): Promise<EditResult> {
    const args = {
      mode: 'replace',
      path,
      old_string: oldText,
      new_string: newText,
      replace_all: options.replaceAll,
    };
    return editResult(await this.#tool('patch', args, options));
  }

  /** Applies a patch in the V4A format. */
  async patch(patch: string, options: Cancellable = {}): Promise<EditResult> {
    return editResult(await this.#tool('patch', { mode: 'patch', patch }, options));
  }

  /** Searches the contents of files by a regular expression, or names of files by a glob. */
  async search(pattern: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { what: target, path, glob: file_glob, limit, offset, context } = options;
    const args = { pattern, target, path, file_glob, limit, offset, context };
    const { totalCount, matches, files, truncated } = camel<{
      totalCount?: number;
      matches?: { path: string; line: number; content: string; context?: boolean }[];
      files?: string[];
      truncated?: boolean;
    }>(await this.#tool('search_files', args, options));
    return {
      total: totalCount ?? 0,
      matches: (matches ?? []).map((match) => ({
        path: match.path,
        line: match.line,
        text: match.content,
        context: match.context ?? false,
      })),
      files: files ?? [],
      truncated: truncated ?? false,
    };
  }

  /** Facts about a file; throws NotFound if there is none. */
  async stat(path: string, options: Cancellable = {}): Promise<FileStat> {
    return camel<FileStat>(await this.#call('stat', { path }, options));
  }

  async exists(path: string, options: Cancellable = {}): Promise<boolean> {
    try {
      await this.stat(path, options);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  /** What is in a directory; with `depth`, also in those below. Paths are relative to it. */
  async list(
    path: string,
    options: Cancellable & { depth?: number | undefined; max?: number | undefined } = {},
  ): Promise<FileStat[]> {
    const { depth, max } = options;
    const answer = await this.#call('list', { path, depth, max }, options);
    return camel<{ entries: FileStat[] }>(answer).entries;
  }

  /** Everything below a directory. */
  tree(
    path: string,
    options: Cancellable & { max?: number | undefined } = {},
  ): Promise<FileStat[]> {
    return this.list(path, { depth: 100, ...options });
  }

  async remove(
    path: string,
    options: FileOptions & { recursive?: boolean | undefined } = {},
  ): Promise<void> {
    await this.#call('remove', { path, recursive: options.recursive }, options);
  }

  async makeDir(
    path: string,
    options: FileOptions & { parents?: boolean | undefined; mode?: string | undefined } = {},
  ): Promise<void> {
    await this.#call('make_dir', { path, parents: options.parents, mode: options.mode }, options);
  }

  async rename(
    from: string,
    to: string,
    options: FileOptions & { overwrite?: boolean | undefined } = {},
  ): Promise<void> {
    await this.#call('rename', { from, to, overwrite: options.overwrite }, options);
  }

  /** Copies a file or a directory of this machine to the target. */
  async upload(
    local: string,
    path: string,
    options: Omit<WriteOptions, 'append'> = {},
  ): Promise<Transfer> {
    const tree = (await stat(local)).isDirectory();
    const params = {
      ...this.#judged(options),
      path,
      kind: tree ? 'tree' : 'file',
      mode: options.mode,
      parents: options.parents,
    };
    const data = tree
      ? packTree(local)
      : (createReadStream(local, { highWaterMark: 256 * 1024 }) as AsyncIterable<Data>);
    return camel<Transfer>(await send(this.#channel, params, data, options));
  }

  /** Copies a file or a directory of the target to this machine. */
  async download(path: string, local: string, options: FileOptions = {}): Promise<Transfer> {
    const { type } = await this.stat(path, options);
    const kind = type === 'directory' ? 'tree' : 'file';
    const data = receive(this.#channel, { ...this.#judged(options), path, kind }, options);
    return kind === 'tree' ? unpackTree(local, data) : writeFile(local, data);
  }
}

async function* once(data: Data): AsyncGenerator<Data, void, undefined> {
  yield data;
}

function textOf(error: Json): string {
  return typeof error === 'string'
    ? error
    : isObject(error)
      ? String(error['message'] ?? '')
      : JSON.stringify(error);
}

function editResult(wire: JsonObject): EditResult {
  const { diff, filesModified, filesCreated, filesDeleted } = camel<{
    diff?: string;
    filesModified?: string[];
    filesCreated?: string[];
    filesDeleted?: string[];
  }>(wire);
  return {
    diff: diff ?? '',
    modified: filesModified ?? [],
    created: filesCreated ?? [],
    deleted: filesDeleted ?? [],
  };
}
