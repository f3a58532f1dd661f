import { packBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import { sampleBundle, sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../../src/check/check-file.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const question = (name: string, bytes: Uint8Array) =>
  ({ name, bytes, size: bytes.length, mode: 'store' }) as const;
const codesOf = (name: string, bytes: Uint8Array) =>
  checkFile(question(name, bytes)).issues.map(({ code }) => code);

describe('checkFile', () => {
  it('opens a bundle and lists its files', () => {
    const report = checkFile(question('a.svc-app', sampleBundle()));
    expect(report).toMatchObject({ kind: 'bundle', issues: [] });
    expect(report.files.map(({ name }) => name)).toContain('plugin.json');
  });

  it('reads the identity from the manifest, and ignores fields that are not strings', () => {
    const identity = { id: 'com.example.notes', name: 'Notes', version: '1.0.0', publisher: 'example' };
    expect(checkFile(question('a.svc-app', sampleBundle())).identity).toEqual(identity);
    const odd = bytesOf('{"id":{"toString":"x"},"name":["a"],"version":1,"__proto__":{"publisher":"evil"}}');
    const nameless = { id: '', name: '', version: '', publisher: '' };
    expect(checkFile(question('plugin.json', odd)).identity).toEqual(nameless);
    for (const text of ['no JSON', 'null', '"text"']) {
      const report = checkFile(question('plugin.json', bytesOf(text)));
      expect([text, report.identity]).toEqual([text, undefined]);
    }
  });

  it('reads a .json file as a manifest', () => {
    const text = JSON.stringify({ ...sampleManifest(), version: 'one' }, null, 2);
    const report = checkFile(question('plugin.json', bytesOf(text)));
    expect(report.issues.map(({ code }) => code)).toEqual(['version.format']);
    const frame = report.frames.get('/version');
    const line = frame?.lines.find(({ number }) => number === frame.line)?.text ?? '';
    expect(line.slice(frame?.start, (frame?.start ?? 0) + (frame?.length ?? 0))).toBe('"one"');
  });

  it('reports the same issues in the files as the store', () => {
    const files = sampleFiles(undefined, { 'ui/run.sh': '#!/bin/sh\n' });
    expect(codesOf('a.zip', packBundle(files))).toEqual(['bundle.executable']);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['text', bytesOf('not a zip')],
    ['half a bundle', sampleBundle().subarray(0, 200)],
  ])('refuses %s', (_name, bytes) => {
    expect(codesOf('a.svc-app', bytes).length).toBeGreaterThan(0);
    expect(checkFile(question('a.svc-app', bytes)).files).toEqual([]);
  });

  it.each(['a.svc-app', 'plugin.json'])('follows the rule of the store for localhost, in %s', (name) => {
    const manifest = sampleManifest({ remote: { mcpUrl: 'http://localhost:3000/mcp', domains: [] } });
    const json = name.endsWith('.json');
    const bytes = json ? bytesOf(JSON.stringify(manifest)) : packBundle(sampleFiles(manifest));
    expect(codesOf(name, bytes)).toEqual(['remote.url']);
    const { issues } = checkFile({ ...question(name, bytes), localApps: true });
    expect(issues).toMatchObject([{ code: 'remote.localhost', level: 'warning' }]);
  });

  it('reports a file that was not read as too large', () => {
    const size = LIMITS.bundle.inflatedBytes + 1;
    const report = checkFile({ name: 'huge.svc-app', size, bytes: undefined, mode: 'store' });
    expect(report.issues.map(({ code }) => code)).toEqual(['bundle.size']);
  });
});
