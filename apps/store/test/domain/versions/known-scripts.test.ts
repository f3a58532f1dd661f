import { packBundle, readBundle } from '@svc/bundle';
import { sampleBundle } from '@svc/testkit';
import { RULES } from '@svc/validator';
import { describe, expect, it } from 'vitest';
import { inspectBundle } from '../../../src/domain/versions/inspect-bundle.ts';
import { knownScripts, newScriptMemory } from '../../../src/domain/versions/known-scripts.ts';

const PLAIN = 'console.log("hello");\n'.repeat(100);

const read = (files: Record<string, string>) => {
  const entries = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const reading = readBundle(packBundle(entries));
  if (!reading.ok) throw new Error('The bundle cannot be read.');
  return [reading.entries, reading.packed] as const;
};

describe('knownScripts', () => {
  it('recognizes a script in another bundle under another path, and no other file', () => {
    const memory = newScriptMemory();
    const first = knownScripts(memory, ...read({ 'ui/a.js': PLAIN }));
    expect(first.has('ui/a.js')).toBe(false);
    first.add('ui/a.js');
    const next = knownScripts(
      memory,
      ...read({ 'ui/b.js': PLAIN, 'ui/c.js': `${PLAIN} `, 'ui/d.html': PLAIN, 'ui/e.svg': PLAIN }),
    );
    expect(['ui/b.js', 'ui/c.js', 'ui/d.html', 'ui/e.svg'].map(next.has)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('distinguishes a stored file from a deflated one with the same packed bytes', () => {
    const memory = newScriptMemory();
    const [entries, packed] = read({ 'a.js': PLAIN });
    const deflated = packed.get('a.js') as Uint8Array;
    knownScripts(memory, entries, packed).add('a.js');
    const stored = new Map([['a.js', deflated]]);
    expect(knownScripts(memory, stored, stored).has('a.js')).toBe(false);
  });

  it('replaces older files by newer ones, and does not grow', () => {
    const memory = newScriptMemory();
    const bytes = memory.byteLength;
    const files = Array.from({ length: 40_000 }, (_, n) => [`${n}.js`, Buffer.from(String(n))] as const);
    const known = knownScripts(memory, new Map(files), new Map(files));
    for (const [path] of files) known.add(path);
    const kept = files.filter(([path]) => known.has(path)).length;
    expect(kept).toBeGreaterThan(10_000);
    expect(kept).toBeLessThanOrEqual(16_384);
    expect(memory.byteLength).toBe(bytes);
  });
});

describe('an obfuscated script', () => {
  const script = RULES.find(({ code }) => code === 'bundle.obfuscated')?.example.broken;
  const disguised = String(Object.values((script as { files: Record<string, string> }).files)[0]);

  it('is reported each time, also between known scripts', () => {
    const rules = { reservedNames: [], localApps: false, scriptMemory: newScriptMemory() };
    const codesOf = (files: Record<string, string>) => {
      const inspection = inspectBundle(sampleBundle({}, files), rules);
      return inspection.ok
        ? inspection.candidate.issues.map(({ code, path }) => `${code} ${path}`)
        : inspection.issues;
    };
    const plain = { 'ui/a.js': PLAIN, 'ui/z.js': PLAIN };
    expect(codesOf(plain)).toEqual([]);
    for (let times = 0; times < 3; times += 1) {
      expect(codesOf({ ...plain, 'ui/m.js': disguised })).toEqual(['bundle.obfuscated ui/m.js']);
    }
    // More findings than an inspection reports: files without a reported finding are not remembered as plain.
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, n) => [`ui/${n}.js`, `${disguised}//${n}`]),
    );
    expect(codesOf(many).length).toBeLessThan(150);
    expect(codesOf({ 'ui/149.js': `${disguised}//149` })).toEqual(['bundle.obfuscated ui/149.js']);
  });
});
