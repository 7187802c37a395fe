// Questions that people answer: whether a command may run, and passwords of sudo.

import type { Channel } from './channel.js';
import { camel, isObject, type JsonObject } from './core/json.js';
import { Subscription, Stream } from './subscription.js';
import {
  commandParams,
  type Cancellable,
  type Command,
  type Covers,
  type Scope,
  type Time,
} from './types.js';
import type { Where } from './exec.js';

export interface ApproveOptions {
  /** Default `once`. */
  scope?: Scope | undefined;
  /** What `session` and `always` cover; default: exactly this command. */
  covers?: Covers | undefined;
  /** When that ends. */
  for?: Time | undefined;
}

/** What a handler returns. true approves once; false and undefined deny. */
export type Answer = boolean | undefined | { approve: ApproveOptions } | { deny: string };

interface Members {
  id: string;
  command?: string;
  description?: string;
  patternKey?: string;
  patternKeys?: string[];
  sessionKey?: string;
  task?: string;
  target?: string;
  cwd?: string;
  allowPermanent?: boolean;
  state?: string;
  choice?: string;
  created?: number;
  expires?: number;
}

/** A question: may this command run? */
export class Approval {
  readonly #approvals: Approvals;
  readonly id: string;
  readonly command: string;
  /** Why it needs approval. */
  readonly description: string;
  readonly rule: string;
  readonly rules: readonly string[];
  readonly sessionKey: string;
  readonly task: string;
  readonly target: string;
  readonly cwd: string;
  readonly allowAlways: boolean;
  /** `open`, `answered`, `expired` or `used`. */
  readonly state: string;
  readonly choice: string | undefined;
  readonly created: number | undefined;
  readonly expires: number | undefined;
  /** All that the protocol says of it: details, offers, notices. */
  readonly raw: JsonObject;

  constructor(approvals: Approvals, wire: JsonObject) {
    const members = camel<Members>(wire);
    this.#approvals = approvals;
    this.id = members.id;
    this.command = members.command ?? '';
    this.description = members.description ?? '';
    this.rule = members.patternKey ?? '';
    this.rules = members.patternKeys ?? [];
    this.sessionKey = members.sessionKey ?? '';
    this.task = members.task ?? '';
    this.target = members.target ?? '';
    this.cwd = members.cwd ?? '';
    this.allowAlways = members.allowPermanent ?? false;
    this.state = members.state ?? 'open';
    this.choice = members.choice;
    this.created = members.created;
    this.expires = members.expires;
    this.raw = wire;
  }

  /** Yes: once, for the session, or always. */
  approve(options: ApproveOptions = {}): Promise<Approval> {
    return this.#approvals.approve(this, options);
  }

  /** No. The model gets `words`. */
  deny(words?: string): Promise<Approval> {
    return this.#approvals.deny(this, words);
  }
}

/** How a command is judged, without running it. */
export interface Verdict {
  verdict: 'allowed' | 'ask' | 'denied';
  rule?: string;
  rules?: string[];
  description?: string;
}

/** Questions about the commands of this client. Iterate over them, or set a handler; without
 * either, commands that need approval are refused or wait for `talaria approve`, as configured. */
export class Approvals implements AsyncIterable<Approval> {
  readonly #channel: Channel;
  readonly #subscription: Subscription;
  #handler: { leave: () => Promise<void>; unlisten: () => void } | undefined;

