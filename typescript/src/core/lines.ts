// Lines out of pieces of bytes, however they were cut. No I/O.

const LINE_FEED = 0x0a;

export class LineSplitter {
  #pieces: Uint8Array[] = [];

  /** The lines that this piece completes, without their line feeds. Blank lines are left out. */
  push(piece: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (;;) {
      const end = piece.indexOf(LINE_FEED, from);
      if (end < 0) break;
      this.#pieces.push(piece.subarray(from, end));
      const line = Buffer.concat(this.#pieces).toString('utf8').trim();
      this.#pieces = [];
      if (line !== '') lines.push(line);
      from = end + 1;
    }
    // The reader may use its memory again, so what is left over is copied.
    if (from < piece.length) this.#pieces.push(Uint8Array.from(piece.subarray(from)));
    return lines;
  }
}
