import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { LIMITS, Manifest } from '../../src/index.ts';

const accepts = (change: object): boolean => Manifest.safeParse({ ...sampleManifest(), ...change }).success;

describe('Manifest', () => {
  it('accepts a plain app, and drops unknown fields', () => {
    expect(Manifest.parse({ ...sampleManifest(), later: 1 })).toEqual(sampleManifest());
  });

  it.each([
    ['name', 'n', LIMITS.manifest.name],
    ['description', 'd', LIMITS.manifest.description],
    ['publisher', 'p', LIMITS.manifest.publisher],
  ])('limits the length of %s', (field, letter, max) => {
    expect(accepts({ [field]: letter.repeat(max) })).toBe(true);
    expect(accepts({ [field]: letter.repeat(max + 1) })).toBe(false);
  });

  it.each([
    { id: 'nodots' },
    { id: 'Com.Example' },
    { pluginApiVersion: 2 },
    { grants: ['exec'] },
    { branding: { icon: '../icon.png' } },
    { branding: { icon: '/icon.png' } },
    { remote: { mcpUrl: 'http://mcp.example.com', domains: [] } },
    { categories: ['media', 'design', 'data', 'sales'] },
  ])('refuses %o', (change) => {
    expect(accepts(change)).toBe(false);
  });
});
