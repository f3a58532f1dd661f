import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BROWSER, openBrowser, openPage } from './support/browser.ts';
import { type FakeDesktop, openFakeDesktop, Refusal } from './support/fake-desktop.ts';
import { manyApps, sampleAnswers } from './support/sample-answers.ts';
import { app, CARDS, HOSTILE, MANIFEST, STORE, sheet, WIDENED, waiting } from './support/sample-data.ts';

const NOTES = 'com.example.notes';

describe.skipIf(BROWSER === undefined)('the page of the desktop, in a real browser', () => {
  let browser: Browser;
  let desk: FakeDesktop;
  let page: Page;
  let incidents: string[];
  const state = { apps: manyApps(), cards: [] as ReturnType<typeof waiting>[], connected: true };

  beforeAll(async () => {
    [browser, desk] = await Promise.all([openBrowser(), openFakeDesktop({})]);
  });
  afterAll(async () => {
    await browser?.close();
    await desk?.close();
  });
  beforeEach(async () => {
    Object.assign(state, { apps: manyApps(), cards: [], connected: true });
    Object.assign(desk.answers, sampleAnswers(state));
    desk.asked.length = 0;
    desk.dropStreams();
    ({ page, incidents } = await openPage(browser, desk.link()));
    page.setDefaultTimeout(10_000);
    await ready();
  });
  afterEach(async () => {
    await page.context().close();
    await expect.poll(() => desk.following()).toBe(0);
    expect(incidents).toEqual([]);
  });

  /** Waits until the page is there, and follows what happens. */
  const ready = async () => {
    await page.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
    await expect.poll(() => desk.following()).toBe(1);
  };
  /** Opens the page anew, on a desktop on which things stand otherwise. */
  const startWith = async (changes: Partial<typeof state>) => {
    Object.assign(state, changes);
    await page.reload();
    await ready();
  };
  const visit = async (hash: string, heading: string) => {
    await page.goto(`${desk.origin}/#/${hash}`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };
  const askedFor = (name: string) => desk.asked.filter((one) => one.name === name).map(({ input }) => input);
  const dialog = () => page.getByRole('dialog');
  const gone = () => dialog().waitFor({ state: 'detached' });

  it('keeps no key in the address, and stays open when it is loaded again', async () => {
    expect(page.url()).not.toContain('key=');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.reload();
    await page.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
    expect(askedFor('session.open')).toHaveLength(1);
  });

  it('says what to do when the link was used, and when the session ends', async () => {
    const other = await openPage(browser, `${desk.origin}/#key=used-before`);
    await other.page.getByText('svc desktop', { exact: true }).waitFor();
    await other.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    await other.page.context().close();
    desk.endSessions();
    await page.getByRole('link', { name: 'Apps', exact: true }).click();
    await page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('finds an app, shows all that it reaches, installs it and offers its account at once', async () => {
    await startWith({ apps: [], connected: false });
    await page.getByLabel('Search apps').fill('field');
    await page.getByText('1 app', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Field Notes' }).click();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await dialog().getByText('runs without asking').waitFor();
    const said = await dialog().innerText();
    for (const words of [
      'Reads the notes',
      '*.notes.example.com',
      'notes.read',
      '1.0 MiB each',
      'missing',
      '47.1 KiB',
      'ab'.repeat(32),
      'key-2026',
    ]) {
      expect(said).toContain(words);
    }
    await dialog().getByRole('button', { name: 'Install' }).click();
    await dialog().getByRole('button', { name: 'Connect Example Notes' }).click();
    await dialog().getByText('Example Notes: connected').waitFor();
    expect(askedFor('store.install')).toEqual([
      { sheetId: 's1', answer: { accepted: true, binding: 'sheet-binding' } },
    ]);
    expect(askedFor('accounts.connect')).toEqual([{ appId: NOTES, accountId: 'notes' }]);
    await dialog().getByRole('link', { name: 'Open the app' }).click();
    await page.getByRole('heading', { name: 'Field Notes', level: 1 }).waitFor();
  });

  it('shows an update against what was agreed to, and installs nothing that is declined', async () => {
    await startWith({ apps: [app({ version: '1.1.0' })] });
    desk.answers['store.prepare'] = () => ({
      sheetId: 's2',
      sheet: sheet({ widened: WIDENED, replaces: '1.1.0' }),
    });
    await visit(`store/${NOTES}`, 'Field Notes');
    await page.getByRole('button', { name: 'Update to 1.2.0' }).click();
    await dialog().getByText('Update Field Notes from 1.1.0 to 1.2.0?').waitFor();
    expect(await dialog().locator('.wider').allInnerTexts()).toHaveLength(4);
    expect(await dialog().locator('.narrower').innerText()).toContain('old.example.com');
    await page.keyboard.press('Escape');
    await gone();
    expect(askedFor('store.install')).toEqual([]);
  });

  it('makes nothing but text of what strangers wrote', async () => {
    await visit(`store/${NOTES}`, 'Field Notes');
    await page.getByRole('link', { name: 'Help', exact: true }).waitFor();
    const readme = page.locator('.prose').first();
    expect(await readme.locator('img, script, form, input, [onerror]').count()).toBe(0);
    expect(await readme.locator('a').count()).toBe(1);
    expect(await readme.innerText()).toContain('⟨U+202E⟩');
    desk.tell({ type: 'card', card: waiting('hostile', { ...CARDS.approval, title: HOSTILE }, HOSTILE) });
    await dialog().waitFor();
    expect(await dialog().locator('img, script, form').count()).toBe(0);
    await page.keyboard.press('Escape');
    await gone();
    expect(await page.title()).toBe('Store: svc desktop');
  });

  it('runs a tool with a file behind a card, which is answered by keyboard with what it is bound to', async () => {
    const { promise: approved, resolve: approve } = Promise.withResolvers<void>();
    const answerCall = desk.answers['tools.call'];
    desk.answers['tools.call'] = async (input) => {
      desk.tell({
        type: 'call-progress',
        callId: input.callId,
        progress: { progress: 1, total: 4, message: 'Sending' },
      });
      desk.tell({ type: 'card', card: waiting('card-1', CARDS.approval) });
      await approved;
      if (!answerCall) throw new Error('There is no answer.');
      return answerCall(input);
    };
    desk.answers['cards.answer'] = () => {
      approve();
      return {};
    };
    await visit(`tools/${NOTES}/add_note`, 'Tools');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Fill this in.').waitFor();
    await page.getByLabel('Title').fill('Leaf');
    await page
      .getByLabel('pictures')
      .setInputFiles({ name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(1_048_577) });
    await page.getByText('big.png is larger than 1.0 MiB.').waitFor();
    await page
      .getByLabel('pictures')
      .setInputFiles({ name: 'leaf.txt', mimeType: 'text/plain', buffer: Buffer.from('leaf') });
    await page.getByRole('button', { name: 'Run' }).click();
    await dialog().getByText('leaf.png').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    // Enter that was meant for something else answers nothing: the focus is on no button.
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Add it', disabled: false }).waitFor();
    await page.keyboard.press('Tab');
    while ((await page.evaluate(() => document.activeElement?.textContent)) !== 'Add it')
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The note is added.').waitFor();
    await gone();
    expect(askedFor('cards.answer')).toEqual([
      { cardId: 'card-1', answer: { accepted: true, binding: 'approval-binding' } },
    ]);
    const [call] = askedFor('tools.call') as { arguments: object; files: Record<string, string[]> }[];
    expect(call?.arguments).toEqual({ title: 'Leaf', stars: 3, tags: ['new'] });
    expect(call?.files.pictures?.map((id) => desk.uploads.get(id))).toEqual(['leaf']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('note.txt');
    await page.getByRole('button', { name: 'Save into the project' }).click();
    await page.getByText('Saved as note.txt.').waitFor();
  });

  it('asks one question after the other, takes Escape for a no, and asks nothing twice', async () => {
    await startWith({ cards: [waiting('a', CARDS.connect, 'Claude Code'), waiting('b', CARDS.save)] });
    await dialog().getByText('Claude Code asks, for Field Notes 1.2.0').waitFor();
    await dialog().getByText('1 more question after this').waitFor();
    await page.keyboard.press('Escape');
    await dialog().getByText('There is a file of this name already.').waitFor();
    desk.tell({ type: 'card', card: waiting('a', CARDS.connect, 'Claude Code') });
    desk.tell({ type: 'card-gone', cardId: 'b' });
    await gone();
    expect(askedFor('cards.answer')).toEqual([{ cardId: 'a', answer: { accepted: false } }]);
    desk.answers['cards.answer'] = () => {
      throw new Refusal('not_found', 'Nobody waits.', 404);
    };
    desk.tell({ type: 'card', card: waiting('late', CARDS.consent) });
    await dialog().getByRole('button', { name: 'Agree' }).click();
    await gone();
  });

  it('shows a panel in its frame, keeps it while other pages are looked at, and says why it was closed', async () => {
    let opened = 0;
    desk.answers['panels.open'] = () => {
      opened += 1;
      const frame = {
        address: `${desk.panelOrigin}/`,
        origin: desk.panelOrigin,
        sandbox: 'allow-scripts allow-same-origin',
      };
      return { panel: `panel-${opened}`, frame: { ...frame, title: 'Board' } };
    };
    await visit(`panels/${NOTES}/board`, 'Panels');
    await expect
      .poll(() => askedFor('panels.send').map((input) => (input as { text: string }).text))
      .toEqual(['message 1', 'message 2', 'message 3']);
    desk.tell({ type: 'panel-message', panel: 'panel-1', text: 'hello' });
    await page.frameLocator('iframe[title="Board"]').getByText('hello').waitFor();
    await page.getByRole('button', { name: 'Mine' }).click();
    await expect
      .poll(() => askedFor('panels.change').at(-1))
      .toMatchObject({ panel: 'panel-1', view: 'mine' });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect
      .poll(() => askedFor('panels.change').at(-1))
      .toMatchObject({ panel: 'panel-1', theme: 'dark' });
    await visit('apps', 'Apps');
    await visit(`panels/${NOTES}/board`, 'Panels');
    expect(opened).toBe(1);
    desk.tell({
      type: 'runtime',
      event: { type: 'developer-app-changed', appId: NOTES, folder: '/x', issues: 0 },
    });
    await expect.poll(() => opened).toBe(2);
    expect(askedFor('panels.close')).toContainEqual({ panel: 'panel-1', reason: 'gone' });
    await page.frameLocator('iframe[title="Board"]').getByText('waiting').waitFor();
    desk.tell({ type: 'panel-closed', panel: 'panel-2', reason: 'withdrawn' });
    await page.getByText('the store has withdrawn this version').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('hands over to a panel what the person picks, and nothing when they do not', async () => {
    desk.tell({ type: 'pick-files', pickId: 'p1', appId: NOTES, accept: ['image/*'], multiple: false });
    await dialog()
      .getByLabel('Files', { exact: true })
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('a') });
    await dialog().getByRole('button', { name: 'Hand over' }).click();
    await gone();
    desk.tell({ type: 'pick-files', pickId: 'p2', appId: NOTES, accept: [], multiple: true });
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await gone();
    const picked = askedFor('panels.picked') as { pickId: string; uploads: string[] }[];
    expect(picked.map(({ uploads }) => uploads.map((id) => desk.uploads.get(id)))).toEqual([['a'], []]);
  });

  it('goes on with what is on this machine while the store is away, and comes back by itself', async () => {
    desk.answers['store.search'] = () => {
      throw new Refusal('store-unreachable', 'No.');
    };
    await page.getByLabel('Search apps').fill('x');
    await page.getByText('The store cannot be reached.').waitFor();
    await visit('apps', 'Apps');
    await page.getByRole('switch', { name: 'Ledger, in Garden' }).check();
    expect(askedFor('apps.switch')).toEqual([{ appId: 'com.example.ledger', on: true, project: 'p1' }]);
    desk.dropStreams();
    await page.getByText('The connection to the desktop is lost.').waitFor();
    state.apps = [app({ withdrawn: { reason: 'It leaked.', at: MANIFEST.version }, on: false })];
    await page.getByText('The connection to the desktop is lost.').waitFor({ state: 'detached' });
    await page.getByText('Withdrawn by the store: It leaked.').waitFor();
  });

  it('says what became of the sign-ins of an app that is removed, and of one that is disconnected', async () => {
    await visit(`apps/${NOTES}`, 'Field Notes');
    await page.getByRole('button', { name: 'Disconnect Example Notes' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('The access was not taken back at the server').waitFor();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Account notes: Disconnected here.').waitFor();
  });

  it('leads to a sign-in that the desktop could not open, and never into itself', async () => {
    desk.tell({ type: 'open-page', url: 'javascript:document.title="owned"' });
    desk.tell({ type: 'open-page', url: `${STORE}/authorize?x=1` });
    const link = page.getByRole('link', { name: 'Open the sign-in' });
    expect(await link.getAttribute('href')).toBe(`${STORE}/authorize?x=1`);
    desk.tell({ type: 'open-page', url: 'javascript:document.title="owned"' });
    await link.waitFor({ state: 'detached' });
  });

  const PAGES: readonly [string, string][] = [
    ...(
      ['store', 'apps', 'tools', 'panels', 'activity', 'updates', 'connectors', 'agents', 'projects'] as const
    ).map((name): [string, string] => [name, `${name[0]?.toUpperCase()}${name.slice(1)}`]),
    ['dev', 'Developer'],
    [`store/${NOTES}`, 'Field Notes'],
    ...['accounts', 'settings', 'tools', 'about'].map((tab): [string, string] => [
      `apps/${NOTES}/${tab}`,
      'Field Notes',
    ]),
    [`tools/${NOTES}/add_note`, 'Tools'],
  ];

  /** What axe finds that is serious, and whether anything is wider than the screen. */
  async function looked(where: string): Promise<string[]> {
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

  it.each(['light', 'dark'] as const)(
    'has nothing serious for axe to find on any page, in %s',
    async (colorScheme) => {
      await page.context().close();
      const viewport = { width: colorScheme === 'dark' ? 390 : 1280, height: 800 };
      ({ page } = await openPage(browser, desk.link(), { colorScheme, viewport, bypassCSP: true }));
      await page.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
      await page.addScriptTag({ content: axe.source });
      const found: string[] = [];
      for (const [hash, heading] of PAGES) {
        await visit(hash, heading);
        found.push(...(await looked(hash)));
      }
      for (const [kind, card] of Object.entries(CARDS)) {
        desk.tell({ type: 'card', card: waiting(`${kind}-${colorScheme}`, card) });
        await dialog()
          .getByRole('button', { name: /^(Add it|Connect|Agree|Save)$/, disabled: false })
          .waitFor();
        found.push(...(await looked(kind)));
        await page.keyboard.press('Escape');
        await gone();
      }
      expect(found).toEqual([]);
      incidents = [];
    },
  );
});
