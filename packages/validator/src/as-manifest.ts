import { LocalManifest, Manifest, Setting } from '@svc/contracts';
import type { Localhost } from './localhost.ts';
import { fieldsOf, isFields, isList, own } from './values.ts';

/**
 * Converts a valid manifest to the type of the contract, without unknown fields. Throws for a value in which
 * `validateManifest` finds an error in store mode.
 * @param localhost the option with which the manifest was checked
 */
export function asManifest(value: unknown, localhost: Localhost = 'refuse'): Manifest {
  const shape = localhost === 'warn' ? LocalManifest : Manifest;
  return shape.parse(withoutInvalidOptionals(value));
}

/** Removes values of a wrong type from fields that no code covers: they are treated as absent. */
function withoutInvalidOptionals(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { $schema, author, ...rest } = value;
  const contributes = fieldsOf(rest.contributes);
  const settings = own(contributes, 'settings');
  return {
    ...rest,
    ...(typeof $schema === 'string' ? { $schema } : {}),
    ...(typeof author === 'string' ? { author } : {}),
    ...(isList(settings)
      ? {
          contributes: {
            ...contributes,
            settings: settings.filter((item) => Setting.safeParse(item).success),
          },
        }
      : {}),
  };
}
