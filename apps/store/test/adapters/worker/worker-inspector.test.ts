import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkerInspector } from '../../../src/adapters/worker/worker-inspector.ts';
import { type Lane, UPLOAD_BOUNDS } from '../../../src/publishing/bounds.ts';
import { inspectBundle } from '../../../src/publishing/inspect-bundle.ts';

const [lane] = UPLOAD_BOUNDS.lanes;
const RULES = { reservedNames: ['acme'], localApps: false };

function inspector(options: { threads?: number; heapMb?: number; picturesMs?: number } = {}) {
  const made = createWorkerInspector({ ...RULES, ...UPLOAD_BOUNDS, threads: 1, ...options });
  const folder = mkdtempSync(join(tmpdir(), 'svc-inspect-'));
  onTestFinished(async () => {
    await made.close();
    rmSync(folder, { recursive: true });
  });
  let files = 0;
  const fileOf = (bytes: Uint8Array): string => {
    files += 1;
    const file = join(folder, String(files));
    writeFileSync(file, bytes);
    return file;
  };
  return {
    inspect: (bytes: Uint8Array, where: Lane = lane) => made.inspect(fileOf(bytes), where),
    inspectFile: (file: string) => made.inspect(file, lane),
    open: (bytes: Uint8Array, where: Lane = lane) => made.open(fileOf(bytes), where),
  };
}

describe('inspection in a thread', () => {
  it('finds what an inspection at home finds, pictures and all', async () => {
    const { inspect } = inspector();
    for (const bytes of [sampleBundle(), sampleBundle({ name: 'Acme' }), Buffer.from('no zip')]) {
      expect(await inspect(bytes)).toEqual(inspectBundle(bytes, RULES));
    }
  });

  it('serves more bundles than it has threads', async () => {
    const { inspect } = inspector({ threads: 2 });
    const versions = Array.from({ length: 12 }, (_, n) => `1.0.${n}`);
    const found = await Promise.all(versions.map((version) => inspect(sampleBundle({ version }))));
    expect(found.map((one) => one.ok && one.candidate.manifest.version)).toEqual(versions);
  });

  it('goes on with the next bundle when one ends its thread', async () => {
    const { inspect, inspectFile } = inspector();
    // The thread throws, as it would by a bug in a check.
    const broken = inspectFile('/there/is/no/such/file');
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
