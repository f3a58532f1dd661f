import { existsSync, readFileSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { SettingsInForce } from '@svc/contracts';
import { isThisMachine } from '@svc/contracts/this-machine';
import { nearest } from '@svc/validator';
import type { SmtpSettings } from '../adapters/mail/smtp-settings.ts';
import type { S3Settings } from '../adapters/s3/s3-client.ts';
import type { ProviderSettings } from '../adapters/sign-in/providers.ts';
import { partFolder } from '../platform/own-package.ts';
import { describeSettings } from './settings/in-force.ts';
import { DEFAULT_POLICY, type Policy } from './settings/policy-file.ts';
import { type Setting, SettingError, type ValueOf } from './settings/setting.ts';
import { SETTINGS } from './settings/table.ts';

const LINE = /^\s*([A-Z][A-Z0-9_]*)\s*=/;

/** A line that is empty or a comment. */
const BLANK_LINE = /^\s*(?:#.*)?$/;

/**
 * Reads a settings file: one `NAME=value` a line, the format of systemd's `EnvironmentFile=` and Docker's `--env-file`.
 * @throws SettingError that names the line, and quotes nothing of it but a name: the value may be a password
 */
function readSettingsFile(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingError(`cannot be read: ${(error as { code?: string }).code}`);
  }
  const settings: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (BLANK_LINE.test(line)) continue;
    const name = LINE.exec(line)?.[1];
    const value = name === undefined ? undefined : parseEnv(line)[name];
    if (name === undefined || value === undefined)
      throw new SettingError(`cannot be used: line ${i + 1} must be NAME=value`);
    if (name in settings) throw new SettingError(`cannot be used: line ${i + 1} sets ${name} again`);
    settings[name] = value;
  }
  return settings;
}

export { SettingError } from './settings/setting.ts';

/** The values of the rows of the table. */
type Values = { [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** Values that are derived from several rows, or that replace one that is not set. */
type Derived = {
  /** Address under which clients reach the store, without a trailing slash. */
  baseUrl: string;
  /** Absolute. */
  dataDir: string;
  signingKeyFile: string;
  /** The S3 bucket of the bundles; null when they are in the data folder. */
  s3: S3Settings | null;
  /** The mail server; null when mails are only logged. */
  smtp: SmtpSettings | null;
  trustedProxies: BlockList;
  providers: readonly ProviderSettings[];
  sessionHours: number;
  roleSessionHours: number;
  /** The package of the CLI, which the store serves; null when it was not built. */
  cliFile: string | null;
  downloadsDir: string;
  /** The variables that the settings file sets. */
  namesInFile: readonly string[];
  /** The settings in force, as administrators may see them. */
  settingsInForce: SettingsInForce['settings'];
};

/** Rows that are used only in derived values. */
type Parts = 'bucket' | 'mailServer' | 'mailFrom' | 'policy';

/** The settings of a running store: a value for each row of `SETTINGS`. */
export type Settings = Omit<Values, keyof Derived | Parts> & Derived & Policy;

type Texts = Readonly<Record<string, string | undefined>>;

/** Variables of the CLI and the desktop, which may be set in the same environment as those of a store. */
const CLIENT_VARIABLES = new Set([
  'SVC_TOKEN',
  'SVC_STORE',
  'SVC_MIRRORS',
  'SVC_APPROVALS',
  'SVC_INSECURE_HTTP',
]);

const ROWS: Readonly<Record<string, Setting>> = SETTINGS;

export const SETTING_NAMES: readonly string[] = Object.values(ROWS).map(({ variable }) => variable);

/** The built pages; null when they were not built. */
function ownPages(): string | null {
  const folder = partFolder('web');
  return existsSync(join(folder, 'check.html')) ? folder : null;
}

/** The package of the CLI; null when it was not built. */
function ownCli(): string | null {
  const file = join(partFolder('cli'), 'cli.tgz');
  return existsSync(file) ? file : null;
}

const withoutEmpty = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));

/**
 * Refuses a misspelt variable, which would silently leave its setting at the default. Only names close to a setting are refused, as
 * other programs have variables with the same prefix: Kubernetes sets some for each service, and the CLI has SVC_STORE.
 */
function requireSpelling(environment: Texts): void {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('SVC_') || SETTING_NAMES.includes(name) || CLIENT_VARIABLES.has(name)) continue;
    const suggestion = nearest(name, SETTING_NAMES);
    if (suggestion !== undefined)
      throw new SettingError(`${name} is not a setting: did you mean ${suggestion}?`);
  }
}

