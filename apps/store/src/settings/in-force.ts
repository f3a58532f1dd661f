import type { SettingsInForce } from '@svc/contracts';
import { POLICY, type ReadPolicy } from './policy-file.ts';
import type { Setting } from './setting.ts';

type Shown = SettingsInForce['settings'][number];

/** The texts that were given, by the names of their variables. */
export type Given = Readonly<Record<string, string | undefined>>;

/** A value as it would be spelt in a variable; what has no such form is shown as it was given. */
function spelt(value: unknown, given: string | undefined): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : (given ?? '');
}

function shownOf({ variable: name, secret }: Setting, value: unknown, given: Given): Shown {
  const isGiven = given[name] !== undefined;
  if (secret) return { name, value: isGiven ? 'set' : 'not set', secret, given: isGiven };
  return { name, value: spelt(value, given[name]), secret, given: isGiven };
}

const listed = (values: readonly unknown[]): string => values.join(', ');

/** The policy key by key. */
const policyInForce = (policy: ReadPolicy): Shown[] =>
  Object.keys(POLICY).map((key) => {
    const value = policy[key as keyof typeof POLICY];
    const texts = Array.isArray(value)
      ? value.map((one) => (typeof one === 'object' ? one.id : one))
      : [value];
    return { name: `policy.${key}`, value: listed(texts), secret: false, given: policy.given.includes(key) };
  });

/**
 * The settings in force, as administrators may see them.
 * @param rows all settings by their keys
 * @param given the texts that were given, without what is empty
 * @param read what is in force, by the same keys
 */
export function describeSettings(
  rows: Readonly<Record<string, Setting>>,
  given: Given,
  read: Readonly<Record<string, unknown>> & {
    policy: ReadPolicy;
    providers: readonly { id: string; label: string }[];
  },
): Shown[] {
  const files = { policy: null, providers: null };
  const value = listed(read.providers.map(({ label, id }) => `${label} (${id})`));
  return [
    ...Object.entries(rows).map(([key, row]) => shownOf(row, { ...read, ...files }[key], given)),
    ...policyInForce(read.policy),
    { name: 'providers', value, secret: false, given: given.SVC_SIGN_IN_FILE !== undefined },
  ];
}
