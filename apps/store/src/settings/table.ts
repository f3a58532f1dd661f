import { existsSync } from 'node:fs';
import { AccessRules } from '@svc/contracts';
import { readSmtpUrl } from '../adapters/mail/smtp-settings.ts';
import { readS3Address } from '../adapters/s3/s3-address.ts';
import { readNetworks } from '../http/client-address.ts';
import { readLogo, readStoreName } from './brand.ts';
import { readPolicyFile } from './policy-file.ts';
import { anyText, oneOf, orFault, SettingError, setting } from './setting.ts';
import { readSignInFile } from './sign-in-file.ts';

const MIN_TOKEN = 16;
const MAX_PORT = 65_535;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One sender, in either of the forms that mail programs take. */
const SENDER = /^(?:[^\p{C}<>"@]+<[^\p{C}\s<>"@]+@[^\p{C}\s<>"@]+>|[^\p{C}\s<>"@]+@[^\p{C}\s<>"@]+)$/u;

function readPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= MAX_PORT ? port : undefined;
}

/** The address of the store, without a slash at its end. */
function readBaseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== '' || url.hash !== '') throw new SettingError('must not have a query');
  // Cookies, the pages and the addresses that are signed all count from the root of a host.
  if (url.pathname !== '/') {
    throw new SettingError(
      'must not have a path: give the store a host name of its own, such as https://apps.example.com',
    );
  }
  return text.replace(/\/$/, '');
}

function readAdminToken(text: string): string | undefined {
  if (!/^[!-~]+$/.test(text)) throw new SettingError('must be printable characters without spaces');
  return text.length >= MIN_TOKEN ? text : undefined;
}

/** How long a signed address in the bucket may be valid, in seconds: clients need time to follow it, and a yank waits for its end. */
const REDIRECT = { least: 5, most: 300 };

function readRedirect(text: string): number | undefined {
  const seconds = Number(text);
  return /^\d{1,3}$/.test(text) && seconds >= REDIRECT.least && seconds <= REDIRECT.most
    ? seconds
    : undefined;
}

/** What counts where neither a setting nor an administrator decides is `OPEN_ACCESS`. */
const CHOSEN = 'as an administrator chose on the page after `/setup`';

