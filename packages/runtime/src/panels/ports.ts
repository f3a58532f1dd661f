import type { MediaRequest } from '@svc/contracts';
import type { TokenSource } from '../calls/authorised-fetch.ts';
import type { CallRequest } from '../calls/call-tool.ts';
import type { CallResult } from '../calls/read-result.ts';
import type { SignInSource } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';

/** The status of an account, for panels. */
export type PanelAccount = {
  id: string;
  label: string;
  connected: boolean;
  /** ISO 8601, UTC; null when not connected or unknown. */
  expiresAt: string | null;
};

export type PanelAccounts = SignInSource &
  Pick<TokenSource, 'token'> & { list(app: InstalledApp): Promise<readonly PanelAccount[]> };

/** A file of a panel: picked by the user, or converted from one. The type is detected from the content. */
export type PanelFile = { name: string; type: string; bytes: Uint8Array };

/** Lets the user pick files; returns an empty list when none is picked. */
export type PickFiles = (
  app: InstalledApp,
  wanted: { accept: readonly string[]; multiple: boolean },
  signal: AbortSignal,
) => Promise<readonly PanelFile[]>;

/** Runs a media operation with limits, off the main thread. */
export type PrepareMedia = (
  file: PanelFile,
  request: MediaRequest,
  signal: AbortSignal,
) => Promise<PanelFile>;

/** Calls a tool for a panel; the runtime adds the token. */
export type PanelCall = (
  app: InstalledApp,
  request: Pick<CallRequest, 'tool' | 'arguments' | 'files' | 'signal'>,
) => Promise<CallResult>;

/**
 * When panels get tokens: only in browsers that are detected to confine a panel to the hosts of its app (`Connection-Allowlist`), or
 * always, for a client that ensures this itself.
 */
export type PanelTokens = 'confined' | 'always';

/** The embedding client, as panels use it. */
export type PanelClient = {
  name: string;
  version: string;
  /** Origin of the page that shows panels; no other page may frame them. */
  origin: string;
  ask: Ask;
  /** Default: `confined`. */
  tokens?: PanelTokens;
  pickFiles?: PickFiles;
  prepareMedia?: PrepareMedia;
};
