import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { checkFile, type Report } from '../../src/check/check-file.ts';
import { publishBlockerOf, type Target } from '../../src/dashboard/use-publish.ts';

const reportOn = (manifest: Parameters<typeof sampleBundle>[0] = {}): Report => {
  const bytes = sampleBundle(manifest);
  return checkFile({ name: 'a.svc-app', size: bytes.length, bytes, mode: 'store' });
};

const NEWEST = {
  version: '1.0.0',
  status: 'published',
  submittedAt: '2026-03-01T12:00:00.000Z',
  needsYou: false,
} as const;

const target = (changes: Partial<Target> = {}): Target => ({
  slug: 'example',
  appId: undefined,
  apps: [{ appId: 'com.example.notes', newest: NEWEST }],
  ...changes,
});

describe('the reason why a valid bundle cannot be published here', () => {
  it('is null for a new version and for a new app', () => {
    expect(publishBlockerOf(reportOn({ version: '1.0.1' }), target())).toBeNull();
    expect(publishBlockerOf(reportOn({ id: 'com.example.other' }), target())).toBeNull();
  });

  it('is another publisher, another app, or a used version number', () => {
    expect(publishBlockerOf(reportOn({ publisher: 'evil' }), target())).toContain('“evil”');
    const onItsPage = target({ appId: 'com.example.notes' });
    expect(publishBlockerOf(reportOn({ id: 'com.example.other' }), onItsPage)).toContain('com.example.other');
    expect(publishBlockerOf(reportOn(), target())).toContain('Version 1.0.0 was already uploaded');
  });

  it('is a manifest without its bundle', () => {
    const bytes = new TextEncoder().encode('{"publisher":"example"}');
    const report = checkFile({ name: 'plugin.json', size: bytes.length, bytes, mode: 'store' });
    expect(publishBlockerOf(report, target())).toContain('only a plugin.json');
  });
});
