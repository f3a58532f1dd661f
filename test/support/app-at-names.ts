import type { IncomingMessage } from 'node:http';
import { createGuardedFetch } from '@svc/runtime/parts';
import { onTestFinished } from 'vitest';
import { serveSites } from '../../packages/runtime/test/support/internet.ts';
import { behindSignIn } from '../../packages/runtime/test/support/mcp-guard.ts';
import { serveMcp, text } from '../../packages/runtime/test/support/mcp-server.ts';
import { oidcServer } from '../../packages/runtime/test/support/oidc-server.ts';
import { realSystem } from '../../packages/runtime/test/support/real-system.ts';
import { storeWithRelay } from './gateway-world.ts';

/** The hosts of a store, of the server of its app, and of the sign-in there. */
export const HOSTS = ['store.example.com', 'mcp.example.com', 'login.example.com'];

/** A store, the server of an app and its sign-in, at names that only a test can reach. */
export async function openInternet() {
  const site = await serveSites(HOSTS);
  const store = await storeWithRelay();
  const stored: IncomingMessage[] = [];
  await site.at('store.example.com')(() => async (request, response) => {
    stored.push(request);
    const answer = await fetch(store.url + request.url, { redirect: 'manual' });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const oidc = await oidcServer(site.at('login.example.com'));
  const mcp = await serveMcp(() => text('Added.'), {
    tools: [{ name: 'add_note' }],
    serve: (listener) =>
      site.at('mcp.example.com')(
        behindSignIn(oidc.issuer, async (token) => Boolean(await oidc.find(token)), listener),
      ),
  });
  store.publish({
    accounts: [{ id: 'main', label: 'Notes', auth: 'mcp', scopes: [] }],
    contributes: {
      tools: [{ id: 'add_note', name: 'Add', description: 'Adds a note.', account: 'main' }],
    },
    remote: { mcpUrl: mcp.url, domains: ['mcp.example.com'] },
  });
  const outside = createGuardedFetch({
    ...{ system: realSystem, allowed: HOSTS, allowLoopback: true },
    connecting: site.connecting,
  });
  onTestFinished(() => outside.close());
  return { site, mcp, oidc, stored, outside };
}
