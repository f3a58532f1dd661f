import { DEEP } from '@svc/testkit';
import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../../apps/desktop/test/page/support/browser.ts';
import { pageTest as it, NOTES, visit } from '../../apps/desktop/test/page/support/page-test.ts';
import {
  app,
  CARDS,
  DETAIL,
  entry,
  MANIFEST,
  sheet,
  TOOL,
  waiting,
} from '../../apps/desktop/test/page/support/sample-data.ts';
import { BAD_INPUT, THREE_ALPHABETS, WORD_100 } from '../../apps/web/test/support/bad-input.ts';
import { faultsOf, settle } from '../../tools/screenshots/faults.ts';

const NAMES = [WORD_100, ...THREE_ALPHABETS];
const { permissions = [], description = '', remote } = BAD_INPUT;
const domains = remote?.domains ?? [];

/** An app as bad as a store may list it: its publisher has no host, its texts no place to break, and it asks for forty permissions. */
const listed = NAMES.map((name, n) => ({
  ...entry(name, n),
  description,
  tagline: description,
  permissions,
  domains,
  publisher: {
    ...entry(name, n).publisher,
    name: NAMES[(n + 1) % NAMES.length] ?? '',
    verified: false,
  },
}));

const detail = {
  ...DETAIL,
  ...listed[0],
  readmeHtml: `<h1>${WORD_100}</h1><p>${NAMES.join(' ')}</p><pre><code>${WORD_100.repeat(3)}</code></pre>`,
  tools: NAMES.map((name, n) => ({ id: `tool_${n}`, name, description })),
  versions: DETAIL.versions.map((version) => ({
    ...version,
    changelog: `- ${description}`,
    deprecated: WORD_100,
  })),
};

const manifest = {
  ...MANIFEST,
  ...BAD_INPUT,
  name: WORD_100,
  accounts: MANIFEST.accounts?.map((account) => ({ ...account, label: WORD_100 })) ?? [],
  contributes: { ...MANIFEST.contributes, tools: [{ id: 'add_note', name: WORD_100, description }] },
};

const apps = NAMES.map((name, n) =>
  app({
    appId: n === 0 ? NOTES : `com.example.app-${n}`,
    manifest: { ...manifest, id: n === 0 ? NOTES : `com.example.app-${n}`, name },
    ...(n === 1 && {
      yanked: { reason: description, at: '2026-03-01T10:00:00.000Z', comesBack: true },
      on: false,
    }),
    ...(n === 2 && { source: { kind: 'connector', url: `https://${domains[0]}/mcp` } as const }),
  }),
);

const card = {
  ...CARDS.approval,
  app: { ...CARDS.approval.app, name: WORD_100 },
  title: description,
  action: WORD_100,
};

/** Each view with its heading, which only the first line of its text has. */
const VIEWS = [
  ['chat', 'Chat'],
  ['store', 'Store'],
  [`store/${NOTES}`, WORD_100],
  ['apps', 'Apps'],
  [`apps/${NOTES}/about`, WORD_100],
  [`tools/${NOTES}/add_note`, 'Tools'],
  ['tools', 'Tools'],
  ['updates', 'Updates'],
  ['activity', 'Activity'],
  ['agents', 'Agents'],
  ['connectors', 'Connectors'],
  ['settings', 'Settings'],
] as const;

const WIDTHS = [320, 390, 1280, 1680];

describe('the desktop with bad input, in a real browser', NEEDS_BROWSER, () => {
  it(
    'breaks no view: long words, three alphabets, forty permissions, a publisher without a host',
    DEEP,
    async ({ desk, page, startWith, dialog }) => {
      await startWith({ apps });
      desk.answers['store.search'] = () => ({ apps: listed, nextCursor: null, total: listed.length });
      desk.answers['store.app'] = () => detail;
      desk.answers['store.prepare'] = () => ({
        sheetId: 's1',
        sheet: sheet({
          app: { ...sheet().app, name: WORD_100, publisher: 'example' },
          description,
          permissions,
        }),
      });
      desk.answers['tools.list'] = () => ({
        tools: [{ ...TOOL, name: WORD_100, title: WORD_100, description }],
        fault: null,
        repairs: [],
      });
      const found: string[] = [];
      const look = async (where: string) => {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await settle(page);
            found.push(
              ...(await faultsOf(page)).map((fault) => `${where} ${width} ${colorScheme}: ${fault}`),
            );
          }
        }
      };
      for (const [hash, heading] of VIEWS) {
        await visit(page, desk.origin, hash, heading);
        await look(hash);
      }
      await visit(page, desk.origin, `store/${NOTES}`, WORD_100);
      await page.setViewportSize({ width: 390, height: 844 });
      const install = page
        .getByRole('button', { name: 'Install', exact: true })
        .or(page.getByRole('link', { name: 'Open app' }));
      // What one came for is in the first view, however long the name is.
      await expect.poll(async () => ((await install.first().boundingBox())?.y ?? 844) < 700).toBe(true);
      await page
        .getByRole('button', { name: /^Install \d/ })
        .first()
        .click();
      await dialog().getByRole('button', { name: 'Decline' }).waitFor();
      await look('consent');
      await dialog().getByRole('button', { name: 'Decline' }).click();
      desk.tell({ type: 'card', card: waiting('bad', card) });
      await dialog().locator('.buttons [aria-disabled="false"]').waitFor();
      await look('approval');
      await page.keyboard.press('Escape');
      expect(found).toEqual([]);
    },
  );
});
