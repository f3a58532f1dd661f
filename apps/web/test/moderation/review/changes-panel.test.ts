import type { Change, Manifest } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges, footprintOf, permissionDiff } from '@svc/permissions';
import { LOOKS, sampleManifest } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltPage, buildPage, showBuilt } from '../../support/build-page.ts';
import { faultsOf } from '../../support/faults-of.ts';
import { closeContexts, NEEDS_BROWSER, openPage, shareBrowser } from '../../support/real-browser.ts';

const account = (changes: object) => ({
  id: 'mail',
  label: 'Mail',
  authorizeUrl: 'https://accounts.example.com/authorize',
  tokenUrl: 'https://accounts.example.com/token',
  clientId: 'one',
  scopes: ['read'],
  ...changes,
});

const tool = (id: string, changes: object = {}) => ({ id, name: id, description: id, ...changes });

const sentence = (n: number) => `${n}: ${'reads all that you hand to it, '.repeat(7)}`.slice(0, 200);

const BEFORE: Partial<Manifest> = {
  author: 'Jane',
  permissions: [1, 2, 3].map(sentence),
  accounts: [account({})],
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['old.example.com'] },
  contributes: {
    tools: [
      tool('add', { files: { photo: { maxBytes: 1_000, accept: ['image/png'] } } }),
      tool('clear', { confirm: { title: 'Remove all?' } }),
      tool('wipe', { confirm: { title: 'Wipe?' } }),
    ],
  },
};

const AFTER: Partial<Manifest> = {
  name: 'مذكرات شخصية',
  permissions: [3, 4].map(sentence),
  grants: ['files:receive', 'project:write'],
  accounts: [
    account({
      label: 'חשבון',
      tokenUrl: 'https://elsewhere.example.net/token',
      params: { prompt: 'consent' },
    }),
    account({ id: 'drive' }),
  ],
  remote: { mcpUrl: 'https://mcp.example.com/v2', domains: ['*.tracker.example', 'a\u202eb.example'] },
  requires: {
    apps: [{ id: 'media', reason: 'Plays.' }],
    connectors: [{ url: 'https://connector.example.com/mcp', reason: 'Reads.', required: true }],
    providers: ['svc-chat'],
  },
  contributes: {
    tools: [
      tool('add', { account: 'mail', files: { photo: { maxBytes: 2_048, multiple: true } } }),
      tool('clear', { confirm: { title: 'Sure?', body: 'All\nof it', action: 'OK' } }),
      tool('wipe'),
      tool('new', { confirm: { title: 'New?' } }),
    ],
  },
};

const hashOf = (digit: string) => (path: string) => (path.endsWith('.svg') ? null : digit.repeat(64));
const [WAS, IS] = [sampleManifest(BEFORE), sampleManifest(AFTER)];
const [base, next] = [footprintOf(WAS, hashOf('a')), footprintOf(IS, hashOf('b'))];
const diff = permissionDiff({ version: '1.0.0', footprint: base }, next);
const UNKNOWN: Change = { path: '/shiny/new', kind: 'reach', before: null, after: 'x', widens: true };
const CHANGES = [...diff.changes, UNKNOWN];

const summary = { icon: 'assets/icon.png', mark: null };
const REVIEW = {
  appId: 'com.example.notes',
  version: '2.0.0',
  status: 'in_review',
  issues: [],
  permissionDiff: { ...diff, changes: CHANGES },
  manifest: summary,
  reach: next,
  base: {
    version: '1.0.0',
    status: 'published',
    manifest: summary,
    reach: base,
    source: null,
    attestation: null,
  },
  source: null,
  attestation: null,
  current: null,
};

/** Makes hidden characters visible, as the lists do. */
const seen = (text: string) => text.replaceAll('\u202e', '⟨U+202E⟩');

type Shown = { label: string; subject: string; before: string[]; after: string[] };

const expected = ({ label, subject, before, after }: ChangeText): Shown => {
  const [was, is] = [before ?? [], after ?? []].map((lines) => lines.map(seen)) as [string[], string[]];
  return { label, subject: seen(subject), before: was, after: is };
};

