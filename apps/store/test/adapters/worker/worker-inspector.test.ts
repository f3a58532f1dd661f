import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { DEEP, needs, sampleBundle, sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkerInspector } from '../../../src/adapters/worker/worker-inspector.ts';
import { inspectBundle } from '../../../src/core/domain/versions/inspect-bundle.ts';
import {
  type InspectionQueue,
  UPLOAD_BOUNDS,
  type UploadBounds,
} from '../../../src/core/publishing/bounds.ts';
import { openUpload } from '../../../src/core/publishing/open-bundle.ts';

const [queue] = UPLOAD_BOUNDS.queues;
const RULES = { reservedNames: ['acme'], localApps: false };

function inspector(options: Partial<UploadBounds> = {}) {
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
    inspect: (bytes: Uint8Array, where: InspectionQueue = queue) => made.inspect(fileOf(bytes), where),
    inspectFile: (file: string) => made.inspect(file, queue),
    open: (bytes: Uint8Array, where: InspectionQueue = queue) => made.open(fileOf(bytes), where),
  };
}

describe('inspection in a thread', () => {
  it('returns the same result as an inspection in the main thread, with pictures', async () => {
    const { inspect } = inspector();
    for (const bytes of [sampleBundle(), sampleBundle({ name: 'Acme' }), Buffer.from('no zip')]) {
      expect(await inspect(bytes)).toEqual(inspectBundle(bytes, RULES));
    }
  });

  it('inspects more bundles than it has threads', async () => {
    const { inspect } = inspector({ threads: 2 });
    const versions = Array.from({ length: 12 }, (_, n) => `1.0.${n}`);
    const found = await Promise.all(versions.map((version) => inspect(sampleBundle({ version }))));
    expect(found.map((one) => one.ok && one.candidate.manifest.version)).toEqual(versions);
  });

  it('continues with the next bundle when one crashes its thread', DEEP, async () => {
    const { inspect, inspectFile } = inspector();
    // The thread throws, as for a bug in a check.
    const broken = inspectFile('/there/is/no/such/file');
    const next = inspect(sampleBundle());
    await expect(broken).rejects.toThrow('Inspecting a bundle failed.');
    expect(await next).toMatchObject({ ok: true });
  });

  it('runs with the niceness of its queue', {
    ...DEEP,
    ...needs(process.platform === 'linux', 'needs /proc, which Linux has'),
  }, async () => {
    const before = new Set(readdirSync('/proc/self/task'));
    const { inspect } = inspector();
    for (const where of UPLOAD_BOUNDS.queues) await inspect(sampleBundle(), where);
    const niceness = readdirSync('/proc/self/task')
      .filter((thread) => !before.has(thread))
      .map((thread) => {
        const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
        // proc_pid_stat(5): the 19th field; the second one is a name in parentheses.
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
      });
    expect(niceness).toEqual(expect.arrayContaining(UPLOAD_BOUNDS.queues.map((one) => one.niceness)));
  });

  it('leaks no event listeners', async () => {
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

const [quick, , long] = UPLOAD_BOUNDS.queues as [InspectionQueue, InspectionQueue, InspectionQueue];
const svgOf = (elements: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${'<g/>'.repeat(elements)}</svg>`;

describe('an expensive inspection', () => {
  it('is ended when pictures take too long, and the error names the pictures', async () => {
    const { inspect } = inspector({ picturesMs: 1 });
    const costly = sampleBundle({}, { 'assets/mark.svg': svgOf(200_000) });
    await expect(inspect(costly, long)).rejects.toMatchObject({
      name: 'Overrun',
      what: 'pictures',
      limitMs: 1,
    });
  });

  it('is ended when it takes too long in total', async () => {
    const { inspect } = inspector({ queues: [{ ...long, timeMs: 1 }] });
    const script = Array.from({ length: 100_000 }, (_, n) => `_0x${n.toString(16)}['a'](0x${n});`).join('\n');
    const costly = sampleBundle({}, { 'ui/a.js': script });
    await expect(inspect(costly, long)).rejects.toMatchObject({ name: 'Overrun', what: 'time' });
  });

  it('is ended when its thread has too little memory', DEEP, async () => {
    const { inspect } = inspector({ heapMb: 24, picturesMs: 60_000, queues: [{ ...long, timeMs: 60_000 }] });
    const costly = packBundle(
      sampleFiles('', { 'plugin.json': `{"a":[${'[[[[[[1]]]]]],'.repeat(74_000)}1]}` }),
    );
    await expect(inspect(costly, long)).rejects.toMatchObject({ name: 'Overrun', what: 'memory' });
    expect(await inspect(sampleBundle(), long)).toMatchObject({ ok: true });
  });
});

describe('opening in a thread', () => {
  it('returns the same result as opening in the main thread', async () => {
    const { open } = inspector();
    for (const bytes of [sampleBundle(), sampleBundle({ publisher: '' }), Buffer.from('no zip')]) {
      expect(await open(bytes)).toEqual(openUpload(bytes, RULES, quick.costMs));
    }
  });

  it('reports a bundle as costly when it is too expensive for its queue', async () => {
    const { open } = inspector();
    const dear = packBundle(sampleFiles({ ...sampleManifest(), notes: 'x'.repeat(500_000) }));
    expect(await open(dear)).toMatchObject({ is: 'costly' });
    expect(await open(dear, long)).toMatchObject({ is: 'opened', claim: { publisher: 'example' } });
  });
});
