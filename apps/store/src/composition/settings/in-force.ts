import type { SettingsInForce } from '@svc/contracts';
import { POLICY, type ReadPolicy } from './policy-file.ts';
import type { Setting } from './setting.ts';

type ShownSetting = SettingsInForce['settings'][number];

/** The values that the operator set, by variable. */
export type RawSettings = Readonly<Record<string, string | undefined>>;

/** Formats a value as a variable holds it. A value without such a form is shown as the operator wrote it. */
function formatValue(value: unknown, given: string | undefined): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : (given ?? '');
}

function shownOf(
  { variable: name, secret, doc: about }: Setting,
  value: unknown,
  given: RawSettings,
): ShownSetting {
  const isGiven = given[name] !== undefined;
  if (secret) return { name, value: isGiven ? 'set' : 'not set', secret, about, given: isGiven };
  return { name, value: formatValue(value, given[name]), secret, about, given: isGiven };
}

const listed = (values: readonly unknown[]): string => values.join(', ');

/** The texts of a value of the policy: the items of a list, or the fields of an object. */
function textsOf(value: ReadPolicy[keyof typeof POLICY]): readonly unknown[] {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? item.id : item));
  if (typeof value !== 'object' || value === null) return [value];
  return Object.entries(value).map(([name, item]) => `${name} ${item}`);
}

const policyInForce = (policy: ReadPolicy): ShownSetting[] =>
  Object.keys(POLICY).map((key) => {
    const texts = textsOf(policy[key as keyof typeof POLICY]);
    const isGiven = policy.given.includes(key);
    return { name: `policy.${key}`, value: listed(texts), secret: false, about: '', given: isGiven };
  });

/**
 * Lists the settings in force, as administrators may see them.
 * @param rows all settings by their keys
 * @param given the values that the operator set, without empty ones
 * @param read the values in force, by the same keys as `rows`
 */
export function describeSettings(
  rows: Readonly<Record<string, Setting>>,
  given: RawSettings,
  read: Readonly<Record<string, unknown>> & {
    policy: ReadPolicy;
    providers: readonly { id: string; label: string }[];
  },
): ShownSetting[] {
  const files = { policy: null, providers: null };
  const value = listed(read.providers.map(({ label, id }) => `${label} (${id})`));
  return [
    ...Object.entries(rows).map(([key, row]) => shownOf(row, { ...read, ...files }[key], given)),
    ...policyInForce(read.policy),
    { name: 'providers', value, secret: false, about: '', given: given.SVC_SIGN_IN_FILE !== undefined },
  ];
}
