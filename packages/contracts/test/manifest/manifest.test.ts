import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { LIMITS, Manifest } from '../../src/index.ts';

const takes = (change: object): boolean => Manifest.safeParse({ ...sampleManifest(), ...change }).success;

describe('Manifest', () => {
  it('takes a plain app, and drops what it does not know', () => {
    expect(Manifest.parse({ ...sampleManifest(), later: 1 })).toEqual(sampleManifest());
  });

  it.each([
    ['name', 'n', LIMITS.manifest.name],
    ['description', 'd', LIMITS.manifest.description],
    ['publisher', 'p', LIMITS.manifest.publisher],
  ])('bounds %s', (field, letter, most) => {
    expect(takes({ [field]: letter.repeat(most) })).toBe(true);
    expect(takes({ [field]: letter.repeat(most + 1) })).toBe(false);
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
    expect(takes(change)).toBe(false);
  });
});
