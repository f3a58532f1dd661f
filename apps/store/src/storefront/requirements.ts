import { BUILT_IN_APPS, type Manifest } from '@svc/contracts';

/** An app or a server that an app names in `requires`. */
export type ShownRequirement = {
  /** Id of an app, or host of a connector. */
  name: string;
  reason: string;
  /** `elsewhere`: a connector, which is no app of a store. */
  where: 'here' | 'built-in' | 'missing' | 'elsewhere';
};

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_APPS);

/** The ids of all apps that an app requires or can use. */
export const namedApps = ({ requires }: Manifest): string[] => [
  ...new Set(
    [...(requires?.apps ?? []), ...(requires?.optional ?? [])].flatMap((one) => ('id' in one ? one.id : [])),
  ),
];

function whereIs(id: string, inStore: ReadonlySet<string>): ShownRequirement['where'] {
  if (BUILT_IN.has(id)) return 'built-in';
  return inStore.has(id) ? 'here' : 'missing';
}

const connector = ({ url, reason }: { url: string; reason: string }): ShownRequirement => ({
  name: new URL(url).host,
  reason,
  where: 'elsewhere',
});

/**
 * What an app requires, and what it uses when it is there (SPEC 2.6: a connector that is not required is a fallback).
 * @param inStore which of the apps that it names this store lists
 */
export function requirementsOf(
  { requires = {} }: Manifest,
  inStore: ReadonlySet<string>,
): { required: ShownRequirement[]; optional: ShownRequirement[] } {
  const { apps = [], connectors = [], optional = [] } = requires;
  const app = ({ id, reason }: { id: string; reason: string }): ShownRequirement => ({
    name: id,
    reason,
    where: whereIs(id, inStore),
  });
  return {
    required: [...apps.map(app), ...connectors.filter(({ required }) => required).map(connector)],
    optional: [
      ...optional.map((one) => ('id' in one ? app(one) : connector(one))),
      ...connectors.filter(({ required }) => !required).map(connector),
    ],
  };
}
