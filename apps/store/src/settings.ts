import { existsSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { join, resolve } from 'node:path';
import type { SettingsInForce } from '@svc/contracts';
import { nearest } from '@svc/validator';
import type { SmtpSettings } from './adapters/mail/smtp-settings.ts';
import type { S3Settings } from './adapters/s3/s3-client.ts';
import { isLoopback } from './adapters/sign-in/is-loopback.ts';
import type { ProviderSettings } from './adapters/sign-in/providers.ts';
import { partFolder } from './platform/own-package.ts';
import { describeSettings } from './settings/in-force.ts';
import { DEFAULT_POLICY, type Policy } from './settings/policy-file.ts';
import { type Setting, SettingError, type ValueOf } from './settings/setting.ts';
import { readSettingsFile } from './settings/settings-file.ts';
import { SETTINGS } from './settings/table.ts';

export { SettingError } from './settings/setting.ts';

/** What the rows of the table come to, each by itself. */
type Values = { [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** What several rows come to together, or what stands in for one that is not set. */
type Derived = {
  /** Address under which clients reach the store, without a trailing slash. */
  baseUrl: string;
  /** Absolute. */
  dataDir: string;
  signingKeyFile: string;
  /** The S3 that keeps the bundles; null when they are kept in the data folder. */
  s3: S3Settings | null;
  /** The mail server; null sends no mail. */
  smtp: SmtpSettings | null;
  trustedProxies: BlockList;
  providers: readonly ProviderSettings[];
  /** The package of the command line, which the store serves; null when it was not built. */
  cliFile: string | null;
  /** The settings that the file of settings gives, by the names of their variables. */
  namesInFile: readonly string[];
  /** As administrators may see them. */
  settingsInForce: SettingsInForce['settings'];
};

/** Rows that are used only as part of what is derived of them. */
type Parts = 'bucket' | 'mailServer' | 'mailFrom' | 'policy';

/** What a running store is told from outside: a value for each row of `SETTINGS`. */
export type Settings = Omit<Values, keyof Derived | Parts> & Derived & Policy;

type Texts = Readonly<Record<string, string | undefined>>;

/** What the command line and the desktop read of the environment, which may stand beside the settings of a store. */
const CLIENT_VARIABLES = new Set(['SVC_TOKEN', 'SVC_STORE', 'SVC_APPROVALS', 'SVC_INSECURE_HTTP']);

const ROWS: Readonly<Record<string, Setting>> = SETTINGS;

/** The names of all settings, as the environment spells them. */
export const SETTING_NAMES: readonly string[] = Object.values(ROWS).map(({ variable }) => variable);

/** The built pages; null when they were not built. */
function ownPages(): string | null {
  const folder = partFolder('web');
  return existsSync(join(folder, 'check.html')) ? folder : null;
}

/** The package of the command line; null when it was not built. */
function ownCli(): string | null {
  const file = join(partFolder('cli'), 'cli.tgz');
  return existsSync(file) ? file : null;
}

const withoutEmpty = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));

/**
 * Names a variable that is misspelt: it would leave its setting at the default without a word. Only what is close to a setting
 * is refused, as others set names of their own: Kubernetes does for each service, the command line has SVC_STORE.
 */
function requireSpelling(environment: Texts): void {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('SVC_') || SETTING_NAMES.includes(name) || CLIENT_VARIABLES.has(name)) continue;
    const meant = nearest(name, SETTING_NAMES);
    if (meant !== undefined) throw new SettingError(`${name} is no setting: did you mean ${meant}?`);
  }
}

/** A file of settings holds nothing else, so that every name in it must be one. */
function settingsOfFile(file: string): Texts {
  const { variable } = SETTINGS.settingsFile;
  const texts = read(ROWS.settingsFile as Setting, file, readSettingsFile) as Texts;
  for (const name of Object.keys(texts)) {
    if (SETTING_NAMES.includes(name) && name !== variable) continue;
    const meant = nearest(name, SETTING_NAMES);
    const hint = meant && meant !== variable ? `: did you mean ${meant}?` : '';
    throw new SettingError(`${variable} cannot be used: ${name} is no setting of a file${hint}`);
  }
  return withoutEmpty(texts);
}

/** The value of a text; whatever is wrong with it becomes a line that begins with the name. */
function read({ variable, must, read: own }: Setting, text: string, reader = own): unknown {
  try {
    const value = reader(text);
    if (value !== undefined) return value;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`${variable} ${error.message}`);
  }
  throw new SettingError(`${variable} ${must}`);
}

/**
 * Reads one setting that came by another way than the environment.
 * @throws SettingError that begins with the name of its variable
 */
