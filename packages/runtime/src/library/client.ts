import type { Manifest } from '@svc/contracts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The properties of the embedding client that apps depend on. */
export type Client = {
  /** Operating system, as in `process.platform`. */
  platform: string;
  /** Processor architecture, as in `process.arch`. */
  arch: string;
  /** Ids of the built-in apps of this client. */
  builtInApps: readonly string[];
};

/**
 * Checks that an app supports this operating system and processor.
 * @throws RuntimeError `not-for-this-machine`
 */
export function requireMachine(
  { platforms, arch }: Pick<Manifest, 'platforms' | 'arch'>,
  client: Client,
): void {
  const fits = (names: readonly string[] | undefined, name: string) => !names || names.includes(name);
  if (fits(platforms, client.platform) && fits(arch, client.arch)) return;
  throw new RuntimeError('not-for-this-machine', undefined, { detail: { platforms, arch } });
}

/** Whether a requirement is met. */
export type Presence = 'here' | 'missing' | 'off' | 'yanked';

export type Requirement = {
  kind: 'app' | 'connector';
  /** App id, or URL of the MCP server. */
  name: string;
  /** The reason, from the manifest. */
  reason: string;
  /** A `required` one blocks the app until it is met; a `fallback` is used when it is installed; an `optional` one adds features. */
  need: 'required' | 'fallback' | 'optional';
  presence: Presence;
};

/**
 * The requirements of an app, and whether each is met.
 * @param presenceOf looks up an app or connector
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
  return named.map((entry) => ({ ...entry, presence: presenceOf(entry.kind, entry.name) }));
}

/** The requirements that block an app. */
export const missingRequired = (requirements: readonly Requirement[]): Requirement[] =>
  requirements.filter(({ need, presence }) => need === 'required' && presence !== 'here');
