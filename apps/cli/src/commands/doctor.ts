import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { apiRequest } from '@svc/contracts/client';
import { proxiesOf } from '@svc/runtime/env-proxy';
import { keyRing, readPublicKey } from '@svc/signing';
import { createColors } from 'picocolors';
import { type CommandContext, defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CommandError, StoreError } from '../failure.ts';
import { configFolder, storedToken } from '../io/credentials.ts';
import { desktopProgram } from '../io/desktop-program.ts';
import { pinnedKey } from '../io/key-store.ts';
import { requireSecureTransport, storeUrl, tokenOfEnvironment } from '../io/store-settings.ts';
import { keysOf } from '../io/trusted-key.ts';
import { escapeText, jsonLine } from '../present/text.ts';
import { StoreClient } from '../store-client.ts';

/** The result of one check, and how to fix it. */
type Finding = { name: string; level: 'ok' | 'warning' | 'error'; message: string; fix?: string };

type Check = (context: CommandContext, store: string | undefined) => Promise<Finding>;

/** Tolerated clock difference of signatures and sign-ins, in milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

/** Turns a CommandError or StoreError of a check into a finding with the given fix. */
const withErrorsReported =
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

const warning = (name: string, message: string, fix: string): Finding => ({
  name,
  level: 'warning',
  message,
  fix,
});

const fault = (name: string, message: string, fix: string): Finding => ({
  name,
  level: 'error',
  message,
  fix,
});

const program: Check = async () => ok('node', `${process.version} on ${process.platform} ${process.arch}`);

const settings: Check = async ({ env }) => {
  const name = 'settings';
  const folder = configFolder(env);
  for (let current = folder; ; current = path.dirname(current)) {
    const error = await access(current, constants.W_OK).then(
      () => null,
      (reason: NodeJS.ErrnoException) => reason.code ?? 'unknown',
    );
    if (error === null) return ok(name, folder);
    if (error !== 'ENOENT' || current === path.dirname(current))
      return fault(
        name,
        `Cannot write to ${folder} (${error}).`,
        'Change its permissions, or set XDG_CONFIG_HOME to another folder.',
      );
  }
};

const keyring: Check = async ({ keyring: ring }) => {
  const name = 'keyring';
  try {
    await ring.get('svc doctor');
    return ok(name, 'the system keyring is available');
  } catch {
    return warning(
      name,
      'The system keyring is not available. svc login saves tokens in a file that only you can read.',
      'On Linux, start a Secret Service such as gnome-keyring.',
    );
  }
};

const network: Check = async ({ env }) => {
  const name = 'network';
  const authorities = env.NODE_EXTRA_CA_CERTS;
  const isReadable =
    !authorities ||
    (await access(authorities, constants.R_OK).then(
      () => true,
      () => false,
    ));
  if (!isReadable)
    return fault(
      name,
      `NODE_EXTRA_CA_CERTS is ${authorities}, which cannot be read.`,
      'Set it to the file with the certificate of your authority, in PEM.',
    );
  const proxies = proxiesOf(env);
  if (proxies === null && (env.ALL_PROXY || env.all_proxy))
    return warning(
      name,
      'ALL_PROXY is no HTTP proxy, so svc does not use it.',
      'Set HTTPS_PROXY and HTTP_PROXY to the URL of an HTTP proxy.',
    );
  const way =
    proxies === null
      ? 'requests go out directly; HTTPS_PROXY, HTTP_PROXY and NO_PROXY are not set'
      : `requests go through ${URL.parse(proxies.https || proxies.http)?.host}, except to ${proxies.direct}`;
  const added = ['NODE_EXTRA_CA_CERTS', 'SVC_CA_FILE']
    .filter((variable) => env[variable])
    .map((variable) => `; ${variable} adds ${env[variable]}`);
  return ok(name, way + added.join(''));
};

const storeCheck = withErrorsReported(
  'store',
  'Start the store, or name another one with --store or SVC_STORE.',
  async ({ env, fetch, now }, option) => {
    const name = 'store';
    const baseUrl = storeUrl(option, env);
    const sentAt = now().getTime();
    const client = new StoreClient({ baseUrl, fetch });
    await client.call('GET /api/apps/public-key');
    const skew = await clockSkew(fetch, baseUrl, sentAt);
    if (Math.abs(skew) > MAX_SKEW_MS)
      return warning(
        name,
        `${baseUrl} responds, but its clock and yours differ by ${Math.round(skew / 60_000)} minutes.`,
        'Set the clock of this machine: signatures and sign-ins depend on it.',
      );
    return ok(name, `${baseUrl} responds`);
  },
);

