import { preApprovalKey } from '@svc/runtime/parts';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { APP, CLEAR, connectAgent, openWorld, TOOLS, textOf } from './support/gateway-world.ts';

/** Accepts or declines in the agent's dialog. */
const dialog = (answer: object, asked: { message: string }[] = []) => ({
  asked,
  capabilities: { elicitation: {} },
  prepare: (client: Parameters<NonNullable<NonNullable<Parameters<typeof connectAgent>[1]>['prepare']>>[0]) =>
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      return answer as { action: 'accept' };
    }),
});

describe('the gateway', () => {
  it('requests approval through the agent for exactly the sent data, and accepts nothing else', async () => {
    const {
      agent: to,
      prompts,
      mcp,
    } = await openWorld({ play: () => text('Cleared.'), server: { tools: TOOLS } });
    const yes = dialog({ action: 'accept', content: { approve: true } });
    const agent = await connectAgent(to, yes);
    const args = { scope: 'all\nFile: nothing\u202e' };
    expect(textOf(await agent.callTool({ name: CLEAR, arguments: args }))).toBe('Cleared.');
    expect(yes.asked[0]?.message).toContain('Remove all notes?');
    expect(yes.asked[0]?.message).toContain('|   "scope": "all\\nFile: nothing\\u202e"');
    const calls = mcp.headersOf('tools/call').length;
    const no = await connectAgent(to, dialog({ action: 'decline' }));
    const refused = textOf(await no.callTool({ name: CLEAR, arguments: {} }));
    // A program without a user may have declined for them.
    expect(refused).toMatch(
      /The dialog of claude-code declined\. If the user was not asked there.*Approvals/,
    );
    expect(refused).not.toContain('The user declined');
    expect(mcp.headersOf('tools/call')).toHaveLength(calls);
    expect(prompts.waiting()).toEqual([]);
  });

  it.each([
    { action: 'cancel' },
    { action: 'accept', content: { approve: false } },
    { action: 'accept', content: {} },
  ])(
    'asks on the page when the dialog of the agent ends without a decision (%j), and says how to allow it beforehand',
    async (undecided) => {
      const { agent: to, prompts, mcp } = await openWorld({ server: { tools: TOOLS }, shortWaits: true });
      const headless = dialog(undecided);
      const agent = await connectAgent(to, headless);
      const calling = agent.callTool({ name: CLEAR, arguments: {} });
      await eventually(() => expect(prompts.waiting()).toMatchObject([{ card: { kind: 'approval' } }]));
      const said = textOf(await calling);
      expect(said).toMatch(/has not answered.*Nothing was done.*Settings under Approvals/);
      expect(headless.asked).toHaveLength(1);
      expect(mcp.headersOf('tools/call')).toHaveLength(0);
      await eventually(() => expect(prompts.waiting()).toEqual([]));
    },
  );

  it('asks nothing about a tool that the user allowed for the agent in the project, until its app changes it', async () => {
    const world = await openWorld({ play: () => text('Cleared.'), server: { tools: TOOLS } });
    const { agent: to, desktop, runtime, prompts } = world;
    const app = runtime.library.get(APP);
    const tool = app?.manifest.contributes.tools?.find(({ id }) => id === 'clear');
    const key = app && tool ? preApprovalKey(app, tool) : null;
    const project = desktop.settings.projects().find(({ name }) => name === 'First');
    const allowed = { agent: 'claude-code', project: project?.id ?? '', appId: APP, tool: 'clear' } as const;
    await desktop.agentSettings.preApprove(allowed, key ?? '');
    const never = dialog({ action: 'decline' });
    const call = async () =>
      textOf(await (await connectAgent(to, never)).callTool({ name: CLEAR, arguments: {} }));
    expect(await call()).toBe('Cleared.');
    expect([never.asked, prompts.waiting()]).toEqual([[], []]);
    await desktop.agentSettings.preApprove(allowed, 'what the tool was before an update');
    expect(await call()).toContain('declined');
    await desktop.agentSettings.preApprove({ ...allowed, project: 'another' }, key ?? '');
    await desktop.agentSettings.revokePreApproval(allowed);
    expect(await call()).toContain('declined');
  });

  it('asks on the page when the agent cannot show the dialog', async () => {
    const { agent: to, prompts } = await openWorld({
      play: () => text('Cleared.'),
      server: { tools: TOOLS },
    });
    const answered = async (agent: Awaited<ReturnType<typeof connectAgent>>, args = {}) => {
      const progress: string[] = [];
      const onprogress = ({ message = '' }) => void progress.push(message);
      const calling = agent.callTool({ name: CLEAR, arguments: args }, { onprogress });
      const [waiting] = await eventually(() => {
        expect(prompts.waiting()).toHaveLength(1);
        return prompts.waiting();
      });
      expect(waiting).toMatchObject({ asker: 'claude-code', card: { kind: 'approval' } });
      await eventually(() => expect(progress[0]).toContain('asks the user on the desktop page'));
      const binding = waiting && 'binding' in waiting.card ? waiting.card.binding : '';
      prompts.answer(waiting?.id ?? '', { accepted: true, binding });
      return textOf(await calling);
    };
    expect(await answered(await connectAgent(to))).toBe('Cleared.');
    const liar = dialog({ action: 'accept', content: { approve: true } });
    const agent = await connectAgent(to, liar);
    expect(await answered(agent, { long: 'x'.repeat(5_000) })).toBe('Cleared.');
    expect(liar.asked).toEqual([]);
    const strict = await openWorld({
      play: () => text('Cleared.'),
      server: { tools: TOOLS },
      gateway: { approvals: 'page' },
    });
    const silenced = await connectAgent(strict.agent, liar);
    const calling = silenced.callTool({ name: CLEAR, arguments: {} });
    await eventually(() => expect(strict.prompts.waiting()).toHaveLength(1));
    strict.prompts.answer(strict.prompts.waiting()[0]?.id ?? '', { accepted: false });
    expect(textOf(await calling)).toContain('declined');
    expect(liar.asked).toEqual([]);
  });

  it('connects an account through a URL that the agent opens, or on the page, and never shows a token', async () => {
    const {
      agent: to,
      prompts,
      oidc,
      mcp,
      runtime,
    } = await openWorld({
      play: ({ request }) => text(`Heard ${request.headers.authorization}.`),
      server: { tools: [{ name: 'mine' }], signIn: true },
      apps: [
        {
          contributes: { tools: [{ id: 'mine', name: 'Mine', description: 'Needs it.', account: 'notes' }] },
          accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: ['notes:read'] }],
        },
      ],
    });
    const MINE = 'com_example_notes__mine';
    const opened: { url: string }[] = [];
    const agent = await connectAgent(to, {
      capabilities: { elicitation: { url: {} } },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          opened.push(params as { url: string });
          return { action: 'accept' as const };
        }),
    });
    const calling = agent.callTool({ name: MINE, arguments: {} });
    const link = await eventually(() => opened[0]?.url ?? expect.fail());
    // Opening the link is not an approval, and neither is a form of another site.
    const page = await fetch(link);
    const said = await page.text();
    for (const words of [
      'wants to use your account Notes',
      'Publisher: ',
      'In the words of the app. svc does not check them.',
    ])
      expect(said).toContain(words);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const post = (headers: Record<string, string>) =>
      fetch(link, { method: 'POST', headers, body: new URLSearchParams({ answer: 'yes' }) });
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect(oidc?.tokenRequests).toEqual([]);
    expect((await post({})).status).toBe(200);
    const result = textOf(await calling);
    expect(result).toMatch(/^Heard Bearer \[.+\]\.$/);
    const [{ authorization = '' } = {}] = mcp.headersOf('tools/call');
    expect(authorization.length).toBeGreaterThan(20);
    expect(result).not.toContain(authorization.slice('Bearer '.length));
    expect((await post({})).status).toBe(404);

    const app = runtime.library.get(APP);
    if (app) await runtime.accounts.disconnect(app, 'notes');
    const plain = await connectAgent(to);
    const connecting = plain.callTool({
      name: 'connect_account',
      arguments: { app: APP, account: 'notes' },
    });
    await eventually(() => expect(prompts.waiting()).toMatchObject([{ card: { kind: 'connect' } }]));
    prompts.answer(prompts.waiting()[0]?.id ?? '', { accepted: true });
    expect(textOf(await connecting)).toContain('connected');
    expect(JSON.parse(textOf(await plain.callTool({ name: 'list_apps' }))).apps).toMatchObject([
      { app: APP, accounts: [{ id: 'notes', connected: true }] },
    ]);
  });

  /** A world whose user loses the page of a sign-in, and an agent whose client opens links. */
  async function withLostPage() {
    const world = await openWorld({
      play: () => text('Done.'),
      server: { tools: [{ name: 'mine' }], signIn: true },
      apps: [
        {
          contributes: { tools: [{ id: 'mine', name: 'Mine', description: 'Needs it.', account: 'notes' }] },
          accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: ['notes:read'] }],
        },
      ],
      lostPages: 1,
    });
    const links: string[] = [];
    const agent = await connectAgent(world.agent, {
      capabilities: { elicitation: { url: {} } },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          links.push((params as { url: string }).url);
          return { action: 'accept' as const };
        }),
    });
    const calling = agent.callTool({ name: 'com_example_notes__mine', arguments: {} });
    const link = await eventually(() => links[0] ?? expect.fail());
    const post = async (answer: string, headers: Record<string, string> = {}) => {
      const response = await fetch(link, { method: 'POST', headers, body: new URLSearchParams({ answer }) });
      return { status: response.status, page: await response.text() };
    };
    const agreed = await post('yes');
    expect(agreed.page).toContain('Reopen sign-in page');
    await eventually(() => expect(world.opens()).toBe(1));
    return { ...world, calling, link, links, post };
  }

  it('opens a sign-in again from the link that was answered, and no longer when it is over', async () => {
    const { calling, link, links, post, opens } = await withLostPage();
    expect(await (await fetch(link)).text()).toContain('A sign-in is in progress.');
    expect((await post('yes', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post('perhaps')).status).toBe(400);
    expect(opens()).toBe(1);
    expect((await post('yes')).status).toBe(200);
    expect(textOf(await calling)).toBe('Done.');
    expect([opens(), links.length]).toEqual([2, 1]);
    expect((await fetch(link)).status).toBe(404);
  });

  it('cancels a sign-in from the link that was answered', async () => {
    const { calling, link, post, runtime } = await withLostPage();
    expect((await post('no')).page).toContain('Nothing was connected.');
    expect(textOf(await calling)).toContain('cancelled');
    expect((await fetch(link)).status).toBe(404);
    expect(await runtime.accounts.list(APP)).toMatchObject([{ connected: false, signingIn: false }]);
  });
});
