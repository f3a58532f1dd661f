import { manifestJsonSchema } from '@svc/contracts';
import { runs } from '@svc/testkit';
import { hasErrors, RULES, validateManifest } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearManifest, oneFaultManifests } from '../packages/validator/test/arbitrary.ts';
import { RICH_MANIFEST } from '../packages/validator/test/rich-manifest.ts';

const schema = manifestJsonSchema('https://store.example.com/schemas/app-manifest-v3.json') as {
  properties: Record<string, unknown>;
};
/** Not `strictTypes`: a value that is read leniently lists its properties without requiring an object. */
const fits = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);

/** Removes unknown top-level fields, the only ones that the schema refuses and the checks ignore. */
const known = (manifest: unknown): unknown => {
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) return manifest;
  return Object.fromEntries(
    Object.entries(manifest).filter(([field]) => Object.hasOwn(schema.properties, field)),
  );
};

/** Compares schema, checks and reading: what the checks accept, the schema accepts and `asManifest` reads. @returns who accepts it */
function agreed(manifest: unknown): 'checks' | 'schema' | 'none' {
  const shape = known(manifest);
  const fitting = fits(shape);
  if (hasErrors(validateManifest(shape, { mode: 'store' }))) return fitting ? 'schema' : 'none';
  if (!fitting) {
    throw new Error(`Only the schema refuses ${JSON.stringify(shape)}: ${JSON.stringify(fits.errors)}`);
  }
  expect(() => asManifest(manifest)).not.toThrow();
  return 'checks';
}

describe('the JSON Schema of the manifest', () => {
  it('accepts a manifest that uses every field', () => {
    expect(fits(RICH_MANIFEST), JSON.stringify(fits.errors)).toBe(true);
  });

  it('marks unknown fields, and refuses them only at the top level', () => {
    expect(fits({ ...RICH_MANIFEST, permisions: [] })).toBe(false);
    const tools = [{ ...RICH_MANIFEST.contributes.tools[0], confrim: {} }];
    expect(fits({ ...RICH_MANIFEST, contributes: { tools } })).toBe(true);
  });

  it('refuses nothing that the checks accept, and what they accept can be read', () => {
    const counts = { checks: 0, schema: 0, none: 0 };
    for (const manifest of oneFaultManifests()) counts[agreed(manifest)] += 1;
    expect(counts.none).toBeGreaterThan(1_000);
    expect(counts.checks).toBeGreaterThan(1_000);
    fc.assert(
      fc.property(nearManifest, (manifest) => void agreed(manifest)),
      { numRuns: runs(2_000) },
    );
  });

  it.each(RULES)('accepts the corrected example of $code', ({ example }) => {
    if (example.mode === 'dev') return;
    const manifest = JSON.parse(JSON.stringify({ ...RICH_MANIFEST, ...example.fixed.manifest }));
    expect(fits(known(manifest)), JSON.stringify(fits.errors)).toBe(true);
  });
});

it('describes settingSections as a list', () => {
  const contributes = (settingSections: unknown) => ({ ...RICH_MANIFEST, contributes: { settingSections } });
  expect(fits(contributes([{ id: 'a', label: 'A' }, 7]))).toBe(true);
  expect(fits(contributes({}))).toBe(false);
  const defs = (schema as unknown as { $defs: Record<string, { properties: object }> }).$defs;
  expect(defs.Contributes?.properties).toHaveProperty('settingSections.description');
});
