// JSON as TypeScript sees it, and the one translation between the two spellings of names: the wire
// writes exit_code, this package exitCode.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A request as callers write it: members that are undefined are left out. */
export type Params = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const camelNames = new Map<string, string>();

function camelName(name: string): string {
  let found = camelNames.get(name);
  if (found === undefined) {
    found = name.replace(/(?!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (camelNames.size < 4096) camelNames.set(name, found);
  }
  return found;
}

// Members whose names are the user's own, such as variables of a command.
const VERBATIM = new Set(['env', 'args', 'result', 'settings']);

/** The names of all members, as this package writes them. */
export function camel<T>(value: Json | undefined): T {
  return camelValue(value) as T;
}

function camelValue(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map(camelValue);
  if (!isObject(value)) return value ?? undefined;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== null) result[camelName(name)] = VERBATIM.has(name) ? member : camelValue(member);
  }
  return result;
}

/** How deep lists and objects are nested; 0 for a plain value. Stops counting after `limit`. */
export function depth(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const member of Object.values(value)) {
    if (deepest >= limit) break;
    if (typeof member === 'object') deepest = Math.max(deepest, depth(member, limit - 1));
  }
  return deepest + 1;
}