/** Reads a list from the page: the titles of its groups, and the texts of each change. */
const READ = `(root) => [...document.querySelectorAll(root + ' section.changes')].map((group) => ({
  title: group.querySelector('h3').textContent,
  changes: [...group.querySelectorAll('li')].map((li) => {
    const texts = (selector) => [...li.querySelectorAll(selector)].map((element) => element.textContent);
    const alone = texts('div.sides .value');
    const isGone = li.classList.contains('removed');
    return {
      label: texts('.label').join(),
      subject: texts('.subject').join(),
      before: isGone && alone.length > 0 ? alone : texts('.before .value'),
      after: !isGone && alone.length > 0 ? alone : texts('.after .value'),
    };
  }),
}))`;

describe('the list of changes, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let parts: BuiltPage;

  beforeAll(async () => {
    const entry = `${import.meta.dirname}/../../support/changes-page.tsx`;
    [browser, parts] = await Promise.all([shareBrowser(), buildPage(entry)]);
  });
  afterAll(() => closeContexts(browser));

  async function openChanges(options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
    const { page } = await openPage(browser, 'about:blank', options);
    await showBuilt(page, parts, 'Changes', `window.review = ${JSON.stringify(REVIEW)}`);
    await page.locator('#moderator li').first().waitFor();
    return page;
  }

  it('shows moderators and publishers the same texts, from packages/permissions', async () => {
    const page = await openChanges();
    const groups = describeChanges(CHANGES);
    const wanted = [
      { title: `Asks for new permissions (${groups.widens.length})`, changes: groups.widens.map(expected) },
      {
        title: `Changes how it presents itself (${groups.face.length})`,
        changes: groups.face.map(expected),
      },
      {
        title: `Changes what agents read of its tools (${groups.instructions.length})`,
        changes: groups.instructions.map(expected),
      },
      { title: `Other changes (${groups.other.length})`, changes: groups.other.map(expected) },
    ];
    expect(wanted.flatMap(({ changes }) => changes)).toHaveLength(CHANGES.length);
    expect(CHANGES.length).toBeGreaterThan(25);
    for (const root of ['#moderator', '#publisher']) {
      expect([root, await page.evaluate(`(${READ})('${root}')`)]).toEqual([root, wanted]);
    }
    await page.locator('#moderator .subject', { hasText: '/shiny/new' }).waitFor();
  });

  it('shows the icons of both versions', async () => {
    const page = await openChanges();
    const sources = (root: string) =>
      page.locator(`${root} img`).evaluateAll((all) => all.map((one) => one.getAttribute('src')));
    const review = '/api/moderation/apps/com.example.notes/versions';
    expect(await sources('#moderator')).toEqual([
      `${review}/1.0.0/files/assets/icon.png?raster=`,
      `${review}/2.0.0/files/assets/icon.png?raster=`,
    ]);
    expect(await sources('#publisher')).toEqual([
      '/api/publishers/acme/apps/a/versions/1.0.0/pictures/icon',
      '/api/publishers/acme/apps/a/versions/2.0.0/pictures/icon',
    ]);
  });

  it('shows moderators each permission once, also unchanged ones', async () => {
    const page = await openChanges();
    const entries = await page
      .locator('#moderator li')
      .evaluateAll((all) =>
        all.map((li) => [
          li.querySelector('.word')?.textContent,
          li.querySelector('.label')?.textContent,
          li.querySelector('.subject')?.textContent ?? '',
        ]),
      );
    const changed = new Set(changesOf(base, next).map(({ path }) => path));
    const same = changesOf(null, next).filter(({ kind, path }) => kind !== 'face' && !changed.has(path));
    expect(entries).toHaveLength(CHANGES.length + same.length);
    expect(entries.filter(([word]) => word === 'same')).toHaveLength(same.length);
    await page.getByText(`${same.length} permissions unchanged`).waitFor();
    expect(entries).toContainEqual(['same', 'Tool', 'clear']);
    expect(entries).toContainEqual(['removed', 'Contacts', 'old.example.com']);
    expect(entries).toContainEqual(['added', 'Contacts', '*.tracker.example (every name below it)']);
    expect(entries).toContainEqual(['same', 'Scope of the account', 'read (mail)']);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations, in ${colorScheme}, ${width} wide`, options, async () => {
      const page = await openChanges({ colorScheme, viewport: { width, height: 800 } });
      expect(await faultsOf(page)).toEqual([]);
      await page.context().close();
    });
});
