import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkerInspector } from '../../../src/adapters/worker/worker-inspector.ts';
import { inspectBundle } from '../../../src/publishing/inspect-bundle.ts';

function inspector(threads = 1) {
  const made = createWorkerInspector({ reservedNames: ['acme'], threads });
  onTestFinished(() => made.close());
  return made;
}

describe('inspection in a thread', () => {
  it('finds what an inspection at home finds, pictures and all', async () => {
    const { inspect } = inspector();
    for (const bytes of [sampleBundle(), sampleBundle({ name: 'Acme' }), Buffer.from('no zip')]) {
      const expected = inspectBundle(bytes, ['acme']);
      expect(await inspect(Uint8Array.from(bytes))).toEqual(expected);
    }
  });

  it('serves more bundles than it has threads', async () => {
    const { inspect } = inspector(2);
    const found = await Promise.all(
      Array.from({ length: 12 }, (_, n) => inspect(sampleBundle({ version: `1.0.${n}` }))),
    );
    expect(found.map((one) => one.ok && one.candidate.manifest.version)).toEqual(
      Array.from({ length: 12 }, (_, n) => `1.0.${n}`),
    );
  });

  it('goes on with the next bundle when one ends its thread', async () => {
    const { inspect } = inspector();
    // Not bytes at all: the thread throws, as it would by a bug in a check.
    const broken = inspect(null as unknown as Uint8Array);
    const next = inspect(sampleBundle());
    await expect(broken).rejects.toThrow('Inspecting a bundle failed.');
    expect(await next).toMatchObject({ ok: true });
  });

  it('leaves no listener behind', async () => {
    const { inspect } = inspector();
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    for (let n = 0; n < 30; n += 1) await inspect(Buffer.from('no zip'));
    await new Promise((done) => setImmediate(done));
    expect(warnings).toEqual([]);
  });
});
