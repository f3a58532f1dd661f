import { expect, it } from 'vitest';
import { connectCard } from '../../src/cards/connect-card.ts';
import { panelApp } from '../support/panel-app.ts';

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
