import { z } from 'zod';
import { askToConnect } from '../../cards/ask-to-connect.ts';
import type { InstalledApp } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { PanelAccount } from '../ports.ts';
import { type Method, method } from './bridge.ts';
import { type MethodDeps, NoParams, requireMayRun } from './method-deps.ts';
import type { AskInTurn } from './prompt-limiter.ts';

const OfAccount = z.strictObject({ account: z.string().max(200) });

function requireDeclared({ manifest }: InstalledApp, id: string): void {
  if (!manifest.accounts?.some((account) => account.id === id)) throw new RuntimeError('unknown-account');
}

/** Returns only the four fields, whatever else the vault stores of an account, and only declared accounts. */
const ownAccounts = async ({ app, accounts }: MethodDeps): Promise<PanelAccount[]> =>
  (await accounts.list(app))
    .filter(({ id }) => app.manifest.accounts?.some((account) => account.id === id))
    .map(({ id, label, connected, expiresAt }) => ({ id, label, connected, expiresAt }));

async function connect(deps: MethodDeps, id: string, signal: AbortSignal): Promise<void> {
  const { app, client, accounts } = deps;
  requireDeclared(app, id);
  requireMayRun(deps);
  const accepted = () => requireMayRun(deps);
  await askToConnect({ ask: client.ask, accounts }, app, id, { accepted }, signal);
}

/** Requests the token again for every call, and logs that this panel got it. */
async function token(deps: MethodDeps, id: string): Promise<{ accessToken: string }> {
  const { app, accounts } = deps;
  requireMayRun(deps);
  requireDeclared(app, id);
  if (deps.tokensWithheld()) throw new RuntimeError('token-withheld');
  const accessToken = await accounts.token(app, id, { host: 'panel', tool: deps.context().panel.id });
  if (accessToken === null) throw new RuntimeError('not-connected');
  return { accessToken };
}

/** The methods for the app's own accounts. The channel determines the app, not a parameter. */
export const accountMethods = (deps: MethodDeps, inTurn: AskInTurn): [string, Method][] => [
  ['accounts/list', method(NoParams, async () => ({ accounts: await ownAccounts(deps) }))],
  [
    'accounts/connect',
    method(OfAccount, ({ account }, signal) => inTurn(() => connect(deps, account, signal))),
  ],
  ['accounts/token', method(OfAccount, ({ account }) => token(deps, account))],
];
