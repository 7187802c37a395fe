// CodeResult: how a script ended, and what it printed.

import { camel, type JsonObject } from './core/json.js';

export class CodeResult {
  readonly status: 'success' | 'error' | 'timeout' | 'interrupted';
  readonly output: string;
  readonly error: string | undefined;
  /** How many tools it called. */
  readonly toolCalls: number;
  /** Seconds. */
  readonly duration: number;
  readonly notices: readonly string[];
  /** The result of the tool `execute_code`. */
  readonly raw: JsonObject;

  constructor(raw: JsonObject) {
    const members = camel<{
      status?: CodeResult['status'];
      output?: string;
      error?: string;
      toolCallsMade?: number;
      durationSeconds?: number;
      notices?: string[];
    }>(raw);
    this.status = members.status ?? (members.error === undefined ? 'success' : 'error');
    this.output = members.output ?? '';
    this.error = members.error;
    this.toolCalls = members.toolCallsMade ?? 0;
    this.duration = members.durationSeconds ?? 0;
    this.notices = members.notices ?? [];
    this.raw = raw;
  }

  /** The script ended with exit code 0. */
  get ok(): boolean {
    return this.status === 'success';
  }
}
