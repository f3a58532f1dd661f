import { z } from 'zod';
import { enforcedFootprint, type InstalledApp } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { createTokenBucket } from '../../platform/token-bucket.ts';
import type { HandedFiles } from '../handed-files.ts';
import type { PanelAccounts, PanelCall, PanelClient } from '../ports.ts';
import type { HostContext } from './messages.ts';

/** The rate limit of a panel's prompts to the user: a burst, and then one every ten seconds. */
const PROMPT_LIMITS = { burst: 5, perSecond: 0.1 };

/** Shows a prompt to the user, if no other prompt of the panel is open. */
export type AskInTurn = <T>(ask: () => Promise<T>) => Promise<T>;

/**
 * Limits a panel to one prompt at a time, and to a low rate: a panel must not wear the user down with prompts, and a prompt must not
 * be hidden behind another.
 * @returns a function that throws RuntimeError `too-many`
 */
export function createPromptLimiter(system: Pick<System, 'now'>): AskInTurn {
  const bucket = createTokenBucket(PROMPT_LIMITS, system.now);
  let open = false;
  return async (ask) => {
    if (open || !bucket.take()) throw new RuntimeError('too-many');
    open = true;
    try {
      return await ask();
    } finally {
      open = false;
    }
  };
}

/** The dependencies of the methods of one open panel. */
export type MethodDeps = {
  system: Pick<System, 'now'>;
  app: InstalledApp;
  accounts: PanelAccounts;
  client: PanelClient;
  files: HandedFiles;
  context(): HostContext;
  addressOf(fileId: string): string;
  /** Whether tokens stay in the runtime, because the browser does not confine the panel to the hosts of its app. */
  tokensWithheld(): boolean;
  /** Called when the panel starts and `tokensWithheld` is true. */
  withheld(): void;
  /** Calls a tool of the app; null if the client does not support it. */
  call: PanelCall | null;
  /** Whether the app is still installed, on and not yanked, including changes of other processes. */
  mayRun(): boolean;
};

/** The parameters of a method without parameters. */
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
