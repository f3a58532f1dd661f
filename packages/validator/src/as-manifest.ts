import { LocalManifest, Manifest, Setting } from '@svc/contracts';
import type { Localhost } from './localhost.ts';
import { fieldsOf, isFields, isList, own } from './values.ts';

/**
 * The manifest as the rest of the house knows it; fields outside the contract are gone. For a value in which
 * `validateManifest` found no error in store mode, when the shape holds; anything else is a bug and throws.
 * @param localhost what was said of endpoints there when it was checked
 */
export function asManifest(value: unknown, localhost: Localhost = 'refuse'): Manifest {
  const shape = localhost === 'warn' ? LocalManifest : Manifest;
  return shape.parse(withoutLooseEnds(value));
}

/** Drops what no code covers and what is therefore read leniently: a wrong type there means "left out". */
function withoutLooseEnds(value: unknown): unknown {
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
