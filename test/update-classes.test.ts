import { packBundle } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import {
  DEEP,
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

/** The review reasons of the store, by the class of the field. */
const REASONS: Readonly<Record<Verdict, string[]>> = {
  passes: [],
  reach: ['permissions-widened'],
  face: ['flagged:face.changed'],
  instructions: ['flagged:tools.changed'],
};

type Files = Readonly<Record<string, Uint8Array | string>>;

const bundleOf = (manifest: Manifest, files: Files = {}): Uint8Array =>
  packBundle(sampleFiles(manifest, { ...FULL_FILES, ...files }));

// The table itself is tested in packages/permissions; this test publishes and installs two versions of an app for each field.
it('the store and the client treat a change of every field as its class requires', DEEP, async () => {
  const { url, automation } = await startFilledStore();
  const { library, installer } = await openWorld({ url }, { builtInApps: ['media', 'computer-use'] });
  let minor = 0;

  /** Publishes a version, approves it if it is in review, and updates the client to it. */
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

  const asks = (verdict: Verdict): boolean => verdict === 'reach' || verdict === 'face';
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
      const same = JSON.stringify(asked) === JSON.stringify(asks(wanted) ? permissionDiff.changes : []);
      const right = JSON.stringify(reasons) === JSON.stringify(REASONS[wanted]);
      if (!right || !same || sheet.needsConsent !== asks(wanted))
        wrong.push({ field, way, wanted, reasons, asked, changes: permissionDiff.changes });
    }
  }
  expect(wrong).toEqual([]);
});

it('publishes ten typical updates without review, and without asking the user', DEEP, async () => {
  const { url, automation } = await startFilledStore();
  const { installer } = await openWorld({ url });
  const manifest = fullManifest();
  const { tools = [], panels = [] } = manifest.contributes;
  const files: Record<string, string> = {};

  /** The change of each update, based on the previous one. */
  const updates: (() => void)[] = [
    () => {
      manifest.description = 'Keeps short notes and letters. They can be found again.';
    },
    () => {
      files['README.md'] = '# Notes\n\nNow with letters.\n';
    },
    () => {
      manifest.branding.screenshots = ['assets/one.png', 'assets/two.png'];
    },
    () => void tools.pop(),
    () =>
      void Object.assign(tools[0] ?? {}, {
        files: { body: { accept: ['image/png'], maxBytes: 900, prepare: { op: 'resize', width: 64 } } },
      }),
    () => {
      // Removes a grant and a domain together with the sentence that explained them.
      manifest.grants = ['files:receive', 'host:media'];
      manifest.remote.domains = [];
      manifest.permissions = ['Reads the files you hand to it.'];
    },
    () => void manifest.accounts?.[0]?.scopes.pop(),
    () => void panels.push({ id: 'more', title: 'More', component: 'webview' }),
    () => {
      files['CHANGELOG.md'] = '## 1.8.0\n\nFaster.\n';
    },
    () =>
      void Object.assign(manifest, {
        homepage: 'https://notes.example/',
        categories: ['productivity', 'data'],
      }),
  ];
  manifest.grants = ['files:receive', 'host:media', 'files:return'];
  await automation.publish(bundleOf({ ...manifest, version: '1.0.0' }));
  const sheet = await installer.prepareInstall(APP, '1.0.0');
  await installer.install(sheet, { accepted: true, binding: sheet.binding });
  for (const [index, update] of updates.entries()) {
    update();
    const version = `1.${index + 1}.0`;
    const made = await automation.upload(bundleOf({ ...manifest, version }, files));
    expect(made, version).toMatchObject({ version, status: 'published', reasons: [] });
    const next = await installer.prepareInstall(APP, version);
    expect(next, version).toMatchObject({ needsConsent: false, widened: null });
    await installer.install(next);
  }
});
