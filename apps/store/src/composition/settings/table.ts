import { existsSync } from 'node:fs';
import { AccessRules, EXTENSION_NAMES } from '@svc/contracts';
import { readPrivateNetworks } from '@svc/contracts/public-address';
import { isThisMachine } from '@svc/contracts/this-machine';
import { readSmtpUrl } from '../../adapters/mail/smtp-settings.ts';
import { readS3Address } from '../../adapters/s3/s3-address.ts';
import { AUDIT_FORMATS, readAuditAddress } from '../../core/audit/audit-sink.ts';
import { DEFAULT_NAME } from '../../core/domain/brand/brand.ts';
import { readNetworks } from '../../http/client-address.ts';
import { readLogo, readStoreAccent, readStoreName } from './brand.ts';
import { readPolicyFile } from './policy-file.ts';
import {
  MAX_PORT,
  MIN_TOKEN,
  NOT_A_PROXY,
  REDIRECT,
  readAdminToken,
  readBaseUrl,
  readCaFile,
  readCiIssuers,
  readExtensions,
  readPort,
  readProxy,
  readRedirect,
  SENDER,
} from './readers.ts';
import { anyText, choice, orFault, SettingError, setting } from './setting.ts';
import { readSignInFile } from './sign-in-file.ts';
import { readWitnesses } from './witness-file.ts';

/** Where neither a setting nor an administrator decides, `OPEN_ACCESS` applies. */
const CHOSEN = 'the choice of an administrator on the page after `/setup`';
/** Where neither a setting nor an administrator decides, the brand is that of svc. */
const CHOSEN_BRAND = 'the choice of an administrator at `/setup/brand`, else';

/** Hours after a sign-in; at most 90 days. */
const readHours = (text: string): number | undefined =>
  /^\d{1,4}$/.test(text) && +text >= 1 && +text <= 2_160 ? Number(text) : undefined;

const hours = (variable: string, row: { doc: string; otherwise: string; more?: string }) =>
  setting(variable, {
    ...row,
    must: 'must be a whole number of hours from 1 to 2160',
    read: readHours,
  });

/** A folder that someone else made. */
const EXISTING_FOLDER = {
  must: 'must be an existing folder',
  read: (text: string): string | undefined => (existsSync(text) ? text : undefined),
};

