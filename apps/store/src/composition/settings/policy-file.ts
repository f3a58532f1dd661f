import { readFileSync } from 'node:fs';
import { CannedReason, LIMITS, PublisherSlug, STORE_GRANTS } from '@svc/contracts';
import { nearest } from '@svc/validator';
import { z } from 'zod';
import { SettingError } from './setting.ts';

/** A key of the policy: its schema, its default and its documentation. */
type PolicyKey<Value> = {
  schema: z.ZodType<Value>;
  unset: Value;
  doc: string;
  otherwise: string;
  must: string;
};

const key = <Value>(row: PolicyKey<Value>): PolicyKey<Value> => row;

const isUnique = (reasons: readonly CannedReason[]): boolean =>
  new Set(reasons.map(({ id }) => id)).size === reasons.length;

const days = z.number().int().min(1).max(3_650);

/** How long personal data is kept, in days; null keeps it. */
const RetentionDays = z.strictObject({
  addresses: days.nullable().default(365),
  sessions: days.default(60),
  reports: days.nullable().default(365),
  mails: days.max(30).default(3),
});

/** The uploads of one developer, accepted or not, in so many minutes. */
const UploadQuota = z.strictObject({
  uploads: z.number().int().min(1).max(10_000).default(LIMITS.uploads.perDeveloper),
  minutes: z
    .number()
    .int()
    .min(1)
    .max(24 * 60)
    .default(LIMITS.uploads.windowMs / 60_000),
});

/** The decisions that need two persons. */
const TwoPersons = z.strictObject({
  apps: z.array(z.string().min(1).max(LIMITS.manifest.id)).default([]),
  publishers: z.array(PublisherSlug).default([]),
  permissions: z.array(z.enum([...STORE_GRANTS, 'accounts'])).default([]),
});

