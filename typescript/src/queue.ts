// A queue with one reader: what is pushed comes out of an async iterator, in order. Ending it, with
// or without an error, comes after everything that was pushed before.

export class Queue<T> {
  #items: T[] = [];
  #head = 0;
  #waiting: {
    resolve: (result: IteratorResult<T, undefined>) => void;
    reject: (error: unknown) => void;
  }[] = [];
  #end: { error?: unknown } | undefined;

  get ended(): boolean {
    return this.#end !== undefined;
  }

  push(item: T): void {
    if (this.#end) return;
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ value: item, done: false });
    else this.#items.push(item);
  }

  end(): void {
    this.#finish({});
  }

  fail(error: unknown): void {
    this.#finish({ error });
  }

  #finish(end: { error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    for (const waiting of this.#waiting.splice(0)) {
      if ('error' in end) waiting.reject(end.error);
      else waiting.resolve({ value: undefined, done: true });
    }
  }

  /** Forgets what nobody has taken. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#items.length) {
      const value = this.#items[this.#head] as T;
      this.#head += 1;
      if (this.#head === this.#items.length) this.clear();
      return Promise.resolve({ value, done: false });
    }
    if (this.#end) {
      const end = this.#end;
      this.#end = {}; // an error is thrown once
      return 'error' in end
        ? Promise.reject(end.error)
        : Promise.resolve({ value: undefined, done: true });
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}
