import type { ConsentCard } from '@svc/runtime';

type Footprint = ConsentCard['footprint'];

/** A footprint as it arrives: JSON has no maps, so that each comes as an object or as pairs. */
type Sent<Value> =
  | ReadonlyMap<string, Value>
  | Readonly<Record<string, Value>>
  | readonly (readonly [string, Value])[];

/** The entries of what was a map before it was sent. What is none has none. */
export function entriesOf<Value>(sent: Sent<Value> | undefined): [string, Value][] {
  if (typeof sent !== 'object' || sent === null) return [];
  if (sent instanceof Map) return [...sent];
  if (Array.isArray(sent)) return sent.map(([name, value]) => [name, value]);
  return Object.entries(sent as Readonly<Record<string, Value>>);
}

export type ToolReach = Footprint['tools'] extends ReadonlyMap<string, infer Value> ? Value : never;
export type FileReach = Footprint['fileParams'] extends ReadonlyMap<string, infer Value> ? Value : never;

/** The accounts of a footprint with their scopes. An entry is the id of an account, or an id and a scope behind a colon. */
export function accountsOf(accounts: readonly string[]): { id: string; scopes: string[] }[] {
  const ids = accounts.filter((entry) => !entry.includes(':'));
  return ids.map((id) => ({
    id,
    scopes: accounts.filter((entry) => entry.startsWith(`${id}:`)).map((entry) => entry.slice(id.length + 1)),
  }));
}
