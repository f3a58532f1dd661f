import { DEEP, SCHEMES } from '@svc/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { SECTIONS } from '../../page/src/settings/sections.ts';
import { NEEDS_BROWSER, openPage } from './support/browser.ts';
import { RefusalError } from './support/fake-desktop.ts';
import { pageTest as it, NOTES, visit } from './support/page-test.ts';
import { app, CARDS, HOSTILE, MANIFEST, STORE, waiting } from './support/sample-data.ts';

describe('the page of the desktop, in a real browser', NEEDS_BROWSER, () => {
  it('removes the key from the URL, and keeps its session over a reload', async ({ page, askedFor }) => {
    expect(page.url()).not.toContain('key=');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.reload();
    await page.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
    expect(askedFor('session.open')).toHaveLength(1);
    // The address without its key opens a second window with a session of its own.
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
    expect(askedFor('session.open')).toHaveLength(2);
    await second.close();
  });

  it('shows that the session has ended when the link was used before, and when the desktop ends it', async ({
    browser,
    desk,
    page,
  }) => {
    const other = await openPage(browser, `${desk.origin}/#key=used-before`);
    await other.page.getByText('svc desktop', { exact: true }).waitFor();
    await other.page.getByRole('heading', { name: 'This link was used, or is too old' }).waitFor();
    await other.page.context().close();
    desk.endSessions();
    await page.getByRole('link', { name: /^Apps/ }).click();
    await page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    await page.getByText(`svc desktop --store ${STORE}`, { exact: true }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('adds no pictures, scripts or forms from untrusted texts', async ({
    desk,
    page,
    visit,
    dialog,
    gone,
    pressEscape,
  }) => {
    await visit(`store/${NOTES}`, 'Field Notes');
    await page.getByRole('link', { name: 'Help', exact: true }).waitFor();
    const readme = page.locator('.text').first();
    expect(await readme.locator('script, form, input, [onerror]').count()).toBe(0);
    // Pictures of a README come from its store alone, whose addresses have no other meaning here.
    expect(await readme.locator(`img:not([src^="${STORE}/"])`).count()).toBe(0);
    expect(await readme.locator('a').count()).toBe(1);
    expect(await readme.innerText()).toContain('⟨U+202E⟩');
    desk.tell({ type: 'card', card: waiting('hostile', { ...CARDS.approval, title: HOSTILE }, HOSTILE) });
    await dialog().waitFor();
    // Icons and files have blob URLs, which only this page creates.
    expect(await dialog().locator('img:not([src^="blob:"]), script, form').count()).toBe(0);
    await pressEscape();
    await gone();
    expect(await page.title()).toBe('Store: svc desktop');
  });

  it('switches apps while the store is unreachable, and reconnects to the desktop by itself', async ({
    desk,
    state,
    page,
    visit,
    askedFor,
  }) => {
    desk.answers['store.search'] = () => {
      throw new RefusalError('store-unreachable', 'No.');
    };
    await page.getByLabel('Search apps').fill('x');
    await page.getByText('The store cannot be reached.').waitFor();
    await visit('apps', 'Apps');
    await page.getByRole('switch', { name: 'Ledger, in Garden' }).check();
    // The switch shows the new state before the desktop has the request.
    await expect
      .poll(() => askedFor('apps.switch'))
      .toEqual([{ appId: 'com.example.ledger', on: true, project: 'p1' }]);
    // The desktop fails until then, so that the message is visible on a busy machine too.
    const show = desk.answers['client.show'] ?? expect.fail();
    desk.answers['client.show'] = () => {
      throw new RefusalError('internal', 'No.');
    };
    desk.dropStreams();
    await page.getByText('Connection to svc desktop lost.').waitFor();
    desk.answers['client.show'] = show;
    state.apps = [
      app({ yanked: { reason: 'It leaked.', at: MANIFEST.version, comesBack: true }, on: false }),
    ];
    await page.getByText('Connection to svc desktop lost.').waitFor({ state: 'detached' });
    await page.getByText('This version was yanked: It leaked.').waitFor();
  });

  it('reports whether access was revoked, after an account is disconnected and after its app is removed', async ({
    page,
    visit,
  }) => {
    await visit(`apps/${NOTES}`, 'Field Notes');
    await page.getByRole('button', { name: 'Disconnect Example Notes' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Disconnect Example Notes' }).click();
    await page.getByText('The server did not revoke access').waitFor();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Account notes: Disconnected on this computer.').waitFor();
  });

  it('links to a sign-in page that the desktop could not open, but never to a javascript: URL', async ({
    desk,
    page,
    visit,
  }) => {
    const [notes, other] = [
      { appId: NOTES, app: 'Field Notes', accountId: 'notes', label: 'Example Notes', digits: null },
      { appId: NOTES, app: 'Field Notes', accountId: 'other', label: 'Other', digits: null },
    ];
    desk.answers['accounts.signIns'] = () => ({ signIns: [notes, other] });
    await visit('apps', 'Apps');
    desk.tell({ type: 'runtime', event: { type: 'sign-in-started', appId: NOTES, accountId: 'notes' } });
    const open = (url: string) => desk.tell({ type: 'open-page', appId: NOTES, accountId: 'notes', url });
    open('javascript:document.title="owned"');
    open(`${STORE}/authorize?x=1`);
    const link = page.getByRole('link', { name: 'Open sign-in page' });
    expect(await link.getAttribute('href')).toBe(`${STORE}/authorize?x=1`);
    // The other sign-in has no link.
    expect(await link.count()).toBe(1);
    open('javascript:document.title="owned"');
    await link.waitFor({ state: 'detached' });
  });

  it('reopens the page of a pending sign-in, and cancels the sign-in', async ({ desk, page, visit }) => {
    const notes = {
      ...{ appId: NOTES, app: 'Field Notes', accountId: 'notes', label: 'Example Notes' },
      digits: null as string | null,
    };
    const asked: unknown[] = [];
    let signIns = [notes];
    desk.answers['accounts.signIns'] = () => ({ signIns });
    desk.answers['accounts.reopen'] = (input) => {
      asked.push(input);
      return {};
    };
    desk.answers['accounts.cancel'] = (input) => {
      asked.push(input);
      signIns = [];
      desk.tell({ type: 'runtime', event: { type: 'sign-in-ended', appId: NOTES, accountId: 'notes' } });
      return {};
    };
    await visit('apps', 'Apps');
    desk.tell({ type: 'runtime', event: { type: 'sign-in-started', appId: NOTES, accountId: 'notes' } });
    await page.getByRole('button', { name: 'Reopen sign-in page' }).click();
    expect(await page.getByText('three digits').count()).toBe(0);
    signIns = [{ ...notes, digits: '042' }];
    const { appId, accountId } = notes;
    desk.tell({ type: 'runtime', event: { type: 'sign-in-digits', appId, accountId, digits: '042' } });
    await page.getByText('asks for three digits, type 042').waitFor();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await cancel.click();
    await cancel.waitFor({ state: 'detached' });
    expect(asked).toEqual(Array(2).fill({ appId: NOTES, accountId: 'notes' }));
  });

  const PAGES: readonly [string, string][] = [
    ...(
      ['store', 'apps', 'tools', 'panels', 'activity', 'updates', 'connectors', 'agents', 'settings'] as const
    ).map((name): [string, string] => [name, `${name[0]?.toUpperCase()}${name.slice(1)}`]),
    ['dev', 'Developer'],
    ['chat', 'Chat'],
    ['chat/c1', 'Chat'],
    // Former addresses of these pages.
    ['models', 'Settings'],
    ['projects', 'Settings'],
    ...SECTIONS.map((section): [string, string] => [`settings/${section}`, 'Settings']),
    [`store/${NOTES}`, 'Field Notes'],
    ...['accounts', 'settings', 'tools', 'about'].map((tab): [string, string] => [
      `apps/${NOTES}/${tab}`,
      'Field Notes',
    ]),
    ['apps/connector.mcp-example-com/content', 'mcp.example.com'],
    [`tools/${NOTES}/add_note`, 'Tools'],
  ];

  /** The serious axe violations of a page, and whether it is wider than its window. */
  async function seriousFaultsOf(page: Page, where: string): Promise<string[]> {
    const found = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await checker.run();
      const wide = document.documentElement.scrollWidth > innerWidth ? ['serious: too wide'] : [];
      return [...wide, ...violations.map(({ id, impact, nodes }) => `${impact}: ${id} ${nodes[0]?.html}`)];
    });
    return found.filter((line) => /^(serious|critical)/.test(line)).map((line) => `${where}: ${line}`);
  }

  /** How wide a page is beyond its window, what moves on it, and whether what is current looks like the rest. */
  const SIGHT = `(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    const moving = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime > 1);
    const look = (node) => ['color', 'backgroundColor', 'outlineStyle', 'borderColor'].map((name) => getComputedStyle(node)[name]).join();
    const current = document.querySelector('nav [aria-current]');
    const other = document.querySelector('nav a:not([aria-current])');
    return [
      ...(over > 0 ? ['too wide by ' + over] : []),
      ...moving.map((one) => 'moves: ' + one.effect.target?.className),
      ...(current && other && look(current) === look(other) ? ['what is current does not show'] : []),
    ];
  })()`;

  it(
    'fits its window at 200 %, shows what is current in forced colours, and moves nothing where that is asked',
    DEEP,
    async ({ page, desk }) => {
      // A window of 1280 by 800 at 200 %.
      await page.setViewportSize({ width: 640, height: 400 });
      await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
      const found: string[] = [];
      for (const [hash, heading] of PAGES) {
        await visit(page, desk.origin, hash, heading);
        const faults = await page.evaluate<string[]>(SIGHT);
        found.push(...faults.map((fault) => `${hash}: ${fault}`));
      }
      expect(found).toEqual([]);
    },
  );

  for (const [colorScheme] of SCHEMES)
    it(`has no serious axe violations on any page, in ${colorScheme}`, DEEP, async ({ enter, desk }) => {
      const viewport = { width: colorScheme === 'dark' ? 390 : 1280, height: 800 };
      const { page, incidents } = await enter({ colorScheme, viewport, bypassCSP: true });
      await page.addScriptTag({ content: axe.source });
      const found: string[] = [];
      for (const [hash, heading] of PAGES) {
        await visit(page, desk.origin, hash, heading);
        found.push(...(await seriousFaultsOf(page, hash)));
      }
      for (const [kind, card] of Object.entries(CARDS)) {
        desk.tell({ type: 'card', card: waiting(`${kind}-${colorScheme}`, card) });
        // The button that agrees is enabled once the card was in view; a question first wants its answers.
        await page.getByRole('dialog').locator('.buttons [aria-disabled="false"]').waitFor();
        found.push(...(await seriousFaultsOf(page, kind)));
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(found).toEqual([]);
      incidents.length = 0;
    });
});