  constructor(channel: Channel, sessionKey: string | undefined) {
    this.#channel = channel;
    const params = { session_key: sessionKey };
    this.#subscription = new Subscription(
      channel,
      { method: 'approvals.subscribe', params },
      { method: 'approvals.unsubscribe', params },
    );
  }

  /** The open questions of the home, oldest first, also those of other programs. `all` adds those
   * that were answered or have expired. */
  async list(options: Cancellable & { all?: boolean | undefined } = {}): Promise<Approval[]> {
    const answer = await this.#channel.method(
      'approvals.list',
      { all: options.all },
      options.signal,
    );
    const found = answer['approvals'];
    return Array.isArray(found) ? found.filter(isObject).map((one) => new Approval(this, one)) : [];
  }

  /** Yes: once, for the session, or always. */
  approve(approval: Approval | string, options: ApproveOptions = {}): Promise<Approval> {
    const { scope = 'once', covers, for: until } = options;
    return this.#answer(approval, { answer: scope, covers, for: until });
  }

  /** No. The model gets `words`. */
  deny(approval: Approval | string, words?: string): Promise<Approval> {
    return this.#answer(approval, { answer: 'deny', words });
  }

  async #answer(approval: Approval | string, params: object): Promise<Approval> {
    const id = typeof approval === 'string' ? approval : approval.id;
    return new Approval(this, await this.#channel.method('approvals.answer', { id, ...params }));
  }

  /** Approves a command before anybody asks. */
  async grant(
    command: Command,
    options: Cancellable & {
      covers: Covers;
      for?: Time | undefined;
      cwd?: string | undefined;
    } & Pick<Where, 'task' | 'sandbox'>,
  ): Promise<JsonObject> {
    const { covers, for: until, cwd, task, sandbox } = options;
    const params = { ...commandParams(command), covers, for: until, cwd, task, sandbox };
    const { grant } = await this.#channel.method('approvals.grant', params, options.signal);
    return isObject(grant) ? grant : {};
  }

  /** Asks `handler` about every dangerous command of this client. A handler that throws denies.
   * undefined ends that. */
  async handler(
    handler: ((approval: Approval) => Answer | Promise<Answer>) | undefined,
  ): Promise<void> {
    const before = this.#handler;
    this.#handler = undefined;
    before?.unlisten();
    if (handler) {
      const unlisten = this.#listen((approval) => void this.#handle(approval, handler));
      const leave = await this.#subscription.use(reportLoss);
      this.#handler = { leave, unlisten };
    }
    await before?.leave();
  }

  async #handle(
    approval: Approval,
    handler: (approval: Approval) => Answer | Promise<Answer>,
  ): Promise<void> {
    let answer: Answer;
    try {
      answer = await handler(approval);
    } catch (error) {
      process.emitWarning(
        `a handler of approvals failed, so the command is denied: ${String(error)}`,
      );
      answer = false;
    }
    try {
      if (answer === true) await approval.approve();
      else if (typeof answer !== 'object') await approval.deny();
      else if ('deny' in answer) await approval.deny(answer.deny);
      else await approval.approve(answer.approve);
    } catch (error) {
      // Somebody else was quicker, the call was cancelled, or the connection is gone.
      process.emitWarning(
        `approval ${approval.id} was not answered: ${String(error)}`,
        'TalariaWarning',
      );
    }
  }

  #listen(heard: (approval: Approval) => void): () => void {
    return this.#channel.listen((event) => {
      if (event['type'] === 'approval_requested') heard(new Approval(this, event));
    });
  }

  /** The questions of this client's commands, as they come. */
  questions(options: Cancellable = {}): Stream<Approval> {
    return new Stream<Approval>(this.#subscription, options.signal, (push) => this.#listen(push));
  }

  [Symbol.asyncIterator](): Stream<Approval> {
    return this.questions();
  }
}

function reportLoss(error: Error): void {
  process.emitWarning(`a handler is not asked any more: ${error.message}`, 'TalariaWarning');
}

/** A command asks for the password of sudo. */
export interface SudoRequest {
  id: string;
  command: string;
  task?: string;
  sessionKey?: string;
  target?: string;
  timeout?: number;
}

/** Passwords of sudo. */
export class Sudo {
  readonly #channel: Channel;
  readonly #subscription: Subscription;
  #handler: { leave: () => Promise<void>; unlisten: () => void } | undefined;

  constructor(channel: Channel, sessionKey: string | undefined) {
    this.#channel = channel;
    const params = { session_key: sessionKey };
    this.#subscription = new Subscription(
      channel,
      { method: 'sudo.subscribe', params },
      { method: 'sudo.unsubscribe', params },
    );
  }

  /** Asks `handler` for the password when a command of this client runs sudo. It returns the
   * password, or undefined to refuse. undefined as handler ends that. */
  async handler(
    handler:
      ((request: SudoRequest) => string | undefined | Promise<string | undefined>) | undefined,
  ): Promise<void> {
    const before = this.#handler;
    this.#handler = undefined;
    before?.unlisten();
    if (handler) {
      const unlisten = this.#channel.listen((event) => {
        if (event['type'] === 'sudo_requested')
          void this.#handle(camel<SudoRequest>(event), handler);
      });
      const leave = await this.#subscription.use(reportLoss);
      this.#handler = { leave, unlisten };
    }
    await before?.leave();
  }

  async #handle(
    request: SudoRequest,
    handler: (request: SudoRequest) => string | undefined | Promise<string | undefined>,
  ): Promise<void> {
    let password: string | undefined;
    try {
      password = await handler(request);
    } catch (error) {
      process.emitWarning(`a handler of sudo failed, so there is no password: ${String(error)}`);
    }
    await this.#channel
      .method('sudo.answer', { id: request.id, password: password ?? null })
      .catch(() => {});
  }
}