/** All keys of the policy. The table in docs/reference/policy-keys.md and the settings in force come from here. */
export const POLICY = {
  reservedNames: key({
    schema: z.array(z.string().min(1)),
    unset: [],
    doc: "names that no app and no user's publisher may use, in addition to the store's own list",
    otherwise: 'none',
    must: 'must be a list of names',
  }),
  flaggedCodes: key({
    schema: z.array(z.string()),
    unset: ['bundle.obfuscated', 'accounts.hosts', 'lookalike.name', 'lookalike.icon', 'lookalike.id'],
    doc: 'codes of warnings that send a version to review, for every publisher',
    otherwise: '`bundle.obfuscated`, `accounts.hosts`, `lookalike.name`, `lookalike.icon` and `lookalike.id`',
    must: 'must be a list of codes',
  }),
  skipReview: key({
    schema: z.array(PublisherSlug),
    unset: [],
    doc: 'short names of publishers whose versions only `flaggedCodes` send to review: a first version, new permissions and an unverified publisher do not',
    otherwise: 'none',
    must: 'must be a list of short names of publishers',
  }),
  toolChanges: key({
    schema: z.enum(['always', 'unverified', 'never']),
    unset: 'always' as 'always' | 'unverified' | 'never',
    doc: 'whose updates that add a tool, or change the name or description of one, need a review, as agents follow these words: `"always"`, `"unverified"` publishers only, or `"never"`',
    otherwise: '`"always"`',
    must: 'must be "always", "unverified" or "never"',
  }),
  toolDrift: key({
    schema: z.enum(['report', 'suspend']),
    unset: 'report' as 'report' | 'suspend',
    doc: 'what happens when the server of an app lists other tools than those that were reviewed: `"report"` notifies moderators and the publisher, `"suspend"` also suspends the app until a moderator decides',
    otherwise: '`"report"`',
    must: 'must be "report" or "suspend"',
  }),
  confirmUploads: key({
    schema: z.enum(['asked', 'always']),
    unset: 'asked' as 'asked' | 'always',
    doc: 'which versions wait until a member of their publisher confirms them on a page, with a fresh proof of identity: `"asked"`, those of apps and uploads that ask for it; `"always"`, all',
    otherwise: '`"asked"`',
    must: 'must be "asked" or "always"',
  }),
  reviewDays: key({
    schema: z.number().positive().max(365),
    unset: 3,
    doc: 'days of 24 hours until the review of a version is due; `0.5` is twelve hours',
    otherwise: '3',
    must: 'must be a number of days above 0, at most 365',
  }),
  independentReview: key({
    schema: z.boolean(),
    unset: true,
    doc: '`true` forbids moderators to approve versions that they uploaded, or that belong to a publisher they are a member of. It applies as soon as two users can approve; it never applies to `SVC_ADMIN_TOKEN`, which acts for the operator',
    otherwise: 'true',
    must: 'must be true or false',
  }),
  twoPersons: key<z.infer<typeof TwoPersons>>({
    schema: TwoPersons,
    unset: TwoPersons.parse({}),
    doc: 'whose versions two persons must approve ([two persons](../policy.md#two-persons)): ids of `apps`, short names of `publishers`, and `permissions`: a version with one of these grants, or with `accounts` for any account. `SVC_ADMIN_TOKEN` is no person',
    otherwise: 'none',
    must: 'must be an object with any of "apps" (ids), "publishers" (short names) and "permissions" (grants of the manifest, or "accounts")',
  }),
  rolesNeedPasskey: key<boolean | null>({
    schema: z.boolean(),
    unset: null,
    doc: '`true` gives moderators and administrators their role only in a session that they signed in to with a passkey, `false` also with a password. It does not apply to `SVC_ADMIN_TOKEN`',
    otherwise:
      'the choice of an administrator at `/setup/access`; at first `true` with 14 days to add a passkey in a store created by this version, `false` in an older one',
    must: 'must be true or false',
  }),
  emergencyInstalls: key<number | null>({
    schema: z.number().int().min(0).nullable(),
    unset: null,
    doc: 'installs of a publisher above which two administrators must agree to yank all its versions, and of an app above which moderators cannot yank a version alone; `null` lets one administrator act. `SVC_ADMIN_TOKEN` cannot confirm',
    otherwise: '`null`',
    must: 'must be a whole number of installs, or null',
  }),
  hostedRunners: key({
    schema: z.boolean(),
    unset: false,
    doc: '`true` lets jobs of GitHub and GitLab publish only from runners of the provider, for every trusted workflow: a runner of its own may keep what a job leaves',
    otherwise: '`false`; each workflow may ask for it',
    must: 'must be true or false',
  }),
  retentionDays: key<z.infer<typeof RetentionDays>>({
    schema: RetentionDays,
    unset: RetentionDays.parse({}),
    doc: 'how long personal data is kept, in days ([what each means](../policy.md#retention)): `addresses` in the audit log, ended `sessions`, decided `reports`, and `mails` that cannot be sent',
    otherwise: '`{ "addresses": 365, "sessions": 60, "reports": 365, "mails": 3 }`',
    must: 'must be an object with any of "addresses", "sessions", "reports" (whole days from 1 to 3650) and "mails" (at most 30); "addresses" and "reports" can be null, which keeps them',
  }),
  uploadQuota: key<z.infer<typeof UploadQuota>>({
    schema: UploadQuota,
    unset: UploadQuota.parse({}),
    doc: 'how many `uploads` a developer can make in so many `minutes`, accepted or not; `SVC_ADMIN_TOKEN` can make any number',
    otherwise: '`{ "uploads": 20, "minutes": 10 }`',
    must: 'must be an object with any of "uploads" (a whole number from 1 to 10000) and "minutes" (from 1 to 1440)',
  }),
  publisherStorageMiB: key<number | null>({
    schema: z
      .number()
      .int()
      .min(1)
      .max(2 ** 30)
      .nullable(),
    unset: 10_240,
    doc: 'MiB that each publisher can store, in bundles of any state and their pictures ([storage](../operating.md#storage-of-publishers)); `null` sets no limit. An administrator can choose another one for a publisher',
    otherwise: '10240, which is 10 GiB',
    must: 'must be a whole number of MiB from 1, or null',
  }),
  cannedReasons: key({
    schema: z.array(CannedReason).refine(isUnique),
    unset: [],
    doc: 'reasons for a rejection, in addition to the built-in ones of `/api/moderation/reasons`; one with the same id replaces a built-in one',
    otherwise: 'none',
    must: 'must be a list of { "id", "title", "text" }: each id is unique and consists of lower-case words joined by hyphens, and no text is empty',
  }),
};

/** Which versions need a review, and how reviews work. */
export type Policy = { [K in keyof typeof POLICY]: (typeof POLICY)[K]['unset'] };

const DEFAULTS = Object.fromEntries(
  Object.entries(POLICY).map(([name, { unset }]) => [name, unset]),
) as Policy;

/** The policy, and the keys that the file sets. */
export type ReadPolicy = Policy & { given: readonly string[] };

export const DEFAULT_POLICY: ReadPolicy = { ...DEFAULTS, given: [] };

function readJson(file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SettingError(`cannot be read: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new SettingError('cannot be used: it must be a JSON object');
}

function readKey(name: string, value: unknown): unknown {
  const row = Object.entries(POLICY).find(([known]) => known === name)?.[1];
  if (!row) {
    const suggestion = nearest(name, Object.keys(POLICY));
    throw new SettingError(
      `cannot be used: ${JSON.stringify(name)} is not a key of the policy${suggestion ? `: did you mean ${suggestion}?` : ''}`,
    );
  }
  const parsed = row.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  const where = path.length > 0 ? `${[name, ...path].join('.')} is not valid: ` : '';
  throw new SettingError(`cannot be used: ${where}${name} ${row.must}`);
}

/**
 * Reads the policy: which versions need a review, and how reviews work.
 * @throws SettingError
 */
export function readPolicyFile(file: string): ReadPolicy {
  const given = readJson(file);
  const read = Object.entries(given).map(([name, value]) => [name, readKey(name, value)]);
  return { ...DEFAULTS, ...(Object.fromEntries(read) as Partial<Policy>), given: Object.keys(given) };
}
