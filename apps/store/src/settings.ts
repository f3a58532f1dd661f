import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { CannedReason, PublisherSlug, type SettingsInForce } from '@svc/contracts';
import { nearest } from '@svc/validator';
import { z } from 'zod';
import { readSmtpUrl, type SmtpSettings } from './adapters/mail/smtp-settings.ts';
import { readS3Address } from './adapters/s3/s3-address.ts';
import type { S3Settings } from './adapters/s3/s3-client.ts';
import { isLoopback } from './adapters/sign-in/provider-client.ts';
import type { ProviderSettings } from './adapters/sign-in/providers.ts';
import { readNetworks } from './http/client-address.ts';
import { describeSettings } from './settings-in-force.ts';
import { readSignInFile } from './sign-in-settings.ts';

/** What a running store is told from outside. */
export type Settings = {
  port: number;
  /** Address under which clients reach the store, without a trailing slash. */
  baseUrl: string;
  dataDir: string;
  /** Address of a PostgreSQL database, with its password; null keeps the data in SQLite, in the data folder. */
  databaseUrl: string | null;
  signingKeyFile: string;
  adminToken: string | null;
  /** The S3 that keeps the bundles; null when they are kept in the data folder. */
  s3: S3Settings | null;
  /** The mail server; null writes mails into the log. */
  smtp: SmtpSettings | null;
  /** The proxies before the store whose `X-Forwarded-For` is believed. */
  trustedProxies: BlockList;
  logLevel: string;
  /** Whether apps may have their servers on this machine: only where the store is reached there alone. */
  localApps: boolean;
  reservedNames: string[];
  flaggedCodes: string[];
  skipReview: string[];
  reviewDays: number;
  cannedReasons: CannedReason[];
  /** By whom people may be vouched for when they sign in, beside their passwords and passkeys. */
  providers: ProviderSettings[];
  /** Folder of the built pages; null when they were not built. */
  webDir: string | null;
  /** The package of the command line, which the store serves; null when it was not built. */
  cliFile: string | null;
  /** As administrators may see them. */
  settingsInForce: SettingsInForce['settings'];
};

/** What the command line and the desktop read of the environment, which may stand beside the settings of a store. */
const CLIENT_VARIABLES = new Set(['SVC_TOKEN', 'SVC_STORE', 'SVC_APPROVALS', 'SVC_INSECURE_HTTP']);

/** A setting that cannot be used. The message is the one line that the operator reads. */
export class SettingError extends Error {}