/** How far the store's clock is ahead of the local one, from the Date header (RFC 9110 section 6.6.1); 0 without one. */
async function clockSkew(fetch: CommandContext['fetch'], baseUrl: string, sentAt: number): Promise<number> {
  const response = await fetch(baseUrl + apiRequest('GET /api/apps/public-key').path, {
    redirect: 'error',
  }).catch(() => null);
  await response?.body?.cancel();
  const at = Date.parse(response?.headers.get('Date') ?? '');
  return Number.isNaN(at) ? 0 : at - sentAt;
}

const token = withErrorsReported('token', 'Log in again: svc login', async (context, option) => {
  const name = 'token';
  const { env, fetch } = context;
  const baseUrl = storeUrl(option, env);
  const developerToken = tokenOfEnvironment(env) ?? (await storedToken(context, baseUrl));
  if (developerToken === null)
    return warning(name, `You are not logged in to ${baseUrl}.`, 'To publish, run svc login.');
  requireSecureTransport(env, baseUrl);
  const who = await new StoreClient({ baseUrl, fetch, token: developerToken }).call(
    'GET /api/developer/whoami',
  );
  const publishers = who.publishers.map(({ slug }) => slug).join(', ') || 'no publisher';
  const until = who.token === undefined ? '' : `, until ${who.token.expiresAt.slice(0, 'YYYY-MM-DD'.length)}`;
  return ok(name, `valid for ${publishers}${until}`);
});

const trust = withErrorsReported(
  'key',
  'Ask the operator of the store for the correct key.',
  async (context, option) => {
    const name = 'key';
    const { env, fetch } = context;
    const baseUrl = storeUrl(option, env);
    const pin = await pinnedKey(context, baseUrl);
    if (pin === null) return ok(name, 'no key of this store is pinned yet; svc verify pins it');
    const { keyId, publicKeyPem } = await new StoreClient({ baseUrl, fetch }).call(
      'GET /api/apps/public-key',
    );
    if (keyRing(keysOf({ ...pin, origin: 'pinned' })).has(readPublicKey(publicKeyPem).keyId))
      return ok(name, `the store signs with the pinned key ${keyId}`);
    return warning(
      name,
      `The store signs with ${keyId}, but the pinned key is ${pin.current.keyId}.`,
      'Run svc verify APP@VERSION: it accepts a new key that the pinned key has signed, and refuses any other.',
    );
  },
);

const desktop: Check = async () => {
  const name = 'desktop';
  try {
    await access(desktopProgram());
    return ok(name, 'the desktop client is part of this installation');
  } catch {
    return warning(
      name,
      'The desktop client is missing. svc desktop, dev, gateway and connect do not work.',
      'Reinstall svc from your store: npm install --global STORE/cli.tgz',
    );
  }
};

/** All checks, in the order of the report. */
const CHECKS: readonly Check[] = [program, settings, keyring, network, storeCheck, token, trust, desktop];

type DoctorOptions = StoreOption & { json?: boolean };

/**
 * `svc doctor`: checks the environment of svc on this machine.
 * @returns 0 without errors (warnings allowed), else 1
 */
export const command = defineCommand<[], DoctorOptions>({
  options: [STORE_OPTION, JSON_OPTION],
  details: 'Changes nothing. The exit code is 1 when a check finds an error.',
  examples: ['doctor', 'doctor --store https://store.example.com --json'],
  async run(context, _args, options) {
    const { terminal } = context;
    const { green, yellow, red, dim } = createColors(terminal.colour);
    const paint = { ok: green, warning: yellow, error: red };
    const findings: Finding[] = [];
    for (const check of CHECKS) findings.push(await check(context, options.store));
    const isHealthy = findings.every(({ level }) => level !== 'error');
    if (options.json) terminal.out(jsonLine({ ok: isHealthy, checks: findings }));
    else
      for (const { name, level, message, fix } of findings) {
        terminal.out(`${paint[level](level.padEnd(8))} ${name}: ${escapeText(message)}\n`);
        if (fix !== undefined) terminal.out(`${' '.repeat(9)}${dim(escapeText(fix))}\n`);
      }
    return isHealthy ? 0 : 1;
  },
});
