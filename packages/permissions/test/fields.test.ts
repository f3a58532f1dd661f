import { Manifest } from '@svc/contracts';
import { FULL_FILES, fullManifest, MANIFEST_MUTATIONS, type Mutation, mutated } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changesOf, FIELDS, footprintOf, steersAgents } from '../src/index.ts';

type Schema = {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  $ref?: string;
};

const { $defs, ...root } = z.toJSONSchema(Manifest, { io: 'input' }) as Schema & {
  $defs: Record<string, Schema>;
};
const resolved = (schema: Schema): Schema =>
  schema.$ref ? resolved($defs[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema;

/** Optional objects that are added or removed as a whole, and have a class for that. */
const OPTIONAL = new Set(['/requires', '/contributes/tools/*/confirm', '/contributes/panels/*/config']);

/** Every field of the schema, found at run time, in addition to the type that checks the table. */
function fieldsOf(given: Schema, path: string): string[] {
  const schema = resolved(given);
  if (path.endsWith('/prepare')) return [path];
  if (schema.anyOf?.every((one) => resolved(one).properties))
    return schema.anyOf.flatMap((one) => fieldsOf(one, path));
  if (schema.type === 'array') return itemsOf(schema.items as Schema, `${path}/*`);
  if (typeof schema.additionalProperties === 'object' && !schema.properties)
    return itemsOf(schema.additionalProperties, `${path}/*`);
  if (!schema.properties) return [path];
  const own = OPTIONAL.has(path) ? [path] : [];
  return own.concat(
    Object.entries(schema.properties).flatMap(([key, value]) => fieldsOf(value, `${path}/${key}`)),
  );
}

const itemsOf = (item: Schema, path: string): string[] => [path, ...fieldsOf(item, path)];

/** Fields that no update can change: the store refuses such a bundle, or it is another app. */
const FIXED = Object.entries(FIELDS)
  .filter(([, field]) => 'fixed' in field)
  .map(([path]) => path);

const hashes = (files: Mutation['files']) => (path: string) =>
  Buffer.from((files?.[path] ?? FULL_FILES[path] ?? path) as string)
    .toString('hex')
    .slice(0, 64);

function verdict(from: Mutation | null, to: Mutation | null) {
  const [before, after] = [from, to].map((one) =>
    footprintOf(one ? mutated(one) : fullManifest(), hashes(one?.files)),
  );
  const changes = changesOf(before as never, after as never);
  if (changes.some(({ widens }) => widens)) return 'reach';
  if (changes.some(({ kind }) => kind === 'face')) return 'face';
  return changes.some(steersAgents) ? 'instructions' : 'passes';
}

describe('the table of fields', () => {
  it('has every field of the schema, and no other', () => {
    expect(Object.keys(FIELDS).sort()).toEqual([...new Set(fieldsOf(root, ''))].sort());
  });

  it('has a mutation of every field that an update can change', () => {
    expect([...Object.keys(MANIFEST_MUTATIONS), ...FIXED].sort()).toEqual(Object.keys(FIELDS).sort());
  });

  it.each(Object.entries(MANIFEST_MUTATIONS))('%s', (_path, mutation) => {
    expect({ there: verdict(null, mutation), back: verdict(mutation, null) }).toEqual({
      there: mutation.there,
      back: mutation.back,
    });
  });
});
