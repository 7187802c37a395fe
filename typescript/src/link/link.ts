// A Link carries lines to a program or a gateway and back. It knows nothing of what they say.

import type { TalariaError } from '../errors.js';

export interface Link {
  send(line: string): void;
  /** Ends the connection; resolves when nothing of it is left. Calls under way should have ended. */
  close(): Promise<void>;
  /** Whether this connection keeps the process alive. */
  ref(): void;
  unref(): void;
}

export interface LinkListener {
  line(text: string): void;
  /** The connection is over, and nobody here has closed it. Called once, and after the last line. */
  lost(error: TalariaError): void;
}

/** Opens a connection. Rejects with Unavailable if that is impossible. */
export type OpenLink = (listener: LinkListener) => Promise<Link>;
