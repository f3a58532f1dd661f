import { z } from 'zod';
import { enforcedFootprint, type InstalledApp } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import type { HandedFiles } from '../handed-files.ts';
import type { PanelAccounts, PanelCall, PanelClient } from '../ports.ts';
import type { HostContext } from './messages.ts';

/** What the methods of one open panel work with. */
export type MethodDeps = {
  system: Pick<System, 'now'>;
  app: InstalledApp;
  accounts: PanelAccounts;
  client: PanelClient;
  files: HandedFiles;
  context(): HostContext;
  addressOf(fileId: string): string;
  /** Whether tokens stay in the runtime, as the panel's browser does not keep it to its hosts. */
  tokensWithheld(): boolean;
  /** Told as the panel begins, when they do. */
  withheld(): void;
  /** Calls a tool of the app; null where the client does not offer it. */
  call: PanelCall | null;
  /** Whether the app is still installed, on and not withdrawn, whichever process changed that. */
  mayRun(): boolean;
};

/** Parameters of what takes none. */
export const NoParams = z.looseObject({});

export const isGranted = ({ app }: Pick<MethodDeps, 'app'>, grant: string): boolean =>
  enforcedFootprint(app).grants.includes(grant);

/** @throws RuntimeError `switched-off` */
export function requireMayRun({ mayRun }: MethodDeps): void {
  if (!mayRun()) throw new RuntimeError('switched-off');
}

/** @throws RuntimeError `not-granted`, `switched-off` */
export function requireGrant(deps: MethodDeps, grant: string): void {
  requireMayRun(deps);
  if (!isGranted(deps, grant)) throw new RuntimeError('not-granted');
}