/** All settings, in the order in which they are shown. A new one is a row here, and its use. */
export const SETTINGS = {
  port: setting({
    variable: 'PORT',
    secret: false,
    doc: 'port to listen on',
    unset: '8787',
    must: `must be a whole number from 0 to ${MAX_PORT}`,
    read: readPort,
  }),
  baseUrl: setting({
    variable: 'SVC_BASE_URL',
    secret: false,
    doc: 'address under which clients reach the store, at the root of a host: without a path',
    unset: null,
    otherwise: '`http://localhost:PORT`',
    must: 'must be an http or https address',
    read: readBaseUrl,
  }),
  storeName: setting({
    variable: 'SVC_STORE_NAME',
    secret: false,
    doc: 'what the store calls itself, in 40 characters or fewer',
    more: 'name-and-logo',
    unset: 'svc app store',
    must: 'must have 1 to 40 characters',
    read: readStoreName,
  }),
  storeLogo: setting({
    variable: 'SVC_STORE_LOGO',
    secret: false,
    doc: 'file with the picture beside that name: a square PNG, JPEG or WebP',
    more: 'name-and-logo',
    unset: null,
    otherwise: 'the logo of svc',
    must: 'must be a file',
    read: readLogo,
  }),
  settingsFile: setting({
    variable: 'SVC_SETTINGS_FILE',
    secret: false,
    doc: 'file with more of these settings, a line `NAME=value` each; a variable of the environment comes before its line',
    more: 'a-file-of-settings',
    unset: null,
    otherwise: 'the environment alone',
    must: 'must be a file',
    read: anyText,
  }),
  dataDir: setting({
    variable: 'SVC_DATA_DIR',
    secret: false,
    doc: 'folder for the database, the bundles and the key',
    unset: 'data',
    must: 'must be a folder',
    read: anyText,
  }),
  signingKeyFile: setting({
    variable: 'SVC_SIGNING_KEY_FILE',
    secret: false,
    doc: 'Ed25519 private key, PKCS #8 PEM; made at the first start',
    unset: null,
    otherwise: '`keys/signing-key.pem` in the data folder',
    must: 'must be a file',
    read: anyText,
  }),
  adminToken: setting({
    variable: 'SVC_ADMIN_TOKEN',
    secret: true,
    doc: `bearer token with every role, for automation; ${MIN_TOKEN} characters or more`,
    unset: null,
    otherwise: 'there is none',
    must: `must have at least ${MIN_TOKEN} characters`,
    read: readAdminToken,
  }),
  signUp: setting({
    variable: 'SVC_SIGN_UP',
    secret: false,
    doc: 'who makes an account: `open`, `invited` or `closed`',
    more: 'who-may-do-what',
    unset: null,
    otherwise: CHOSEN,
    must: 'must be open, invited or closed',
    read: oneOf(...AccessRules.shape.signUp.options),
  }),
  publishers: setting({
    variable: 'SVC_PUBLISHERS',
    secret: false,
    doc: 'who makes a publisher: `open` or `approved`',
    more: 'who-may-do-what',
    unset: null,
    otherwise: CHOSEN,
    must: 'must be open or approved',
    read: oneOf(...AccessRules.shape.publishers.options),
  }),
  read: setting({
    variable: 'SVC_READ',
    secret: false,
    doc: 'who sees apps and takes bundles: `public` or `members`',
    more: 'who-may-do-what',
    unset: null,
    otherwise: CHOSEN,
    must: 'must be public or members',
    read: oneOf(...AccessRules.shape.read.options),
  }),
  providers: setting({
    variable: 'SVC_SIGN_IN_FILE',
    secret: false,
    doc: 'JSON that names the providers that people sign in with',
    more: 'providers-to-sign-in-with',
    unset: null,
    otherwise: 'people sign in with passkeys and passwords',
    must: 'must be a file of providers',
    read: readSignInFile,
  }),
  policy: setting({
    variable: 'SVC_POLICY_FILE',
    secret: false,
    doc: 'JSON that says what goes to a person, and how reviews are done',
    more: 'policy',
    unset: null,
    otherwise: 'the defaults below',
    must: 'must be a file with a policy',
    read: readPolicyFile,
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    secret: true,
    doc: 'PostgreSQL to keep the data in: `postgres://user:password@host/database?sslmode=verify-full`',
    unset: null,
    otherwise: 'SQLite in the data folder',
    must: 'must be postgres://user:password@host:port/database',
    read: (text) => (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined),
  }),
  bucket: setting({
    variable: 'SVC_BLOBS',
    secret: false,
    doc: 'S3 to keep the bundles in: `s3://bucket/prefix?endpoint=https://…&region=…`',
    unset: null,
    otherwise: 'files in the data folder',
    must: 'must be s3://bucket/prefix?endpoint=https://…&region=…',
    needs: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    read: (text) => orFault(readS3Address(text)),
  }),
  bundlesByProxy: setting({
    variable: 'SVC_ACCEL_REDIRECT',
    secret: false,
    doc: 'where nginx has the folder of the bundles for itself (`internal`), such as `/svc-bundles/`: it then sends them in place of the store, by `X-Accel-Redirect`; not with `SVC_BLOBS`',
    more: 'bundles-sent-by-nginx',
    unset: null,
    otherwise: 'the store sends them',
    must: 'must be a path such as /svc-bundles/: letters, digits, - and _ between slashes',
    needs: ['SVC_TRUSTED_PROXIES'],
    read: (text) => (/^(?:\/[\w-]+)+\/$/.test(text) ? text : undefined),
  }),
  bundleRedirect: setting({
    variable: 'SVC_BUNDLE_REDIRECT',
    secret: false,
    doc: 'redirects clients that can follow to a signed address in the bucket for bundles of more than 256 KiB; this many seconds it is valid, such as `60`',
    more: 'bundles-from-the-bucket',
    unset: null,
    otherwise: 'the store sends them',
    must: `must be a whole number of seconds from ${REDIRECT.least} to ${REDIRECT.most}`,
    needs: ['SVC_BLOBS'],
    read: readRedirect,
  }),
  accessKeyId: setting({
    variable: 'AWS_ACCESS_KEY_ID',
    secret: true,
    doc: 'name of the key of that S3',
    unset: null,
    otherwise: 'needed with `SVC_BLOBS`',
    must: 'must be the name of a key',
    read: anyText,
  }),
  secretAccessKey: setting({
    variable: 'AWS_SECRET_ACCESS_KEY',
    secret: true,
    doc: 'the key itself',
    unset: null,
    otherwise: 'needed with `SVC_BLOBS`',
    must: 'must be a key',
    read: anyText,
  }),
  mailServer: setting({
    variable: 'SVC_SMTP_URL',
    secret: true,
    doc: 'mail server: `smtps://user:password@host:465`, or `smtp://host:587`, where a password is sent only after STARTTLS',
    more: 'mail',
    unset: null,
    otherwise: 'mails are written into the log',
    must: 'must be smtp://user:password@host:port, or smtps://…',
    needs: ['SVC_MAIL_FROM'],
    read: (text) => orFault(readSmtpUrl(text)),
  }),
  mailFrom: setting({
    variable: 'SVC_MAIL_FROM',
    secret: false,
    doc: 'sender of mails: `store@example.com`, or `App store <store@example.com>`',
    unset: null,
    otherwise: 'needed with `SVC_SMTP_URL`',
    must: 'must be an address such as store@example.com, or App store <store@example.com>',
    read: (text) => (SENDER.test(text) ? text : undefined),
  }),
  trustedProxies: setting({
    variable: 'SVC_TRUSTED_PROXIES',
    secret: false,
    doc: 'balancers before the store, as addresses and networks: `10.0.0.5,fd00::/8`; from them alone `X-Forwarded-For` is believed',
    unset: null,
    otherwise: 'the address of a client is that of its connection',
    must: 'must be addresses and networks such as 10.0.0.1,fd00::/8, and not the network of all',
    read: (text) => readNetworks(text) ?? undefined,
  }),
  webDir: setting({
    variable: 'SVC_WEB_DIR',
    secret: false,
    doc: 'folder of the built pages',
    unset: null,
    otherwise: 'those that come with the store',
    must: 'must be a folder that is there',
    read: (text) => (existsSync(text) ? text : undefined),
  }),
  localApps: setting({
    variable: 'SVC_LOCAL_APPS',
    secret: false,
    doc: '`1` takes apps whose servers are on `localhost`, for development and demonstrations; only where `SVC_BASE_URL` is on this machine too',
    unset: '0',
    otherwise: '`0`: they are refused',
    must: 'must be 1 or 0',
    read: (text) => ({ 0: false, 1: true })[text],
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    secret: false,
    doc: '`trace` to `fatal`, or `silent`',
    unset: 'info',
    must: `must be one of ${LOG_LEVELS.join(', ')}`,
    read: oneOf(...LOG_LEVELS),
  }),
};
