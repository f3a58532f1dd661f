import { BUILT_IN_APPS, type Manifest } from '@svc/contracts';

/** An app or a server that an app names in `requires`. */
export type ShownRequirement = {
  /** Id of an app, or host of a connector. */
  name: string;
  reason: string;
  /** `elsewhere`: a connector, which is not an app of a store. */
  where: 'here' | 'built-in' | 'missing' | 'elsewhere';
};

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_APPS);

/** The ids of all apps that an app requires or optionally uses. */
export const namedApps = ({ requires }: Manifest): string[] => [
  ...new Set(
    [...(requires?.apps ?? []), ...(requires?.optional ?? [])].flatMap((required) =>
      'id' in required ? required.id : [],
    ),
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
 * The requirements of an app, and what it optionally uses. A connector that is not required is a fallback.
 * @param inStore the apps named in the manifest that this store lists
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
      ...optional.map((item) => ('id' in item ? app(item) : connector(item))),
      ...connectors.filter(({ required }) => !required).map(connector),
    ],
  };
}
