import { packBundle } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import {
  FULL_FILES,
  fullManifest,
  MANIFEST_MUTATIONS,
  mutated,
  sampleFiles,
  type Verdict,
} from '@svc/testkit';
import { expect, it } from 'vitest';
import { openWorld } from '../packages/runtime/test/support/world.ts';
import { startFilledStore } from './support/filled-store.ts';

const APP = 'com.example.notes';

/** What the store sends a version to a person for, by what the table of fields says of it. */
const REASONS: Readonly<Record<Verdict, string[]>> = {
  passes: [],
  reach: ['permissions-widened'],
  face: ['flagged:face.changed'],
};

type Files = Readonly<Record<string, Uint8Array | string>>;

const bundleOf = (manifest: Manifest, files: Files = {}): Uint8Array =>
  packBundle(sampleFiles(manifest, { ...FULL_FILES, ...files }));

it('the store and the client treat a change of every field as the table of fields says', async () => {
  const { url, automation } = await startFilledStore();
  const { library, installer } = await openWorld({ url }, { builtInApps: ['media', 'computer-use'] });
  let minor = 0;

  /** Publishes a version, approves it where a person must, and updates the client to it. */
  async function update(manifest: Manifest, files?: Files) {
    const version = `1.${minor}.0`;
    minor += 1;
    const made = await automation.publish(bundleOf({ ...manifest, version }, files));
    const sheet = await installer.prepareInstall(APP, version);
    if (sheet.needsConsent)
      await expect(installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
    await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(library.get(APP)?.version).toBe(version);
    return { made, sheet };
  }

  const first = await update(fullManifest());
  expect(first).toMatchObject({ made: { reasons: ['first-version'] }, sheet: { needsConsent: true } });

  const wrong: unknown[] = [];
  for (const [field, mutation] of Object.entries(MANIFEST_MUTATIONS)) {
    for (const [way, manifest, files] of [
      ['there', mutated(mutation), mutation.files],
      ['back', fullManifest(), {}],
    ] as const) {
      const wanted = mutation[way];
      const { made, sheet } = await update(manifest, files);
      const { reasons, permissionDiff } = made;
      const asked = sheet.widened?.changes ?? [];
      const same =
        JSON.stringify(asked) === JSON.stringify(wanted === 'passes' ? [] : permissionDiff.changes);
      const right = JSON.stringify(reasons) === JSON.stringify(REASONS[wanted]);
      if (!right || !same || sheet.needsConsent !== (wanted !== 'passes'))
        wrong.push({ field, way, wanted, reasons, asked, changes: permissionDiff.changes });
    }
  }
  expect(wrong).toEqual([]);
});