/** All settings, in the order in which they are shown. To add a setting, add a row here. */
export const SETTINGS = {
  port: setting('PORT', {
    doc: 'port to listen on; `0` takes a free one, which differs at each start',
    unset: '8787',
    must: `must be a whole number from 0 to ${MAX_PORT}`,
    read: readPort,
  }),
  baseUrl: setting('SVC_BASE_URL', {
    doc: 'public URL of the store, without a path',
    otherwise: '`http://localhost:PORT`',
    must: 'must be an http or https address',
    read: readBaseUrl,
  }),
  storeName: setting('SVC_STORE_NAME', {
    doc: 'name of the store, at most 40 characters',
    more: 'operating.md#name-and-logo',
    otherwise: `${CHOSEN_BRAND} \`${DEFAULT_NAME}\``,
    must: 'must have 1 to 40 characters',
    read: readStoreName,
  }),
  storeLogo: setting('SVC_STORE_LOGO', {
    doc: 'logo file, shown next to the name: a square PNG, JPEG or WebP',
    more: 'operating.md#name-and-logo',
    otherwise: `${CHOSEN_BRAND} the logo of svc`,
    must: 'must be a file',
    read: readLogo,
  }),
  storeAccent: setting('SVC_STORE_ACCENT', {
    doc: 'colour of buttons, links and seals, such as `#0b57b0`',
    more: 'operating.md#name-and-logo',
    otherwise: `${CHOSEN_BRAND} the green of svc`,
    must: 'must be a colour such as #0b57b0',
    read: readStoreAccent,
  }),
  settingsFile: setting('SVC_SETTINGS_FILE', {
    doc: 'file with more settings, one `NAME=value` a line; a variable of the environment overrides its line',
    otherwise: 'settings come from the environment only',
    must: 'must be a file',
    read: anyText,
  }),
  dataDir: setting('SVC_DATA_DIR', {
    doc: 'folder for the database, the bundles and the signing key; made private, so give the store one of its own',
    unset: 'data',
    must: 'must be a folder',
    read: anyText,
  }),
  signingKeyFile: setting('SVC_SIGNING_KEY_FILE', {
    doc: 'file with the Ed25519 private key, PKCS #8 PEM; created at the first start',
    otherwise: '`keys/signing-key.pem` in the data folder',
    must: 'must be a file',
    read: anyText,
  }),
  adminToken: setting('SVC_ADMIN_TOKEN', {
    secret: true,
    doc: `bearer token with every role, for automation; at least ${MIN_TOKEN} characters`,
    otherwise: 'no such token',
    must: `must have at least ${MIN_TOKEN} characters`,
    read: readAdminToken,
  }),
  metricsToken: setting('SVC_METRICS_TOKEN', {
    secret: true,
    doc: `bearer token that only reads \`/metrics\`; at least ${MIN_TOKEN} characters`,
    more: 'monitoring.md#probes-and-metrics',
    otherwise: '`SVC_ADMIN_TOKEN` reads them',
    must: `must have at least ${MIN_TOKEN} characters`,
    read: readAdminToken,
  }),
  auditTo: setting('SVC_AUDIT_TO', {
    doc: 'collector that gets every entry of the audit log: `syslogs://host:6514`, `syslog://host:601` or `https://host/path`',
    more: 'monitoring.md#the-audit-log-in-a-siem',
    otherwise: 'entries are only in the store',
    must: 'must be syslogs://host:6514, syslog://host:601 or https://host/path, without a password',
    read: (text) => readAuditAddress(text, isThisMachine),
  }),
  auditToken: setting('SVC_AUDIT_TOKEN', {
    secret: true,
    doc: 'bearer token for a collector at an https address',
    more: 'monitoring.md#the-audit-log-in-a-siem',
    otherwise: 'requests have no token',
    must: 'must be printable ASCII without spaces',
    read: (text) => (/^[\x21-\x7e]{1,4096}$/.test(text) ? text : undefined),
  }),
  auditFormat: choice('SVC_AUDIT_FORMAT', AUDIT_FORMATS, {
    doc: 'form of an entry of the audit log for the collector: `json`, or `cef`, the Common Event Format',
    more: 'monitoring.md#the-audit-log-in-a-siem',
    unset: 'json',
  }),
  signUp: choice('SVC_SIGN_UP', [...AccessRules.shape.signUp.options], {
    doc: 'who may create an account: `open`, `invited` or `closed`',
    more: 'users.md#who-may-do-what',
    otherwise: CHOSEN,
  }),
  publishers: choice('SVC_PUBLISHERS', [...AccessRules.shape.publishers.options], {
    doc: 'who may create a publisher: `open` or `approved`',
    more: 'users.md#who-may-do-what',
    otherwise: CHOSEN,
  }),
  read: choice('SVC_READ', [...AccessRules.shape.read.options], {
    doc: 'who may see apps and download bundles: `public` or `members`',
    more: 'users.md#who-may-do-what',
    otherwise: CHOSEN,
  }),
  sessionHours: hours('SVC_SESSION_HOURS', {
    doc: 'hours after a sign-in in which its session ends, however often it is used; a session that is not used ends after 14 days in any case',
    otherwise: '2160; 168 where groups of a provider decide roles or publishers',
  }),
  roleSessionHours: hours('SVC_ROLE_SESSION_HOURS', {
    doc: 'the same for moderators and administrators, where it is less',
    more: 'company.md#a-leaver-without-scim',
    otherwise: 'as `SVC_SESSION_HOURS`; 24 where groups of a provider decide roles',
  }),
  readOnly: setting('SVC_READ_ONLY', {
    doc: 'makes the store read-only, with a reason that users see, such as `we move to a new database until 18:00 UTC`',
    more: 'deployment.md#read-only',
    otherwise: 'everything works',
    must: 'must be one line of 1 to 200 characters',
    read: (text) => (/^[^\p{Cc}]{1,200}$/u.test(text) ? text.trim().replace(/\.$/, '') : undefined),
  }),
  groupCheckMinutes: setting('SVC_GROUP_CHECK_MINUTES', {
    doc: 'minutes between two questions to the provider about a user whose groups decide something',
    more: 'company.md#a-leaver-without-scim',
    unset: '30',
    must: 'must be a whole number of minutes from 1 to 1440',
    read: (text) => (/^\d{1,4}$/.test(text) && +text >= 1 && +text <= 1_440 ? Number(text) : undefined),
  }),
  tokenConfirmHours: setting('SVC_TOKEN_CONFIRM_HOURS', {
    doc: 'hours after which API tokens of a user have no effect until the user signs in, where groups decide and the provider cannot be asked',
    more: 'company.md#a-leaver-without-scim',
    unset: '720',
    must: 'must be a whole number of hours from 1 to 2160',
    read: readHours,
  }),
  providers: setting('SVC_SIGN_IN_FILE', {
    doc: 'JSON file with the identity providers that users sign in with',
    more: 'users.md#providers-to-sign-in-with',
    otherwise: 'users sign in with passkeys and passwords',
    must: 'must be a file of providers',
    read: readSignInFile,
  }),
  policy: setting('SVC_POLICY_FILE', {
    doc: 'JSON file with the policy: which versions need a review, and how reviews work',
    more: 'policy.md',
    otherwise: 'the defaults of the policy',
    must: 'must be a file with a policy',
    read: readPolicyFile,
  }),
  witnesses: setting('SVC_WITNESSES', {
    doc: 'JSON file with the witnesses of the log, and how many of them clients may demand',
    more: 'log.md#witnesses',
    otherwise: 'no witness cosigns the log',
    must: 'must be a file of witnesses',
    read: readWitnesses,
  }),
  databaseUrl: setting('DATABASE_URL', {
    secret: true,
    doc: 'PostgreSQL database for the data: `postgres://user:password@host/database?sslmode=verify-full`',
    otherwise: 'SQLite in the data folder',
    must: 'must be postgres://user:password@host:port/database',
    read: (text) => (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined),
  }),
  bucket: setting('SVC_BLOBS', {
    doc: 'S3 bucket for the bundles: `s3://bucket/prefix?endpoint=https://…&region=…`',
    otherwise: 'files in the data folder',
    must: 'must be s3://bucket/prefix?endpoint=https://…&region=…',
    needs: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    read: (text) => orFault(readS3Address(text)),
  }),
  bundlesByProxy: setting('SVC_ACCEL_REDIRECT', {
    doc: '`internal` location of the bundle folder in nginx, such as `/svc-bundles/`: nginx then sends the bundles instead of the store, by `X-Accel-Redirect`; not with `SVC_BLOBS`',
    more: 'proxies.md#bundles-sent-by-nginx',
    otherwise: 'the store sends them',
    must: 'must be a path such as /svc-bundles/: letters, digits, - and _ between slashes',
    needs: ['SVC_TRUSTED_PROXIES'],
    read: (text) => (/^(?:\/[\w-]+)+\/$/.test(text) ? text : undefined),
  }),
  bundleRedirect: setting('SVC_BUNDLE_REDIRECT', {
    doc: 'seconds for which a signed address in the bucket is valid, such as `60`: the store redirects clients that support it there for bundles larger than 256 KiB',
    more: 'proxies.md#bundles-from-the-bucket',
    otherwise: 'the store sends them',
    must: `must be a whole number of seconds from ${REDIRECT.min} to ${REDIRECT.max}`,
    needs: ['SVC_BLOBS'],
    read: readRedirect,
  }),
  accessKeyId: setting('AWS_ACCESS_KEY_ID', {
    secret: true,
    doc: 'access key ID for the S3 bucket',
    otherwise: 'required with `SVC_BLOBS`',
    must: 'must be an access key ID',
    read: anyText,
  }),
  secretAccessKey: setting('AWS_SECRET_ACCESS_KEY', {
    secret: true,
    doc: 'secret access key for the S3 bucket',
    otherwise: 'required with `SVC_BLOBS`',
    must: 'must be a secret access key',
    read: anyText,
  }),
  mailServer: setting('SVC_SMTP_URL', {
    secret: true,
    doc: 'mail server: `smtps://user:password@host:465`, or `smtp://host:587`, which sends a password only after STARTTLS',
    more: 'users.md#mail',
    otherwise: 'mails are written to the log',
    must: 'must be smtp://user:password@host:port, or smtps://…',
    needs: ['SVC_MAIL_FROM'],
    read: (text) => orFault(readSmtpUrl(text)),
  }),
  mailFrom: setting('SVC_MAIL_FROM', {
    doc: 'sender of mails: `store@example.com`, or `App store <store@example.com>`',
    otherwise: 'required with `SVC_SMTP_URL`',
    must: 'must be an address such as store@example.com, or App store <store@example.com>',
    read: (text) => (SENDER.test(text) ? text : undefined),
  }),
  trustedProxies: setting('SVC_TRUSTED_PROXIES', {
    doc: 'addresses and networks of the proxies in front of the store: `10.0.0.5,fd00::/8`; `X-Forwarded-For` is trusted only from them',
    otherwise: "a client's address is the remote address of its connection",
    must: 'must be addresses and networks such as 10.0.0.1,fd00::/8, and must not include every address',
    read: (text) => readNetworks(text) ?? undefined,
  }),
  relayBinding: choice('SVC_RELAY_BINDING', ['address', 'always', 'off'], {
    doc: 'which client gets the code of a sign-in to an account: `address`: one at the network address of the browser, or one whose three digits the user types on the callback page; `always`: only the latter; `off`: every client that has the `state`',
    unset: 'address',
  }),
  probeServers: choice('SVC_PROBE_SERVERS', ['on', 'off'], {
    doc: 'whether the store lists the tools of the servers of apps once a day, and compares them with those that were reviewed: `on` or `off`',
    more: 'policy.md#servers-of-apps',
    unset: 'on',
  }),
  privateNetworks: setting('SVC_PRIVATE_NETWORKS', {
    doc: 'hosts and networks inside the company that the store may reach to list the tools of apps and to verify websites: `*.corp.example,10.20.0.0/16`',
    more: 'company.md',
    otherwise: 'only the public Internet',
    must: 'must be hosts and networks such as *.corp.example,10.20.0.0/16',
    read: (text) => {
      try {
        return readPrivateNetworks(text);
      } catch (error) {
        throw new SettingError(`is not valid: ${(error as TypeError).message}`);
      }
    },
  }),
  authorities: setting('SVC_CA_FILE', {
    doc: 'file with certificate authorities, as PEM, to trust in addition to those of Node, for every connection of the store',
    more: 'company.md#a-private-certificate-authority',
    otherwise: 'only those of Node and of `NODE_EXTRA_CA_CERTS`',
    must: 'must be a PEM file',
    read: readCaFile,
  }),
  httpsProxy: setting('HTTPS_PROXY', {
    secret: true,
    doc: 'proxy for requests to the bucket and to providers to sign in with at `https://` addresses',
    more: 'company.md#an-outbound-proxy',
    otherwise: 'no proxy',
    must: NOT_A_PROXY,
    read: readProxy,
  }),
  httpProxy: setting('HTTP_PROXY', {
    secret: true,
    doc: 'proxy for such requests at `http://` addresses',
    more: 'company.md#an-outbound-proxy',
    otherwise: 'no proxy',
    must: NOT_A_PROXY,
    read: readProxy,
  }),
  noProxy: setting('NO_PROXY', {
    doc: 'hosts that are reached without a proxy: `.corp.example,s3.internal`',
    more: 'company.md#an-outbound-proxy',
    otherwise: 'only this machine',
    must: 'must be names of hosts, separated by commas',
    read: (text) => (/^[ -~]+$/.test(text) ? text : undefined),
  }),
  without: setting('SVC_WITHOUT', {
    doc: `extensions that the store runs without, separated by commas: ${EXTENSION_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    more: 'operating.md#extensions',
    otherwise: 'the store has all of them',
    must: `must be names of extensions, separated by commas: ${EXTENSION_NAMES.join(', ')}`,
    read: readExtensions,
  }),
  mcpRegistry: choice('SVC_MCP_REGISTRY', ['on', 'off'], {
    doc: 'whether the store answers the read API of MCP registries (`/v0.1/servers`): `on` or `off`',
    unset: 'on',
  }),
  upstreamDays: setting('SVC_UPSTREAM_DAYS', {
    doc: 'days that an upstream may fail before new installs of its apps stop',
    more: 'upstreams.md',
    unset: '7',
    must: 'must be a whole number of days from 1 to 365',
    read: (text) => (/^\d{1,3}$/.test(text) && +text >= 1 && +text <= 365 ? Number(text) : undefined),
  }),
  ciIssuers: setting('SVC_CI_ISSUERS', {
    doc: 'issuers of the ID tokens of CI jobs that the store exchanges for publish tokens, each with the kind of its claims: `github`, `gitlab`, or `other` for any issuer whose claim `sub` names the job',
    more: 'policy.md#trusted-publishing',
    unset: 'github=https://token.actions.githubusercontent.com gitlab=https://gitlab.com',
    must: 'must be kinds and https addresses such as gitlab=https://gitlab.example.com, separated by spaces, or off',
    read: readCiIssuers,
  }),
  attestationRoots: setting('SVC_ATTESTATION_ROOTS', {
    doc: 'file with the instances of Sigstore whose attestations of builds are accepted, as `gh attestation trusted-root` prints it',
    more: 'policy.md#attestations',
    otherwise: 'the public instance',
    must: 'must be a file',
    read: anyText,
  }),
  securityContact: setting('SVC_SECURITY_CONTACT', {
    doc: 'address for reports of vulnerabilities, in `/.well-known/security.txt`',
    otherwise: 'there is no such file',
    must: 'must be a mailto: or https: address',
    read: (text) =>
      /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text) && URL.canParse(text) ? text : undefined,
  }),
  webDir: setting('SVC_WEB_DIR', {
    doc: 'folder of the built pages',
    otherwise: 'the pages that are part of the store',
    ...EXISTING_FOLDER,
  }),
  downloadsDir: setting('SVC_DOWNLOADS_DIR', {
    doc: 'folder of the files that people without Node download, as `npm run build -- all` packs them',
    more: 'operating.md#downloads-without-node',
    otherwise: 'those built beside the command line',
    ...EXISTING_FOLDER,
  }),
  localApps: setting('SVC_LOCAL_APPS', {
    doc: '`1` accepts apps whose servers are on `localhost`, for development and demonstrations; only if `SVC_BASE_URL` is on this machine too',
    unset: '0',
    otherwise: '`0`: such apps are refused',
    must: 'must be 1 or 0',
    read: (text) => ({ 0: false, 1: true })[text],
  }),
  logLevel: choice('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    doc: 'lowest level that is logged: `trace` to `fatal`, or `silent`',
    unset: 'info',
    must: 'must be one of trace, debug, info, warn, error, fatal, silent',
  }),
};
