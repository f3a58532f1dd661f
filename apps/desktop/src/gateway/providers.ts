import type { Manifest } from '@svc/contracts';

/** Providers for `requires.providers` in a manifest, by the client name that agents report. */
const CLIENTS: readonly [RegExp, string][] = [
  [/^claude-code\b/i, 'claude-code'],
  [/^codex\b/i, 'codex'],
  [/^gemini-cli\b/i, 'gemini-cli'],
  [/^opencode\b/i, 'opencode'],
  [/^cursor\b/i, 'cursor'],
  [/^visual studio code\b/i, 'vscode'],
  [/^claude-ai\b/i, 'claude-desktop'],
  [/^(?:github-)?copilot-cli\b/i, 'copilot-cli'],
  [/^goose\b/i, 'goose'],
  [/^zed\b/i, 'zed'],
  [/^windsurf\b/i, 'windsurf'],
  [/^cline\b/i, 'cline'],
  [/^qwen\b/i, 'qwen'],
  [/^lm-?studio\b/i, 'lm-studio'],
  [/^kiro\b/i, 'kiro'],
];

/**
 * The chat provider of a client.
 * @param clientName as reported by the client, which is not verified
 * @returns null for an unknown client
 */
export const providerOf = (clientName: string): string | null =>
  CLIENTS.find(([pattern]) => pattern.test(clientName))?.[1] ?? null;

/** Whether an app offers its tools to a provider. An app that names providers offers them to no other. */
export const isForProvider = ({ requires }: Pick<Manifest, 'requires'>, provider: string | null): boolean =>
  requires?.providers === undefined ||
  (provider !== null && requires.providers.some((name) => name === provider));
