import type { MediaRequest } from '@svc/contracts';
import type { CallRequest } from '../calls/calls.ts';
import type { CallResult } from '../calls/read-result.ts';
import type { SignInSource } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';

/** How an account stands, as a panel is told. */
export type PanelAccount = {
  id: string;
  label: string;
  connected: boolean;
  /** ISO 8601, UTC; null when it is not connected or nobody said. */
  expiresAt: string | null;
};

/** What panels need of the accounts of an app. */
export type PanelAccounts = SignInSource & {
  list(app: InstalledApp): Promise<readonly PanelAccount[]>;
  /** A token that is fresh, put on record; null when the account is not connected. */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
};

/** A file that a person handed to a panel, or that was made of one. The type is found in the content, not believed. */
export type PanelFile = { name: string; type: string; bytes: Uint8Array };

/** Lets a person choose files; nothing chosen is an empty list. */
export type PickFiles = (
  app: InstalledApp,
  wanted: { accept: readonly string[]; multiple: boolean },
  signal: AbortSignal,
) => Promise<readonly PanelFile[]>;

/** Runs a media operation, bounded and off the main thread. */
export type PrepareMedia = (
  file: PanelFile,
  request: MediaRequest,
  signal: AbortSignal,
) => Promise<PanelFile>;

/** A tool call of a panel; the runtime adds the token that the tool needs. */
export type PanelCall = (
  app: InstalledApp,
  request: Pick<CallRequest, 'tool' | 'arguments' | 'files' | 'signal'>,
) => Promise<CallResult>;

/**
 * When panels get tokens: in browsers that have shown that they keep a panel to the hosts of its app (`Connection-Allowlist`),
 * or always, for a client that sees to that itself.
 */
export type PanelTokens = 'confined' | 'always';

/** The program around the runtime, as far as panels concern it. */
export type PanelClient = {
  name: string;
  version: string;
  /** Origin of the page that shows panels, as a browser writes it: no other page may frame them. */
  origin: string;
  ask: Ask;
  /** `confined` when left out. */
  tokens?: PanelTokens;
  pickFiles?: PickFiles;
  prepareMedia?: PrepareMedia;
};
