import type { Manifest } from '@svc/contracts';

/** Agents that an app may name in `requires.providers`, by how their clients name themselves. */
const CLIENTS: readonly [RegExp, string][] = [
  [/^claude-code\b/i, 'claude-code'],
  [/^codex\b/i, 'codex'],
  [/^gemini-cli\b/i, 'gemini-cli'],
  [/^opencode\b/i, 'opencode'],
  [/^cursor\b/i, 'cursor'],
];

/**
 * The chat provider that a client is.
 * @param clientName as it named itself when it connected, which it may do as it likes
 * @returns null for one that no manifest can name
 */
export const providerOf = (clientName: string): string | null =>
  CLIENTS.find(([pattern]) => pattern.test(clientName))?.[1] ?? null;

/** Whether an app gives its tools to a provider. One that names providers gives them to nobody else. */
export const isForProvider = ({ requires }: Pick<Manifest, 'requires'>, provider: string | null): boolean =>
  requires?.providers === undefined ||
  (provider !== null && requires.providers.some((one) => one === provider));
