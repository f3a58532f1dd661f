import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AppDetail, CatalogEntry, Publisher } from '@svc/contracts';
import { type Seal, sealsOf, verdictOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import { build } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { testCli } from '../apps/cli/test/support/command-context.ts';
import { answering, fakeStore } from '../apps/cli/test/support/fake-store.ts';
import { appCard } from '../apps/store/src/extensions/storefront/app-card.ts';
import { appPage } from '../apps/store/src/extensions/storefront/app-page.ts';
import { cataloguePage } from '../apps/store/src/extensions/storefront/catalogue-page.ts';
import { publisherPage } from '../apps/store/src/extensions/storefront/publisher-page.ts';
import { matcherOf, searchRow } from '../apps/store/src/extensions/storefront/search-row.ts';
import ICONS from '../packages/ui/src/icons.json' with { type: 'json' };
import { EXTENTS, PUBLISHERS, REVIEWS } from '../tools/gen/seals.ts';

const ROOT = join(import.meta.dirname, '..');

type Row = { name: string; isVerified: boolean; app: AppDetail };

/** Every publisher, every kind of review of a published version, and every extent. */
const ROWS: readonly Row[] = Object.entries(PUBLISHERS).flatMap(([who, publisher]) =>
  Object.entries(REVIEWS)
    .filter(([, { publishedAt }]) => publishedAt !== null)
    .flatMap(([review, version]) =>
      Object.entries(EXTENTS).map(([extent, reach]) => ({
        name: `${who}, ${review}, ${extent}`,
        isVerified: publisher.verified,
        app: {
          ...{ appId: 'com.example.app', name: 'App', tagline: 'Does it.', description: 'Does it.' },
          publisher: { slug: 'example', name: 'Example', website: '', ...publisher },
          ...{ version: '1.0.0', iconUrl: 'https://store.test/i.png', markUrl: '', accent: '' },
          ...{ screenshots: ['https://store.test/s.png'], categories: ['media'], tools: [], size: 9 },
          ...{ permissions: [], homepage: '', support: '', installs: 3, rating: { average: 4, count: 2 } },
          ...{ readme: '', versions: [], ...version, ...reach },
        } as unknown as AppDetail,
      })),
    ),
);

/** The drawing of the filled seal, in the tables of icons of both kinds of pages. */
const FILLED = (ICONS['seal-vouched'] as unknown as [string, { d: string }][])[0]?.[1].d ?? 'none';

const filledIn = (markup: string): number => markup.split(FILLED).length - 1;

/** The components of the dashboards and the desktop, as text. */
type Drawn = { sealRow(seals: readonly Seal[]): string; verdict(seal: Seal): string };

const ENTRY = `
  import { createElement } from 'react';
  import { renderToStaticMarkup } from 'react-dom/server';
  import { SealRow, Verdict } from '/packages/ui/src/seal-row.tsx';
  export const sealRow = (seals) => renderToStaticMarkup(createElement(SealRow, { seals }));
  export const verdict = (of) => renderToStaticMarkup(createElement(Verdict, { of }));
`;

/** Node does not run JSX, so that Vite translates the components. */
async function drawnComponents(): Promise<Drawn> {
  const built = await build({
    ...{ root: ROOT, configFile: false, logLevel: 'silent', publicDir: false },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : null),
        load: (id) => (id === 'entry' ? ENTRY : null),
      },
    ],
    build: { ssr: true, write: false, rolldownOptions: { input: 'entry' } },
    ssr: { noExternal: true },
  });
  const [output] = [built].flat();
  if (!output || !('output' in output)) throw new Error('Vite has built nothing.');
  const folder = await mkdtemp(join(tmpdir(), 'svc-seals-'));
  try {
    const file = join(folder, 'drawn.mjs');
    await writeFile(file, output.output[0].code);
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

let drawn: Drawn;

beforeAll(async () => {
  drawn = await drawnComponents();
});

const appOf = (app: AppDetail) => {
  const manifest = sampleManifest();
  return String(
    appPage({
      ...{ app, manifest, inStore: new Set<string>(), readme: null, changelogs: new Map(), versionPage: 1 },
      ...{ links: [], sections: [], similar: [], hasCli: true, download: null },
    }).body,
  );
};

/** What each page draws of an app. */
const PAGES: Readonly<Record<string, (app: AppDetail) => string | Promise<string>>> = {
  'store: card': (app) => String(appCard(app)),
  'store: row of a search': (app) => String(searchRow(app, matcherOf('app'))),
  'store: featured app': (app) => heroOf(app),
  'store: page of the app': (app) => appOf(app),
  'store: page of the publisher': ({ publisher, ...app }) =>
    String(
      publisherPage({
        publisher: { ...publisher, suspended: false, createdAt: app.publishedAt } as Publisher,
        ...{ apps: [{ ...app, publisher } as CatalogEntry], provenAt: null },
      }).body,
    ),
  'desktop and dashboards: card, row, approval': (app) => drawn.verdict(verdictOf(app)),
  'desktop and moderation: page, consent sheet': (app) => drawn.sealRow(sealsOf(app)),
};

function heroOf(app: AppDetail): string {
  const page = { apps: [], total: 0, nextCursor: null };
  const text = String(
    cataloguePage({}, page, {
      featured: [app],
      popular: [],
      shelves: [],
      offers: [],
      counts: null,
      hasCli: true,
    }).body,
  );
  return /<li class="app hero-app">.*?<\/li>/s.exec(text)?.[0] ?? '';
}

describe('the filled mark', () => {
  it.each(Object.entries(PAGES))(
    'is never on an app of an unverified publisher, and always on others: %s',
    async (_, page) => {
      expect(FILLED).not.toBe('none');
      for (const { name, isVerified, app } of ROWS) {
        // A host may break at its dots.
        const text = (await page(app)).replaceAll('<wbr>', '');
        expect(text, name).toContain(verdictOf(app).label);
        expect([name, filledIn(text) > 0]).toEqual([name, isVerified]);
      }
    },
  );

  it('is a check in the command line, by the same rule', async () => {
    for (const { name, isVerified, app } of ROWS) {
      const { url } = await fakeStore(answering(app));
      const { run } = await testCli();
      const { code, out } = await run('info', app.appId, '--store', url);
      expect([name, code, out.includes('✓')]).toEqual([name, 0, isVerified]);
      for (const { label } of sealsOf(app)) expect(out).toContain(label);
    }
  });

  it('is the same on the app page of the store and the sheet of the desktop', () => {
    for (const { name, app } of ROWS)
      expect([name, filledIn(appOf(app))]).toEqual([name, filledIn(drawn.sealRow(sealsOf(app)))]);
  });

  it('is drawn only from the facts, besides the places where it is the mark of svc itself', () => {
    const files = execFileSync(
      'git',
      [
        'grep',
        '-lE',
        "seal-(vouched|open|care)|badge-check|'✓",
        '--',
        ':(glob)apps/*/src/**',
        ':(glob)apps/desktop/page/src/**',
        ':(glob)packages/*/src/**/*.ts*',
      ],
      {
        ...{ cwd: ROOT, encoding: 'utf8' },
      },
    );
    expect(files.trim().split('\n')).toEqual([
      // `svc info`.
      'apps/cli/src/commands/info.ts',
      // The mark of svc, beside its name.
      'apps/desktop/page/src/shell/shell.tsx',
      // The icon of an error.
      'apps/store/src/core/access/envelope.ts',
      // The mark of svc, in the band of the front page.
      'apps/store/src/extensions/storefront/catalogue-page.ts',
      'packages/permissions/src/seal.ts',
    ]);
  });
});

it('has a table in docs/project/seals.md with every publisher, review and extent', () => {
  const text = readFileSync(join(ROOT, 'docs/project/seals.md'), 'utf8');
  for (const names of [PUBLISHERS, REVIEWS, EXTENTS])
    for (const name of Object.keys(names)) expect(text).toContain(`| ${name} |`);
});
