import { packBundle, readBundle } from '@svc/bundle';
import { png, sampleBundle } from '@svc/testkit';
import { RULES } from '@svc/validator';
import { describe, expect, it } from 'vitest';
import {
  imageTypeOf,
  inspectBundle,
  knownScripts,
  newScriptMemory,
} from '../../../../src/core/domain/versions/inspect-bundle.ts';
import { openTestStore } from '../../../support/test-store.ts';

const LOCAL = { SVC_BASE_URL: 'http://localhost:8787', SVC_LOCAL_APPS: '1' };
const remote = { mcpUrl: 'http://localhost:3000/mcp', domains: [] };

async function publishTo(environment: Record<string, string>, changes: object = { remote }) {
  const store = await openTestStore({ environment });
  const token = await store.publisherToken();
  const answer = await store.publish(token, changes);
  return { store, answer };
}

describe('a store with SVC_LOCAL_APPS', () => {
  it('accepts an app on localhost with a warning, and sends it to review', async () => {
    const { store, answer } = await publishTo(LOCAL);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({
      status: 'in_review',
      reasons: expect.arrayContaining(['first-version']),
      issues: [{ code: 'remote.localhost', level: 'warning' }],
    });
    expect(await (await store.call('GET', '/api/store')).json()).toEqual({ localApps: true, read: 'public' });
  });

  it('applies all other rules', async () => {
    const { answer } = await publishTo(LOCAL, { remote, grants: ['exec'] });
    expect(answer.status).toBe(422);
  });
});

it('a store without SVC_LOCAL_APPS rejects an app on localhost', async () => {
  const { store, answer } = await publishTo({});
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ code: 'remote.url', level: 'error' })]),
  });
  expect(await (await store.call('GET', '/api/store')).json()).toEqual({ localApps: false, read: 'public' });
});

const text = (value: string) => new TextEncoder().encode(value);

describe('imageTypeOf', () => {
  it.each([
    ['image/png', png(8)],
    ['image/jpeg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ['image/webp', text('RIFF....WEBPVP8 ')],
    ['image/svg+xml', text('<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', text('  <svg viewBox="0 0 1 1"></svg>')],
    ['image/svg+xml', text('<s:svg xmlns:s="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', text(`<!-- ${'long '.repeat(2_000)} --><svg/>`)],
  ])('detects %s by its bytes', (type, bytes) => {
    expect(imageTypeOf(bytes)).toBe(type);
  });

  it.each([
    ['an HTML page', text('<!doctype html><script>alert(1)</script>')],
    ['a script', text('alert("<svg>")')],
    ['an empty file', new Uint8Array()],
    ['the start of a PNG', Uint8Array.of(0x89, 0x50, 0x4e)],
  ])('is null for %s', (_name, bytes) => {
    expect(imageTypeOf(bytes)).toBeNull();
  });
});

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
