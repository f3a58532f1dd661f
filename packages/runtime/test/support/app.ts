import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import type { InstalledApp } from '../../src/library/installed-app.ts';

/** An installed app, of a development folder, so that its server may be on this machine. */
export function installed(changes: Partial<Manifest> = {}, rest: Partial<InstalledApp> = {}): InstalledApp {
  const manifest = sampleManifest(changes);
  return {
    appId: manifest.id,
    version: manifest.version,
    manifest,
    consent: footprintOf(manifest),
    source: { kind: 'developer', folder: '/nowhere' },
    on: true,
    yanked: null,
    ...rest,
  };
}
