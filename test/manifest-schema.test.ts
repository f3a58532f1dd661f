import { manifestJsonSchema } from '@svc/contracts';
import { runs } from '@svc/testkit';
import { hasErrors, RULES, validateManifest } from '@svc/validator';
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

/** Compares schema and checks: the schema may only be more lenient. */
function agrees(manifest: unknown): boolean {
  const shape = known(manifest);
  const refused = !fits(shape);
  if (refused && !hasErrors(validateManifest(shape, { mode: 'store' }))) {
    throw new Error(`Only the schema refuses ${JSON.stringify(shape)}: ${JSON.stringify(fits.errors)}`);
  }
  return refused;
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

  it('refuses nothing that the checks accept', () => {
    let refused = 0;
    for (const manifest of oneFaultManifests()) if (agrees(manifest)) refused += 1;
    expect(refused).toBeGreaterThan(1_000);
    fc.assert(
      fc.property(nearManifest, (manifest) => void agrees(manifest)),
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
