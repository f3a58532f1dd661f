import { readFileSync } from 'node:fs';
import { CannedReason, PublisherSlug } from '@svc/contracts';
import { nearest } from '@svc/validator';
import { z } from 'zod';
import { SettingError } from './setting.ts';

/** A key of the policy: what it takes, and what is said of it. */
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

/** All keys of the policy. The table in docs/operating.md and the settings in force come from here. */
export const POLICY = {
  reservedNames: key({
    schema: z.array(z.string().min(1)),
    unset: [],
    doc: "names that neither apps nor the publishers of people may carry, beside the store's own",
    otherwise: 'none',
    must: 'must be a list of names',
  }),
  flaggedCodes: key({
    schema: z.array(z.string()),
    unset: ['bundle.obfuscated'],
    doc: 'codes whose warnings send a version to a person, for every publisher',
    otherwise: '`bundle.obfuscated`',
    must: 'must be a list of codes',
  }),
  skipReview: key({
    schema: z.array(PublisherSlug),
    unset: [],
    doc: 'slugs of publishers whose versions nothing else sends there: not that they are first, ask for new permissions, or come from a publisher that is not verified',
    otherwise: 'none',
    must: 'must be a list of slugs of publishers',
  }),
  reviewDays: key({
    schema: z.number().positive().max(365),
    unset: 3,
    doc: 'days of 24 hours within which a version is due; `0.5` is twelve hours',
    otherwise: '3',
    must: 'must be a number of days above 0, at most 365',
  }),
  independentReview: key({
    schema: z.boolean(),
    unset: true,
    doc: 'whether moderators cannot approve what they uploaded, or what belongs to a publisher that they are a member of. It binds as soon as two people can decide; `SVC_ADMIN_TOKEN`, which acts for the operator, is never bound',
    otherwise: 'true',
    must: 'must be true or false',
  }),
  cannedReasons: key({
    schema: z.array(CannedReason).refine(isUnique),
    unset: [],
    doc: 'reasons for a rejection, beside the built-in ones of `/api/moderation/reasons`, or in place of those with the same id',
    otherwise: 'none',
    must: 'must be a list of { "id", "title", "text" }: ids of lower-case words joined by hyphens, each once, and texts that are not empty',
  }),
};

/** What goes to a person, and how reviews are done. */
export type Policy = { [K in keyof typeof POLICY]: (typeof POLICY)[K]['unset'] };

const DEFAULTS = Object.fromEntries(
  Object.entries(POLICY).map(([name, { unset }]) => [name, unset]),
) as Policy;

/** The policy, and which of its keys the file gives. */
export type ReadPolicy = Policy & { given: readonly string[] };

/** The policy of a store that names no file. */
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
    const meant = nearest(name, Object.keys(POLICY));
    throw new SettingError(
      `cannot be used: ${JSON.stringify(name)} is no key of a policy${meant ? `: did you mean ${meant}?` : ''}`,
    );
  }
  const parsed = row.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  const where = path.length > 0 ? `${[name, ...path].join('.')} cannot stand there: ` : '';
  throw new SettingError(`cannot be used: ${where}${name} ${row.must}`);
}

/**
 * Reads what goes to a person, and how reviews are done.
 * @throws SettingError
 */
export function readPolicyFile(file: string): ReadPolicy {
  const given = readJson(file);
  const read = Object.entries(given).map(([name, value]) => [name, readKey(name, value)]);
  return { ...DEFAULTS, ...(Object.fromEntries(read) as Partial<Policy>), given: Object.keys(given) };
}