const MIN_TOKEN = 16;
const MAX_PORT = 65_535;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const Environment = z.object({
  PORT: z.coerce
    .number({ error: 'must be a number' })
    .int({ error: 'must be a whole number' })
    .min(0, { error: `must be 0 to ${MAX_PORT}` })
    .max(MAX_PORT, { error: `must be 0 to ${MAX_PORT}` })
    .default(8787),
  SVC_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
    .refine((url) => new URL(url).search === '' && new URL(url).hash === '', {
      error: 'must not have a query',
    })
    // Cookies, the pages and the addresses that are signed all count from the root of a host.
    .refine((url) => new URL(url).pathname === '/', {
      error: 'must not have a path: give the store a host name of its own, such as https://apps.example.com',
    })
    .transform((url) => url.replace(/\/$/, ''))
    .optional(),
  SVC_DATA_DIR: z.string().default('data'),
  SVC_SIGNING_KEY_FILE: z.string().optional(),
  SVC_ADMIN_TOKEN: z
    .string()
    .regex(/^[!-~]+$/, { error: 'must be printable characters without spaces' })
    .min(MIN_TOKEN, { error: `must have at least ${MIN_TOKEN} characters` })
    .optional(),
  SVC_TRUSTED_PROXIES: z
    .string()
    .transform((text, context) => {
      const networks = readNetworks(text);
      if (networks) return networks;
      const message = 'must be addresses and networks such as 10.0.0.1,fd00::/8, and not the network of all';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional(),
  SVC_LOCAL_APPS: z.enum(['0', '1'], { error: 'must be 1 or 0' }).default('0'),
  SVC_POLICY_FILE: z.string().optional(),
  SVC_SIGN_IN_FILE: z.string().optional(),
  SVC_WEB_DIR: z.string().refine(existsSync, { error: 'must be a folder that is there' }).optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be postgres://user:password@host:port/database' })
    .optional(),
  SVC_BLOBS: z
    .string()
    .transform((text, context) => {
      const address = readS3Address(text);
      if (!('fault' in address)) return address;
      context.addIssue({ code: 'custom', message: address.fault });
      return z.NEVER;
    })
    .optional(),
  SVC_SMTP_URL: z
    .string()
    .transform((text, context) => {
      const address = readSmtpUrl(text);
      if (!('fault' in address)) return address;
      context.addIssue({ code: 'custom', message: address.fault });
      return z.NEVER;
    })
    .optional(),
  SVC_MAIL_FROM: z
    .string()
    .regex(/^(?:[^\p{C}<>"@]+<[^\p{C}\s<>"@]+@[^\p{C}\s<>"@]+>|[^\p{C}\s<>"@]+@[^\p{C}\s<>"@]+)$/u, {
      error: 'must be an address such as store@example.com, or App store <store@example.com>',
    })
    .optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
});

/** The names of all settings, as the environment spells them. */
export const SETTING_NAMES: readonly string[] = Object.keys(Environment.shape);

/**
 * Names a variable that is misspelt: it would leave its setting at the default without a word. Only what is close to a setting
 * is refused, as others set names of their own: Kubernetes does for each service, the command line has SVC_STORE.
 */
function requireSpelling(given: Record<string, unknown>): void {
  for (const name of Object.keys(given)) {
    if (!name.startsWith('SVC_') || SETTING_NAMES.includes(name) || CLIENT_VARIABLES.has(name)) continue;
    const meant = nearest(name, SETTING_NAMES);
    if (meant !== undefined) throw new SettingError(`${name} is no setting: did you mean ${meant}?`);
  }
}

/** Where the pages lie: beside the sources of an installed store, or where this repository builds them. */
const WEB_DIRS = ['../web', '../../web/dist'].map((dir) => join(import.meta.dirname, dir));

/** Where the package of the command line lies, likewise. */
const CLI_FILES = ['../cli/cli.tgz', '../../cli/dist/cli.tgz'].map((file) => join(import.meta.dirname, file));

const Policy = z.strictObject({
  /** Names an app may not carry, beside the built-in ones. */
  reservedNames: z.array(z.string().min(1)).default([]),
  /** Warnings that send a version to a person. */
  flaggedCodes: z.array(z.string()).default(['bundle.obfuscated']),
  /** Slugs of publishers whose versions only such a warning, or a failed check, sends to a person. */
  skipReview: z.array(PublisherSlug).default([]),
  /** Days of 24 hours within which a version is reviewed. */
  reviewDays: z.number().positive().max(365).default(3),
  /** Reasons for a rejection, beside the built-in ones or in place of those with the same id. */
  cannedReasons: z
    .array(CannedReason)
    .refine((reasons) => new Set(reasons.map(({ id }) => id)).size === reasons.length, {
      error: 'must not give one id twice',
    })
    .default([]),
});

const describe = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');

/** The policy, and which of its keys the file gives. */
function readPolicy(file: string | undefined): { policy: z.infer<typeof Policy>; given: readonly string[] } {
  if (file === undefined) return { policy: Policy.parse({}), given: [] };
  let text: unknown;
  try {
    text = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SettingError(`SVC_POLICY_FILE cannot be read: ${(error as Error).message}`);
  }
  const policy = Policy.safeParse(text);
  if (!policy.success) throw new SettingError(`SVC_POLICY_FILE: ${describe(policy.error)}`);
  return { policy: policy.data, given: Object.keys(text as object) };
}

function readProviders(file: string | undefined): ProviderSettings[] {
  try {
    return file === undefined ? [] : readSignInFile(file);
  } catch (error) {
    throw new SettingError(`SVC_SIGN_IN_FILE cannot be used: ${(error as Error).message}`);
  }
}

function s3Of(settings: z.output<typeof Environment>): S3Settings | null {
  const {
    SVC_BLOBS: address,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  if (!address) return null;
  if (!accessKeyId || !secretAccessKey) {
    throw new SettingError('SVC_BLOBS needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to be set.');
  }
  return { ...address, accessKeyId, secretAccessKey };
}

function smtpOf({
  SVC_SMTP_URL: address,
  SVC_MAIL_FROM: from,
}: z.output<typeof Environment>): SmtpSettings | null {
  if (!address) return null;
  if (!from) throw new SettingError('SVC_SMTP_URL needs SVC_MAIL_FROM to be set.');
  return { ...address, from };
}

/**
 * Whether apps may have their servers on `localhost`. A store that others reach would sign apps which, on their machines,
 * lead to whatever answers there.
 */
function localAppsOf({ SVC_LOCAL_APPS: wanted }: z.output<typeof Environment>, baseUrl: string): boolean {
  if (wanted === '1' && !isLoopback(new URL(baseUrl))) {
    throw new SettingError(
      'SVC_LOCAL_APPS=1 is for a store on your own machine: SVC_BASE_URL must be on localhost, 127.0.0.1 or [::1].',
    );
  }
  return wanted === '1';
}

/**
 * Reads the settings from the environment. An empty variable counts as not set.
 * @throws SettingError with one line that names what is wrong
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  requireSpelling(given);
  const parsed = Environment.safeParse(given);
  if (!parsed.success) throw new SettingError(describe(parsed.error));
  const settings = parsed.data;
  const baseUrl = settings.SVC_BASE_URL ?? `http://localhost:${settings.PORT}`;
  const dataDir = resolve(settings.SVC_DATA_DIR);
  const { policy, given: givenPolicy } = readPolicy(settings.SVC_POLICY_FILE);
  const read = {
    port: settings.PORT,
    baseUrl,
    localApps: localAppsOf(settings, baseUrl),
    dataDir,
    databaseUrl: settings.DATABASE_URL ?? null,
    signingKeyFile: settings.SVC_SIGNING_KEY_FILE ?? join(dataDir, 'keys', 'signing-key.pem'),
    adminToken: settings.SVC_ADMIN_TOKEN ?? null,
    s3: s3Of(settings),
    smtp: smtpOf(settings),
    trustedProxies: settings.SVC_TRUSTED_PROXIES ?? new BlockList(),
    logLevel: settings.LOG_LEVEL,
    providers: readProviders(settings.SVC_SIGN_IN_FILE),
    webDir: settings.SVC_WEB_DIR ?? WEB_DIRS.find((dir) => existsSync(join(dir, 'check.html'))) ?? null,
    cliFile: CLI_FILES.find((file) => existsSync(file)) ?? null,
    ...policy,
  };
  return { ...read, settingsInForce: describeSettings(SETTING_NAMES, given, { ...read, givenPolicy }) };
}
