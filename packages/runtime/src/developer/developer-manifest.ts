import { LocalManifest, type Manifest, Setting, STORE_API_VERSION, STORE_GRANTS } from '@svc/contracts';
import { z } from 'zod';

/** What only a store asks for; a folder under development may lack it. */
const PLACEHOLDERS = { publisher: 'developer', branding: { icon: 'assets/icon.png' }, permissions: [] };

const grants: readonly string[] = STORE_GRANTS;

const { remote } = LocalManifest.shape;

/** The manifest of a folder: in the shape of the store's, with addresses of this machine and gaps that only a store minds. */
const DeveloperManifest = z.object({
  ...LocalManifest.shape,
  // The fields that are read are the same in every version of the format.
  pluginApiVersion: z.int().transform(() => STORE_API_VERSION),
  remote: remote.extend({ domains: remote.shape.domains.default([]) }),
  // A client gives no app the grants of built-in ones.
  grants: z
    .array(z.string())
    .transform((all) => all.filter((grant) => grants.includes(grant)))
    .optional(),
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Drops what no code covers and what is therefore read leniently. */
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
 * The manifest of a developer's folder as the rest of the runtime knows it; fields outside the contract are gone.
 * @param value one in which the checks found no error in dev mode
 * @returns null when the runtime cannot run it, for its tools are on no server
 */
export function asDeveloperManifest(value: unknown): Manifest | null {
  if (!isObject(value)) return null;
  const parsed = DeveloperManifest.safeParse({ ...PLACEHOLDERS, ...withoutLooseEnds(value) });
  return parsed.success ? (parsed.data as Manifest) : null;
}