export const readSetting = <K extends keyof Values>(key: K, text: string): NonNullable<Values[K]> =>
  read(ROWS[key] as Setting, text) as NonNullable<Values[K]>;

function readRow(row: Setting, given: Texts): unknown {
  const text = given[row.variable] ?? row.unset;
  return text === null ? null : read(row, text);
}

function requireNeeded(given: Texts): void {
  for (const { variable, needs = [] } of Object.values(ROWS)) {
    if (given[variable] === undefined || needs.every((name) => given[name] !== undefined)) continue;
    throw new SettingError(`${variable} needs ${needs.join(' and ')} to be set.`);
  }
}

function s3Of({ bucket, accessKeyId, secretAccessKey }: Values): S3Settings | null {
  const isWhole = bucket !== null && accessKeyId !== null && secretAccessKey !== null;
  return isWhole ? { ...bucket, accessKeyId, secretAccessKey } : null;
}

const smtpOf = ({ mailServer, mailFrom: from }: Values): SmtpSettings | null =>
  mailServer !== null && from !== null ? { ...mailServer, from } : null;

/** A store that others reach would sign apps which, on their machines, lead to whatever answers there. */
function requireOwnMachine({ localApps }: Values, baseUrl: string): void {
  if (!localApps || isLoopback(new URL(baseUrl))) return;
  throw new SettingError(
    'SVC_LOCAL_APPS=1 is for a store on your own machine: SVC_BASE_URL must be on localhost, 127.0.0.1 or [::1].',
  );
}

/** The proxy has the folder of the bundles, and nothing of a bucket. */
function requireFolder({ bundlesByProxy, bucket }: Values): void {
  if (bundlesByProxy === null || bucket === null) return;
  throw new SettingError(
    'SVC_ACCEL_REDIRECT is for bundles in the data folder: unset it, or SVC_BLOBS, which keeps them in a bucket.',
  );
}

/** Clients follow to no other address: see `createStorageFetch` of the runtime. */
function requireReachable({ bundleRedirect, bucket }: Values): void {
  if (bundleRedirect === null || bucket === null) return;
  const endpoint = new URL(bucket.endpoint);
  const { protocol, hostname, port } = endpoint;
  const isName = !isIPv4(hostname) && !hostname.startsWith('[');
  if ((protocol === 'https:' && port === '' && isName) || isLoopback(endpoint)) return;
  throw new SettingError(
    'SVC_BUNDLE_REDIRECT redirects clients to the endpoint of SVC_BLOBS: give one that begins with https:// and has a host name and no port.',
  );
}

/** The texts of all settings that are given: a variable of the environment comes before a line of the file. */
function givenSettings(environment: Texts): { given: Texts; namesInFile: string[] } {
  const variables = withoutEmpty(environment);
  requireSpelling(variables);
  const file = variables[SETTINGS.settingsFile.variable];
  const ofFile = file === undefined ? {} : settingsOfFile(file);
  const namesInFile = Object.keys(ofFile).filter((name) => variables[name] === undefined);
  return { given: { ...ofFile, ...variables }, namesInFile };
}

/**
 * Reads the settings from the environment and the file that it names. An empty variable counts as not set.
 * @throws SettingError with one line that names what is wrong
 */
export function readSettings(environment: Texts): Settings {
  const { given, namesInFile } = givenSettings(environment);
  const rows = Object.entries(ROWS).map(([key, row]) => [key, readRow(row, given)]);
  const values = Object.fromEntries(rows) as Values;
  requireNeeded(given);
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`;
  requireOwnMachine(values, baseUrl);
  requireFolder(values);
  requireReachable(values);
  const dataDir = resolve(values.dataDir);
  const { bucket: _bucket, mailServer: _mailServer, mailFrom, policy, ...single } = values;
  const { given: givenPolicy, ...policyKeys } = policy ?? DEFAULT_POLICY;
  const settings = {
    ...single,
    ...policyKeys,
    baseUrl,
    dataDir,
    signingKeyFile: values.signingKeyFile ?? join(dataDir, 'keys', 'signing-key.pem'),
    s3: s3Of(values),
    smtp: smtpOf(values),
    trustedProxies: values.trustedProxies ?? new BlockList(),
    providers: values.providers ?? [],
    webDir: values.webDir ?? ownPages(),
    namesInFile,
    cliFile: ownCli(),
  };
  const shown = { ...settings, mailFrom, policy: { ...policyKeys, given: givenPolicy } };
  return { ...settings, settingsInForce: describeSettings(ROWS, given, shown) };
}
