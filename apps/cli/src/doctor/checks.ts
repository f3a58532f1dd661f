import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { keyRing } from '@svc/signing';
import type { CommandContext } from '../command-context.ts';
import { CommandError, StoreError } from '../failure.ts';
import { configFolder } from '../io/config-folder.ts';
import { storedToken } from '../io/credentials.ts';
import { desktopProgram } from '../io/desktop-program.ts';
import { pinnedKey } from '../io/key-store.ts';
import { requirePrivateWay, storeUrl, tokenOfEnvironment } from '../io/store-settings.ts';
import { keysOf } from '../io/trusted-key.ts';
import { StoreClient } from '../store-client.ts';

/** What one check found, and what to do about it. */
export type Finding = { name: string; level: 'ok' | 'warning' | 'error'; message: string; fix?: string };

type Check = (context: CommandContext, store: string | undefined) => Promise<Finding>;

/** Signatures and sign-ins tolerate this difference between two clocks, in milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

/** A check that fails with an error of ours says it, and the given advice. */
const tried =
  (name: string, fix: string, check: Check): Check =>
  async (context, store) => {
    try {
      return await check(context, store);
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
      return { name, level: 'error', message: error.message, fix };
    }
  };

const ok = (name: string, message: string): Finding => ({ name, level: 'ok', message });

const program: Check = async () => ok('node', `${process.version} on ${process.platform} ${process.arch}`);

const settings: Check = async ({ env }) => {
  const name = 'settings';
  const folder = configFolder(env);
  for (let place = folder; ; place = path.dirname(place)) {
    const error = await access(place, constants.W_OK).then(
      () => null,
      (reason: NodeJS.ErrnoException) => reason.code ?? 'unknown',
    );
    if (error === null) return ok(name, folder);
    if (error !== 'ENOENT' || place === path.dirname(place))
      return {
        name,
        level: 'error',
        message: `${folder} cannot be written (${error}).`,
        fix: 'Make it yours, or name another folder in XDG_CONFIG_HOME.',
      };
  }
};

const keyring: Check = async ({ keyring: ring }) => {
  const name = 'keyring';
  try {
    await ring.get('svc doctor');
    return ok(name, 'the system keyring answers');
  } catch {
    return {
      name,
      level: 'warning',
      message: 'The system keyring cannot be used; svc login keeps tokens in a file that only you can read.',
      fix: 'On Linux, start a Secret Service such as gnome-keyring.',
    };
  }
};

const storeCheck = tried(
  'store',
  'Start it, or name another one with --store or SVC_STORE.',
  async ({ env, fetch, now }, option) => {
    const name = 'store';
    const baseUrl = storeUrl(option, env);
    const sentAt = now().getTime();
    const client = new StoreClient({ baseUrl, fetch });
    await client.publicKey();
    const skew = await clockSkew(fetch, baseUrl, sentAt);
    if (Math.abs(skew) > MAX_SKEW_MS)
      return {
        name,
        level: 'warning',
        message: `${baseUrl} answers, but its clock and yours differ by ${Math.round(skew / 60_000)} minutes.`,
        fix: 'Set the clock of this machine: signatures and sign-ins depend on it.',
      };
    return ok(name, `${baseUrl} answers`);
  },
);

/** How far the clock of the store is ahead of ours; 0 when it does not say (RFC 9110 section 6.6.1). */
async function clockSkew(fetch: CommandContext['fetch'], baseUrl: string, sentAt: number): Promise<number> {
  const response = await fetch(`${baseUrl}/api/apps/public-key`, { redirect: 'error' }).catch(() => null);
  await response?.body?.cancel();
  const at = Date.parse(response?.headers.get('Date') ?? '');
  return Number.isNaN(at) ? 0 : at - sentAt;
}

const token = tried('token', 'Log in again with svc login.', async (context, option) => {
  const name = 'token';
  const { env, fetch } = context;
  const baseUrl = storeUrl(option, env);
  const found = tokenOfEnvironment(env) ?? (await storedToken(context, baseUrl));
  if (found === null)
    return {
      name,
      level: 'warning',
      message: `There is none for ${baseUrl}.`,
      fix: 'To publish, get one with svc login.',
    };
  requirePrivateWay(env, baseUrl);
  const who = await new StoreClient({ baseUrl, fetch, token: found }).whoAmI();
  const publishers = who.publishers.map(({ slug }) => slug).join(', ') || 'no publisher';
  const until = who.token === undefined ? '' : `, until ${who.token.expiresAt.slice(0, 'YYYY-MM-DD'.length)}`;
  return ok(name, `it acts for ${publishers}${until}`);
});

const trust = tried('key', 'Ask the operator of the store which key is right.', async (context, option) => {
  const name = 'key';
  const { env, fetch } = context;
  const baseUrl = storeUrl(option, env);
  const pin = await pinnedKey(env, baseUrl);
  if (pin === null) return ok(name, 'none is pinned for this store yet; svc verify pins it');
  const { keyId } = await new StoreClient({ baseUrl, fetch }).publicKey();
  if (keyRing(keysOf({ ...pin, origin: 'pinned' })).has(keyId))
    return ok(name, `the store signs with ${keyId}, which is pinned`);
  return {
    name,
    level: 'warning',
    message: `The store signs with ${keyId}, and ${pin.current.keyId} is pinned.`,
    fix: 'svc verify APP@VERSION follows a rotation that the pinned key vouches for, and refuses any other.',
  };
});

const desktop: Check = async () => {
  const name = 'desktop';
  try {
    await access(desktopProgram());
    return ok(name, 'the desktop client is part of this installation');
  } catch {
    return {
      name,
      level: 'warning',
      message: 'The desktop client is missing, so svc desktop, dev, gateway and connect do not work.',
      fix: 'Install svc again from your store: npm install --global STORE/cli.tgz',
    };
  }
};

/** In the order of the report. */
export const CHECKS: readonly Check[] = [program, settings, keyring, storeCheck, token, trust, desktop];
