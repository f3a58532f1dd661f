import type { Manifest } from '@svc/contracts';

/** Whether what an app needs is there. */
export type Presence = 'here' | 'missing' | 'off' | 'withdrawn';

/** One thing that an app names under `requires`. */
export type Requirement = {
  kind: 'app' | 'connector';
  /** App id, or address of the MCP server. */
  name: string;
  /** Why, as the manifest says it. */
  reason: string;
  /** The app waits for what is `required`; a `fallback` is used when it is there; an `optional` one makes it better. */
  need: 'required' | 'fallback' | 'optional';
  presence: Presence;
};

/**
 * What an app needs besides itself, with whether it is there.
 * @param presenceOf looks a thing up on this computer
 */
export function requirementsOf(
  { requires }: Manifest,
  presenceOf: (kind: Requirement['kind'], name: string) => Presence,
): Requirement[] {
  const named: Omit<Requirement, 'presence'>[] = [
    ...(requires?.apps ?? []).map(({ id, reason }) => ({
      kind: 'app' as const,
      name: id,
      reason,
      need: 'required' as const,
    })),
    ...(requires?.connectors ?? []).map(({ url, reason, required }) => ({
      kind: 'connector' as const,
      name: url,
      reason,
      need: required ? ('required' as const) : ('fallback' as const),
    })),
    ...(requires?.optional ?? []).map((entry) => ({
      kind: 'id' in entry ? ('app' as const) : ('connector' as const),
      name: 'id' in entry ? entry.id : entry.url,
      reason: entry.reason,
      need: 'optional' as const,
    })),
  ];
  return named.map((one) => ({ ...one, presence: presenceOf(one.kind, one.name) }));
}

/** What an app has to wait for. */
export const missingRequired = (requirements: readonly Requirement[]): Requirement[] =>
  requirements.filter(({ need, presence }) => need === 'required' && presence !== 'here');