function settingsOfFile(file: string): Texts {
  const { variable } = SETTINGS.settingsFile;
  const texts = read(ROWS.settingsFile as Setting, file, readSettingsFile) as Texts;
  for (const name of Object.keys(texts)) {
    if (SETTING_NAMES.includes(name) && name !== variable) continue;
    const suggestion = nearest(name, SETTING_NAMES);
    const hint = suggestion && suggestion !== variable ? `: did you mean ${suggestion}?` : '';
    throw new SettingError(
      `${variable} cannot be used: ${name} is not a setting that a file can have${hint}`,
    );
  }
  return withoutEmpty(texts);
}

/** Parses the text of a setting. @throws SettingError that begins with the name of its variable */
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
 * Reads one setting that does not come from the environment, such as an operand of a command.
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

/**
 * After how many hours sessions end. A store does not learn of a change of groups while a session lives: where groups decide, the user signs
 * in again within a week, and one with a role within a day.
 */
function sessionTermOf({ sessionHours, roleSessionHours, providers }: Values) {
  const groups = (providers ?? []).flatMap(({ rules }) => rules.groups ?? []);
  const hours = sessionHours ?? (groups.length > 0 ? 7 * 24 : 90 * 24);
  const givesRoles = groups.some(({ roles }) => Object.keys(roles).length > 0);
  return {
    sessionHours: hours,
    roleSessionHours: roleSessionHours ?? (givesRoles ? Math.min(hours, 24) : hours),
  };
}

const smtpOf = ({ mailServer, mailFrom: from }: Values): SmtpSettings | null =>
  mailServer !== null && from !== null ? { ...mailServer, from } : null;

/** A store that other machines use would sign apps whose servers are on each user's `localhost`. */
function requireOwnMachine({ localApps }: Values, baseUrl: string): void {
  if (!localApps || isThisMachine(new URL(baseUrl).hostname)) return;
  throw new SettingError(
    'SVC_LOCAL_APPS=1 is for a store on your own machine: SVC_BASE_URL must be on localhost, 127.0.0.1 or [::1].',
  );
}

/** The proxy reads the bundles from the data folder; it has no access to a bucket. */
function requireFolder({ bundlesByProxy, bucket }: Values): void {
  if (bundlesByProxy === null || bucket === null) return;
  throw new SettingError(
    'SVC_ACCEL_REDIRECT is for bundles in the data folder, and SVC_BLOBS keeps them in a bucket: unset one of them.',
  );
}

/** Clients follow redirects only to such addresses: see `createStorageFetch` of the runtime. */
function requireReachable({ bundleRedirect, bucket }: Values): void {
  if (bundleRedirect === null || bucket === null) return;
  const endpoint = new URL(bucket.endpoint);
  const { protocol, hostname, port } = endpoint;
  const isName = !isIPv4(hostname) && !hostname.startsWith('[');
  if ((protocol === 'https:' && port === '' && isName) || isThisMachine(endpoint.hostname)) return;
  throw new SettingError(
    'SVC_BUNDLE_REDIRECT redirects clients to the endpoint of SVC_BLOBS: use an endpoint with https://, a host name and no port.',
  );
}

/** Collects the texts of all settings that are set. A variable of the environment overrides a line of the file. */
function givenSettings(environment: Texts): { given: Texts; namesInFile: string[] } {
  const variables = withoutEmpty(environment);
  requireSpelling(variables);
  const file = variables[SETTINGS.settingsFile.variable];
  const ofFile = file === undefined ? {} : settingsOfFile(file);
  const namesInFile = Object.keys(ofFile).filter((name) => variables[name] === undefined);
  return { given: { ...ofFile, ...variables }, namesInFile };
}

/**
 * Reads the settings from the environment and from the settings file. An empty variable counts as not set.
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
    ...sessionTermOf(values),
    webDir: values.webDir ?? ownPages(),
    namesInFile,
    cliFile: ownCli(),
    downloadsDir: values.downloadsDir ?? join(partFolder('cli'), 'systems'),
  };
  const shown = { ...settings, mailFrom, policy: { ...policyKeys, given: givenPolicy } };
  return { ...settings, settingsInForce: describeSettings(ROWS, given, shown) };
}
