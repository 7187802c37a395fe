// The errors of this package. Every error is a TalariaError; a command that fails is not an error
// but a result, unless the caller asks for that (`check`).
//
//   TalariaError
//     InfrastructureError     the machinery failed, not the command
//       Unavailable           the target cannot be reached; nothing was started
//       RunnerLost            the runner at the target is gone; the command may have run
//       ConnectionLost        the program or the gateway is gone; the command may have run
//       DeadlinePassed        the target did not answer in time
//     CommandError            a command ended badly (`check` throws it)
//       CommandFailed         with an exit code other than 0
//       CommandTimeout        at its timeout; `result` has what it printed
//     Denied                  policy or a person refused
//       ApprovalPending       a person has to approve it first
//     NotFound                there is no such process, sandbox, file, tool
//     BadRequest              the call is invalid; the same call fails again
//     LimitReached            a limit was reached; the message names it
//     Interrupted             the call was cancelled
//     ToolError               a tool reported an error in its result

import { camel, type JsonObject } from './core/json.js';
import type { Result } from './result.js';

/** As the protocol has it. */
interface Denial {
  by?: string;
  rule?: string;
  rules?: string[];
  description?: string;
  approval?: string;
  words?: string;
}

export interface ErrorDetails {
  kind?: string | undefined;
  reason?: string | undefined;
  denial?: Denial | undefined;
  cause?: unknown | undefined;
}

export class TalariaError extends Error {
  override name = 'TalariaError';
  /** The kind of the protocol: `not_found`, `denied`, ... */
  readonly kind: string;
  /** More than the kind, where a program may want to act on it: `pending`, `declined`, ... */
  readonly reason: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = details.kind ?? 'system';
    this.reason = details.reason;
  }
}

/** The machinery failed, not the command. */
export class InfrastructureError extends TalariaError {
  override name = 'InfrastructureError';
}

/** The target, the gateway or the program cannot be reached. Nothing was started. */
export class Unavailable extends InfrastructureError {
  override name = 'Unavailable';
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { kind: 'unavailable', ...details });
  }
}

/** The runner at the target is gone. The command may have run. */
export class RunnerLost extends InfrastructureError {
  override name = 'RunnerLost';
}

/** The connection to the program or the gateway ended while the call was under way. What it started
 * may have run; the next call connects again. Sessions and background processes are still there. */
export class ConnectionLost extends InfrastructureError {
  override name = 'ConnectionLost';
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { kind: 'connection_lost', ...details });
  }
}

/** The target did not answer in time. */
export class DeadlinePassed extends InfrastructureError {
  override name = 'DeadlinePassed';
}

/** A command ended badly. `result` has what it printed. */
export class CommandError extends TalariaError {
  override name = 'CommandError';
  constructor(
    message: string,
    readonly result: Result,
  ) {
    super(message, { kind: 'command' });
  }
}

/** A command ended with an exit code other than 0. */
export class CommandFailed extends CommandError {
  override name = 'CommandFailed';
}

/** A command was ended at its timeout. */
export class CommandTimeout extends CommandError {
  override name = 'CommandTimeout';
}

/** Policy or a person refused. Nothing was started. */
export class Denied extends TalariaError {
  override name = 'Denied';
  /** Who refused: `hardline`, `configuration`, `person`, `program` or `nobody`. */
  readonly by: string | undefined;
  /** The most important rule that applies. */
  readonly rule: string | undefined;
  /** All rules that apply. */
  readonly rules: readonly string[];
  /** What is dangerous about it. */
  readonly description: string;
  /** The question that was asked, for `approvals.approve`. */
  readonly approvalId: string | undefined;
  /** What the person who denied wrote. */
  readonly words: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { kind: 'denied', ...details });
    const denial = details.denial ?? {};
    this.by = denial.by;
    this.rule = denial.rule;
    this.rules = denial.rules ?? [];
    this.description = denial.description ?? '';
    this.approvalId = denial.approval;
    this.words = denial.words;
  }
}

/** A person has to approve the command first; nothing was started. After
 * `approvals.approve(error.approvalId)` the same call runs once. */
export class ApprovalPending extends Denied {
  override name = 'ApprovalPending';
}

/** There is no such process, sandbox, file, tool or approval. */
export class NotFound extends TalariaError {
  override name = 'NotFound';
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { kind: 'not_found', ...details });
  }
}

/** The call is invalid. The same call fails again. */
export class BadRequest extends TalariaError {
  override name = 'BadRequest';
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { kind: 'bad_request', ...details });
  }
}

/** A limit was reached. The message names it. */
export class LimitReached extends TalariaError {
  override name = 'LimitReached';
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { kind: 'limit', ...details });
  }
}

/** The call was cancelled. `name` is `AbortError`, so that code which knows AbortController knows
 * it; `cause` is the reason of the signal. */
export class Interrupted extends TalariaError {
  override name = 'AbortError';
  /** Of a command: what it had printed. */
  readonly result: Result | undefined;
  constructor(message: string, details: ErrorDetails & { result?: Result | undefined } = {}) {
    super(message, { kind: 'interrupted', ...details });
    this.result = details.result;
  }
}

/** A tool reported an error. `result` is all that it reported. */
export class ToolError extends TalariaError {
  override name = 'ToolError';
  constructor(
    message: string,
    readonly result: JsonObject,
  ) {
    super(message, { kind: 'tool' });
  }
}

type ErrorClass = new (message: string, details: ErrorDetails) => TalariaError;

const CLASSES = new Map<string, ErrorClass>([
  ['bad_request', BadRequest],
  ['not_found', NotFound],
  ['denied', Denied],
  ['timed_out', DeadlinePassed],
  ['interrupted', Interrupted],
  ['unavailable', Unavailable],
  ['runner_lost', RunnerLost],
  ['limit', LimitReached],
]);

/** The error that a message of the protocol describes. An unknown kind counts as `system`. */
export function errorOf(wire: JsonObject): TalariaError {
  const { kind, message, reason, denial } = camel<{
    kind?: string;
    message?: string;
    reason?: string;
    denial?: Denial;
  }>(wire);
  const known =
    kind === 'denied' && reason === 'pending'
      ? ApprovalPending
      : (CLASSES.get(kind ?? '') ?? InfrastructureError);
  return new known(message ?? 'the call failed, and no message says why', {
    kind: kind ?? 'system',
    reason,
    denial,
  });
}
