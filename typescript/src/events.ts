// Events: what happens at targets beside calls. A process ended, a line matched, a target was lost.

import type { Channel } from './channel.js';
import { camel, type JsonObject } from './core/json.js';
import { InfrastructureError } from './errors.js';
import { Stream, Subscription } from './subscription.js';
import type { Cancellable } from './types.js';

export interface EventOptions extends Cancellable {
  /** The name under which the home remembers which events were delivered; default `default`. */
  consumer?: string | undefined;
  /** `kept`: first the events that this consumer has not had. `now`: only new ones. */
  start?: 'kept' | 'now' | undefined;
  /** An event counts as delivered when its `ack()` was called. */
  manual?: boolean | undefined;
}

export interface Event {
  /** `completion`, `watch_match`, `target_lost`, ... */
  type: string;
  id: number | undefined;
  /** The event as a text for a model. */
  text: string;
  /** The process that it is about, `proc_...`. */
  process: string | undefined;
  sessionKey: string;
  task: string;
  command: string;
  target: string;
  /** Seconds since 1970. */
  time: number;
  exitCode: number | undefined;
  output: string;
  /** All that the protocol says of it. */
  raw: JsonObject;
  /** This event and those before it were delivered. */
  ack(): Promise<void>;
}

// Pushed for other parts of this package.
const OF_OTHERS = /^(approval_|sudo_|tool_)/;

interface Members {
  type: string;
  id?: number;
  text?: string;
  message?: string;
  consumer?: string;
  sessionId?: string;
  sessionKey?: string;
  task?: string;
  command?: string;
  target?: string;
  time?: number;
  exitCode?: number;
  output?: string;
}

export function events(
  channel: Channel,
  sessionKey: string | undefined,
  options: EventOptions,
): Stream<Event> {
  const consumer = options.consumer ?? 'default';
  const params = {
    consumer,
    session_key: sessionKey,
    ack: options.manual === true ? 'manual' : undefined,
  };
  const method = 'events.subscribe';
  const subscription = new Subscription(
    channel,
    { method, params: { ...params, from: options.start } },
    { method: 'events.unsubscribe', params: { consumer } },
    { method, params }, // later: what has not been delivered yet
  );
  // A consumer that has had nothing yet gets all events when it subscribes again.
  const since = options.start === 'now' ? Math.floor(Date.now() / 1000) : 0;
  return new Stream<Event>(subscription, options.signal, (push, end) => {
    let last = 0;
    return channel.listen((wire) => {
      const members = camel<Members>(wire);
      if (OF_OTHERS.test(members.type) || (members.consumer ?? consumer) !== consumer) return;
      if (members.type === 'subscription_ended') {
        end(new InfrastructureError(`events: the subscription ended: ${members.message ?? ''}`));
        return;
      }
      if (members.id !== undefined && members.id <= last) return; // of another subscription, or again
      if (members.time !== undefined && members.time < since) return;
      last = members.id ?? last;
      push(eventOf(channel, consumer, members, wire));
    });
  });
}

function eventOf(channel: Channel, consumer: string, members: Members, raw: JsonObject): Event {
  const { id } = members;
  return {
    type: members.type,
    id,
    text: members.text ?? members.message ?? '',
    process: members.sessionId === '' ? undefined : members.sessionId,
    sessionKey: members.sessionKey ?? '',
    task: members.task ?? '',
    command: members.command ?? '',
    target: members.target ?? '',
    time: members.time ?? 0,
    exitCode: members.exitCode,
    output: members.output ?? '',
    raw,
    async ack() {
      if (id !== undefined) await channel.method('events.ack', { consumer, id });
    },
  };
}
