import type { SettingsInForce } from '@svc/contracts';

type Setting = SettingsInForce['settings'][number];

/** What is shown of the settings as they were read. No part of it may hold a secret. */
type Read = {
  port: number;
  baseUrl: string;
  dataDir: string;
  signingKeyFile: string;
  logLevel: string;
  localApps: boolean;
  webDir: string | null;
  reservedNames: readonly string[];
  flaggedCodes: readonly string[];
  skipReview: readonly string[];
  reviewDays: number;
  cannedReasons: readonly { id: string }[];
  providers: readonly { id: string; label: string }[];
  /** The keys of the policy that its file gives. */
  givenPolicy: readonly string[];
};

const asGiven = (name: string) => (_read: Read, given: Given) => given[name] ?? '';

type Given = Readonly<Record<string, string | undefined>>;

/**
 * The settings that may be shown, and how. Whatever is not named here counts as a secret, so that a new setting is not
 * shown by accident: addresses of databases and mail servers hold passwords. That of the bucket may not (`readS3Address`).
 */
const SHOWN: Readonly<Record<string, (read: Read, given: Given) => string>> = {
  PORT: ({ port }) => String(port),
  SVC_BASE_URL: ({ baseUrl }) => baseUrl,
  SVC_DATA_DIR: ({ dataDir }) => dataDir,
  SVC_SIGNING_KEY_FILE: ({ signingKeyFile }) => signingKeyFile,
  SVC_TRUSTED_PROXIES: asGiven('SVC_TRUSTED_PROXIES'),
  SVC_POLICY_FILE: asGiven('SVC_POLICY_FILE'),
  SVC_SIGN_IN_FILE: asGiven('SVC_SIGN_IN_FILE'),
  SVC_WEB_DIR: ({ webDir }) => webDir ?? '',
  LOG_LEVEL: ({ logLevel }) => logLevel,
  SVC_LOCAL_APPS: ({ localApps }) => (localApps ? '1' : '0'),
  SVC_BLOBS: asGiven('SVC_BLOBS'),
  SVC_MAIL_FROM: asGiven('SVC_MAIL_FROM'),
};

function settingOf(name: string, given: Given, read: Read): Setting {
  const isGiven = given[name] !== undefined;
  const show = SHOWN[name];
  if (!show) return { name, value: isGiven ? 'set' : 'not set', secret: true, given: isGiven };
  return { name, value: show(read, given), secret: false, given: isGiven };
}

const listed = (values: readonly string[]): string => values.join(', ');

/** The policy key by key, and by whom people may be vouched for, without what those are asked with. */
function filesOf(read: Read, given: Given): Setting[] {
  const policy = {
    reservedNames: listed(read.reservedNames),
    flaggedCodes: listed(read.flaggedCodes),
    skipReview: listed(read.skipReview),
    reviewDays: String(read.reviewDays),
    cannedReasons: listed(read.cannedReasons.map(({ id }) => id)),
  };
  const shown = Object.entries(policy).map(
    ([key, value]): Setting => ({
      name: `policy.${key}`,
      value,
      secret: false,
      given: read.givenPolicy.includes(key),
    }),
  );
  const value = listed(read.providers.map(({ label, id }) => `${label} (${id})`));
  return [...shown, { name: 'providers', value, secret: false, given: given.SVC_SIGN_IN_FILE !== undefined }];
}

/**
 * The settings in force, as administrators may see them.
 * @param names of all settings of the environment
 * @param given the environment, without what is empty
 */
export const describeSettings = (names: readonly string[], given: Given, read: Read): Setting[] => [
  ...names.map((name) => settingOf(name, given, read)),
  ...filesOf(read, given),
];
