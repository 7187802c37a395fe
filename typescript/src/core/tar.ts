// Tar archives (ustar with pax headers), written and read in pieces. No I/O: file contents come and
// go as bytes. Only what a tree of files needs: files, directories, symbolic links, modes, times.

const BLOCK = 512;

export interface TarEntry {
  /** Relative, with `/` between its parts. */
  path: string;
  type: 'file' | 'directory' | 'link';
  /** The permission bits. */
  mode: number;
  /** Seconds since 1970. */
  modified: number;
  size: number;
  /** Of a link, where it leads. */
  linkTo?: string;
}

const TYPES = { file: '0', directory: '5', link: '2' } as const;

/** The header of an entry; its contents follow, then `padding(size)`. */
export function tarHeader(entry: TarEntry): Buffer {
  const path = entry.type === 'directory' ? `${entry.path}/` : entry.path;
  const records: [string, string][] = [];
  if (Buffer.byteLength(path) > 100 || !isAscii(path)) records.push(['path', path]);
  if (
    entry.linkTo !== undefined &&
    (Buffer.byteLength(entry.linkTo) > 100 || !isAscii(entry.linkTo))
  ) {
    records.push(['linkpath', entry.linkTo]);
  }
  if (entry.size >= 0o77777777777) records.push(['size', String(entry.size)]);
  const header = block(path, TYPES[entry.type], entry);
  if (records.length === 0) return header;
  const text = Buffer.concat(records.map(([name, value]) => paxRecord(name, value)));
  const pax = block('pax', 'x', { ...entry, mode: 0o644, size: text.length, linkTo: '' });
  return Buffer.concat([pax, text, padding(text.length), header]);
}

/** What follows contents of so many bytes. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\x20-\x7e]*$/.test(text);
}

function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.byteLength(name) + Buffer.byteLength(value) + 3;
  let size = rest + String(rest).length;
  if (String(size).length !== String(rest).length) size += 1;
  return Buffer.from(`${size} ${name}=${value}\n`);
}

function block(path: string, type: string, entry: Omit<TarEntry, 'path' | 'type'>): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    header.write(Math.floor(value).toString(8).padStart(digits, '0').slice(-digits), at, 'latin1');
  header.write(path, 0, 100, 'utf8');
  octal(entry.mode & 0o7777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(entry.size >= 0o77777777777 ? 0 : entry.size, 124, 11);
  octal(Math.max(0, entry.modified), 136, 11);
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write(entry.linkTo ?? '', 157, 100, 'utf8');
  header.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  octal(sum, 148, 6);
  header[154] = 0;
  return header;
}

export type TarPiece =
  { type: 'entry'; entry: TarEntry } | { type: 'data'; data: Buffer } | { type: 'end' };

/** Reads an archive: each entry, then the pieces of its contents, then its end. */
export class TarReader {
  #pending: Buffer = Buffer.alloc(0);
  #left = 0; // of the contents of an entry
  #pad = 0;
  #inside = false;
  #over = false;
  #pax: { size: number; global: boolean } | undefined;
  #long: { size: number; name: 'path' | 'linkpath' } | undefined;
  #records = new Map<string, string>();

  /** Nothing is missing: the end of the archive was read. */
  get complete(): boolean {
    return this.#over;
  }

  /** Throws an Error for what is not an archive. */
  push(bytes: Uint8Array): TarPiece[] {
    this.#pending =
      this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    const pieces: TarPiece[] = [];
    while (!this.#over && this.#step(pieces));
    if (this.#over) this.#pending = Buffer.alloc(0);
    return pieces;
  }

  #cut(size: number): Buffer {
    const piece = this.#pending.subarray(0, size);
    this.#pending = this.#pending.subarray(size);
    return piece;
  }

  #step(pieces: TarPiece[]): boolean {
    if (this.#inside) return this.#contents(pieces);
    if (this.#pad > 0) {
      if (this.#pending.length < this.#pad) return false;
      this.#cut(this.#pad);
      this.#pad = 0;
    }
    const extra = this.#pax ?? this.#long;
    if (extra) return this.#extra(extra.size);
    if (this.#pending.length < BLOCK) return false;
    this.#header(this.#cut(BLOCK), pieces);
    return true;
  }

  #contents(pieces: TarPiece[]): boolean {
    if (this.#left > 0) {
      if (this.#pending.length === 0) return false;
      const data = this.#cut(Math.min(this.#left, this.#pending.length));
      this.#left -= data.length;
      pieces.push({ type: 'data', data });
    }
    if (this.#left === 0) {
      this.#inside = false;
      pieces.push({ type: 'end' });
    }
    return true;
  }

  /** The contents of an entry that describes the next one. */
  #extra(size: number): boolean {
    if (this.#pending.length < size) return false;
    const text = this.#cut(size);
    this.#pad = padding(size).length;
    if (this.#long) this.#records.set(this.#long.name, text.toString('utf8').replace(/\0.*$/s, ''));
    else if (this.#pax?.global === false) readPax(text, this.#records);
    this.#pax = undefined;
    this.#long = undefined;
    return true;
  }

  #header(header: Buffer, pieces: TarPiece[]): void {
    if (header.every((byte) => byte === 0)) {
      this.#over = true;
      return;
    }
    const text = (at: number, size: number) =>
      header.toString('utf8', at, at + size).replace(/\0.*$/s, '');
    const octal = (at: number, size: number) => Number.parseInt(text(at, size).trim() || '0', 8);
    let sum = 0;
    for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
    if (sum !== octal(148, 8)) throw new Error('the archive is damaged: a checksum does not match');
    const size = Number(this.#records.get('size') ?? octal(124, 12));
    const type = text(156, 1) || '0';
    if (type === 'x' || type === 'g') this.#pax = { size, global: type === 'g' };
    else if (type === 'L' || type === 'K')
      this.#long = { size, name: type === 'L' ? 'path' : 'linkpath' };
    else this.#begin(type, size, text, octal, pieces);
  }

  #begin(
    type: string,
    size: number,
    text: (at: number, size: number) => string,
    octal: (at: number, size: number) => number,
    pieces: TarPiece[],
  ): void {
    const prefix = text(345, 155);
    const path =
      this.#records.get('path') ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`);
    const kind =
      type === '5'
        ? 'directory'
        : type === '2'
          ? 'link'
          : type === '0' || type === '7'
            ? 'file'
            : undefined;
    if (kind === undefined)
      throw new Error(
        `the archive has an entry of type '${type}' (${path}), which is not supported`,
      );
    const entry: TarEntry = {
      path: path.replace(/^(\.\/)+/, '').replace(/\/+$/, ''),
      type: kind,
      mode: octal(100, 8) & 0o7777,
      modified: Number(this.#records.get('mtime') ?? octal(136, 12)),
      size: kind === 'file' ? size : 0,
    };
    if (kind === 'link') entry.linkTo = this.#records.get('linkpath') ?? text(157, 100);
    this.#records.clear();
    this.#inside = true;
    this.#left = entry.size;
    this.#pad = padding(size).length;
    pieces.push({ type: 'entry', entry });
  }
}

function readPax(text: Buffer, records: Map<string, string>): void {
  let at = 0;
  while (at < text.length) {
    const blank = text.indexOf(0x20, at);
    const size = Number(text.toString('latin1', at, blank));
    if (blank < 0 || !(size > 0))
      throw new Error('the archive is damaged: a pax header is invalid');
    const record = text.toString('utf8', blank + 1, at + size - 1);
    const equals = record.indexOf('=');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += size;
  }
}
