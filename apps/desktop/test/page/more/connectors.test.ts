import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it } from '../support/page-test.ts';
import { app, CARDS, entry, waiting } from '../support/sample-data.ts';

describe('local connectors, in a real browser', NEEDS_BROWSER, () => {
  it('are added after a card that shows each argument separately, in quotes', async ({
    desk,
    page,
    visit,
    askedFor,
    dialog,
    gone,
  }) => {
    const { promise: agreed, resolve: agree } = Promise.withResolvers<void>();
    desk.answers['connectors.addLocal'] = async () => {
      desk.tell({ type: 'card', card: waiting('card-1', CARDS.local) });
      await agreed;
      return { app: app() };
    };
    desk.answers['cards.answer'] = () => {
      agree();
      return {};
    };
    await visit('connectors', 'Connectors');
    await page.getByRole('textbox', { name: 'Program' }).fill('npx');
    await page.getByLabel('Arguments').fill('-y\nnotes "server"\na b\n');
    await page.getByLabel('Environment variables').fill(' NOTES_TOKEN ');
    await page.getByRole('button', { name: 'Add program' }).click();
    await dialog().getByRole('heading', { name: 'Run Notes on this computer?' }).waitFor();
    await dialog().getByText('The program runs as you').waitFor();
    expect(await dialog().locator('ol code').allTextContents()).toEqual([
      '"-y"',
      '"notes \\"server\\""',
      '"a b"',
      '""',
    ]);
    for (const shown of ['"/usr/bin/npx"', '"/home/anna"', 'HOME, PATH, NOTES_TOKEN']) {
      await dialog().getByText(shown, { exact: true }).waitFor();
    }
    await dialog().getByRole('button', { name: 'Run' }).click();
    await gone();
    await page.getByText('Field Notes was added.').waitFor();
    expect(askedFor('connectors.addLocal')).toEqual([
      { command: 'npx', args: ['-y', 'notes "server"', 'a b'], variables: ['NOTES_TOKEN'] },
    ]);
    expect(askedFor('cards.answer')).toEqual([
      { cardId: 'card-1', answer: { accepted: true, binding: 'local-binding' } },
    ]);
  });

  it('offers apps of the store, without those that are installed', async ({
    desk,
    page,
    visit,
    startWith,
  }) => {
    const all = [entry('Field Notes', 1), entry('Zither', 2)];
    desk.answers['store.search'] = ({ featured }: { featured?: string }) => {
      const found = featured === undefined ? all : [];
      return { apps: found, nextCursor: null, total: found.length };
    };
    await startWith({ apps: [app({ appId: all[0]?.appId ?? '' })] });
    await visit('connectors', 'Connectors');
    await page.getByText('No connectors yet').waitFor();
    const apps = page.getByRole('region', { name: 'Apps to begin with' });
    await apps.getByRole('link', { name: /Zither/ }).waitFor();
    expect(await apps.locator('strong').allInnerTexts()).toEqual(['Zither']);
    await apps.getByRole('link', { name: 'Browse all' }).click();
    await page.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
  });

  it('ask before they connect to a server on the network, and warn that it is not encrypted', async ({
    startWith,
    dialog,
    askedFor,
    gone,
    pressEscape,
  }) => {
    const access = {
      kind: 'address',
      url: 'http://nas.local:3000/mcp',
      host: 'nas.local:3000',
      addresses: ['192.168.1.5', '192.168.1.6'],
      place: 'local-network',
      isEncrypted: false,
    } as const;
    await startWith({ cards: [waiting('card-1', { ...CARDS.local, access })] });
    await dialog().getByRole('heading', { name: 'Connect to nas.local:3000 on your network?' }).waitFor();
    await dialog().getByText('Other devices on the network can read and change').waitFor();
    expect(await dialog().locator('ol code').allTextContents()).toEqual(['"192.168.1.5"', '"192.168.1.6"']);
    await pressEscape();
    await gone();
    expect(askedFor('cards.answer')).toEqual([{ cardId: 'card-1', answer: { accepted: false } }]);
  });

  it('show why one was refused, and how to enable them', async ({ desk, page, visit, askedFor }) => {
    desk.answers['connectors.addLocal'] = () => {
      throw new RefusalError('address-refused', 'This is no address of this machine or the local network.');
    };
    await visit('connectors', 'Connectors');
    await page.getByLabel('MCP server URL').fill('http://example.com/mcp');
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByText('This is no address of this machine or the local network.').waitFor();
    const show = desk.answers['client.show'];
    desk.answers['client.show'] = async () => {
      if (!show) throw new Error('There is no answer.');
      return { ...(await show({})), localConnectors: false };
    };
    await page.reload();
    await page.getByText('A program of a connector runs as you').waitFor();
    expect(await page.getByRole('button', { name: 'Add program' }).count()).toBe(0);
    desk.answers['connectors.allowLocal'] = () => {
      if (show) desk.answers['client.show'] = show;
      return {};
    };
    await page.getByRole('switch', { name: 'Allow programs' }).click();
    await page.getByRole('button', { name: 'Add program' }).waitFor();
    expect(askedFor('connectors.allowLocal')).toEqual([{ on: true }]);
  });

  it('are added with a header that is not shown again, and sign in from the same form', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const account = { id: 'server', label: 'mcp.example.com', auth: 'mcp' as const, scopes: [] };
    const added = app();
    desk.answers['connectors.add'] = () => ({
      app: { ...added, manifest: { ...added.manifest, accounts: [account] } },
    });
    desk.answers['accounts.connect'] = () => ({});
    await visit('connectors', 'Connectors');
    await page.getByLabel('MCP server URL').fill('https://mcp.example.com/mcp');
    await page.getByText('Send a header').click();
    await page.getByLabel('Header name').fill(' X-Api-Key ');
    expect(await page.getByLabel('Header value').getAttribute('type')).toBe('password');
    await page.getByLabel('Header value').fill('the-secret');
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByText('Field Notes was added.').waitFor();
    expect(await page.getByLabel('Header value').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Connect mcp.example.com' }).click();
    await expect.poll(() => askedFor('accounts.connect')).toHaveLength(1);
    expect(askedFor('connectors.add')).toEqual([
      { url: 'https://mcp.example.com/mcp', headers: { 'X-Api-Key': 'the-secret' } },
    ]);
  });

  it('are read from the JSON of another client, which says what it leaves out', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    desk.answers['connectors.add'] = () => ({ app: app() });
    desk.answers['connectors.addLocal'] = () => ({ app: app() });
    await visit('connectors', 'Connectors');
    const field = page.getByLabel('mcpServers JSON of another client');
    await field.fill('{ no JSON');
    await page.getByText('This is not the JSON of MCP servers.').waitFor();
    const mcpServers = {
      remote: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer secret' } },
      files: { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'secret' }, disabled: false },
      other: { docker: true },
    };
    await field.fill(JSON.stringify({ mcpServers }));
    await page.getByText('https://mcp.example.com/mcp, header Authorization').waitFor();
    await page.getByText('Values of TOKEN:').waitFor();
    await page.getByText('disabled: a setting of the other client.').waitFor();
    await page.getByText('It has no url and no command.').waitFor();
    for (const name of ['remote', 'files']) {
      await page.getByRole('button', { name: `Add ${name}` }).click();
      await page
        .getByRole('button', { name: `Add ${name}` })
        .and(page.getByText('Added'))
        .waitFor();
    }
    expect(await page.getByRole('button', { name: 'Add other' }).count()).toBe(0);
    expect(askedFor('connectors.add')).toEqual([
      { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer secret' } },
    ]);
    expect(askedFor('connectors.addLocal')).toEqual([
      { command: 'npx', args: ['-y', 'server'], name: 'files', variables: ['TOKEN'] },
    ]);
  });

  it('show at once that their server does not respond, and try again', async ({ desk, page, visit }) => {
    const source = { kind: 'connector' as const, url: 'https://mcp.example.com/mcp' };
    let serverFault: string | null = null;
    desk.answers['apps.list'] = () => ({ apps: [{ ...app(), source, serverFault }] });
    desk.answers['tools.list'] = () => ({ tools: [], repairs: [], fault: null });
    await visit('connectors', 'Connectors');
    await page.getByRole('link', { name: 'Field Notes' }).waitFor();
    serverFault = 'The program of the connector has ended.';
    desk.tell({ type: 'runtime', event: { type: 'server-lost', appId: app().appId, reason: serverFault } });
    await page.getByText('Does not respond: The program of the connector has ended.').waitFor();
    // The page also asks on its own: only the answer to the button may end the fault, or there is nothing to press.
    const isAsked = page.getByRole('button', { name: 'Retry Field Notes' }).click();
    desk.answers['tools.list'] = async () => {
      await isAsked;
      serverFault = null;
      return { tools: [], repairs: [], fault: null };
    };
    await isAsked;
    await expect.poll(() => page.getByText('Does not respond').count()).toBe(0);
  });
});
