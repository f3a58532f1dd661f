import { LocalManifest, type Manifest, Setting, STORE_API_VERSION, STORE_GRANTS } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { z } from 'zod';

/** Fields that only stores require; a folder under development may omit them. */
const PLACEHOLDERS = { publisher: 'developer', branding: { icon: 'assets/icon.png' }, permissions: [] };

const grants: readonly string[] = STORE_GRANTS;

const { remote } = LocalManifest.shape;

/** The manifest of a folder: that of the store, plus addresses of this machine, and without the fields that only a store requires. */
const DeveloperManifest = z.object({
  ...LocalManifest.shape,
  // The fields read here are the same in every version of the format.
  pluginApiVersion: z.int().transform(() => STORE_API_VERSION),
  remote: remote.extend({ domains: remote.shape.domains.default([]) }),
  // Clients never give the grants of built-in apps to other apps.
  grants: z
    .array(z.string())
    .transform((all) => all.filter((grant) => grants.includes(grant)))
    .optional(),
});

/** Removes fields that are not enforced and therefore parsed leniently. */
function withoutLooseEnds({ $schema, author, contributes, ...rest }: Record<string, unknown>) {
  const settings =
    isObject(contributes) && Array.isArray(contributes.settings) ? contributes.settings : undefined;
  return {
    ...rest,
    contributes: isObject(contributes)
      ? {
          ...contributes,
          ...(settings && { settings: settings.filter((item) => Setting.safeParse(item).success) }),
        }
      : contributes,
  };
}

/**
 * Parses the manifest of a developer folder for the rest of the runtime; unknown fields are dropped.
 * @param value a manifest without errors in dev mode
 * @returns null when the runtime cannot run the app, because its tools have no server
 */
export function asDeveloperManifest(value: unknown): Manifest | null {
  if (!isObject(value)) return null;
  const parsed = DeveloperManifest.safeParse({ ...PLACEHOLDERS, ...withoutLooseEnds(value) });
  return parsed.success ? (parsed.data as Manifest) : null;
}
