import { expect, it } from 'vitest';
import { askToConnect, connectCard } from '../../src/cards/ask-to-connect.ts';
import type { Card } from '../../src/index.ts';
import { panelApp } from '../support/panel-app.ts';
import { signInWorld } from '../support/sign-in-world.ts';

const account = {
  id: 'notes',
  label: 'Notes',
  authorizeUrl: 'https://login.example.test/authorize',
  tokenUrl: 'https://tokens.example.test/token',
  clientId: 'client',
  scopes: ['read'],
};

it('names the host that issues the tokens where it is another one, in what the answer is bound to', () => {
  const card = connectCard(panelApp({ accounts: [account] }), 'notes');
  expect(card).toMatchObject({ host: 'login.example.test', tokenHost: 'tokens.example.test' });
  const same = { ...account, tokenUrl: 'https://login.example.test/token' };
  const other = connectCard(panelApp({ accounts: [same] }), 'notes');
  expect(other).not.toHaveProperty('tokenHost');
  expect(other.binding).not.toBe(card.binding);
  // A discovered server may change between the card and the sign-in: no host of the manifest is shown for it.
  const discovered = { id: 'notes', label: 'Notes', auth: 'mcp' as const, scopes: [] };
  expect(connectCard(panelApp({ accounts: [discovered] }), 'notes')).not.toHaveProperty('tokenHost');
});

/** Asks to connect the account of a world, and accepts. @returns the cards that were shown */
async function asked(world: Awaited<ReturnType<typeof signInWorld>>, scopes: readonly string[] = []) {
  const cards: Card[] = [];
  const ask = async (card: Card) => {
    cards.push(card);
    return { accepted: true as const, binding: card.binding };
  };
  const { accounts, app } = world;
  const asking = askToConnect({ ask, accounts }, app, 'main', { scopes }, new AbortController().signal);
  const outcome = await asking.catch((error) => error);
  return { outcome, cards };
}

it('refuses scopes that the manifest does not declare before any card, and names them', async () => {
  const world = await signInWorld({ scopes: ['notes:read'], scope: 'notes:read notes:write' });
  const { outcome, cards } = await asked(world, ['notes:read', 'notes:write']);
  expect(outcome).toMatchObject({
    code: 'scope-refused',
    detail: { scopes: ['notes:write'] },
    message: expect.stringContaining('notes:write'),
  });
  expect(cards).toEqual([]);
  expect(world.accounts.opened).toEqual([]);
});

it('shows the scopes that an account without scopes of its own will ask for', async () => {
  const world = await signInWorld({ scopes: [], scope: 'notes:read' });
  const first = await asked(world);
  expect(first).toMatchObject({
    outcome: 'connected',
    cards: [{ kind: 'connect', account: { scopes: ['notes:read', 'offline_access'] } }],
  });
  // A step-up shows what was asked before and what is added.
  const { cards } = await asked(world, ['notes:write']);
  expect(cards).toMatchObject([
    { account: { scopes: expect.arrayContaining(['notes:read', 'notes:write']) } },
  ]);
  const sent = world.accounts.opened.map(({ searchParams }) => searchParams.get('scope')?.split(' ').sort());
  expect(sent).toEqual([
    ['notes:read', 'offline_access'],
    ['notes:read', 'notes:write', 'offline_access'],
  ]);
});
