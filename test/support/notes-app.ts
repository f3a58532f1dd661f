import type { Manifest } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { serveSites } from '../../packages/runtime/test/support/internet.ts';
import { behindSignIn } from '../../packages/runtime/test/support/mcp-guard.ts';
import { type Exchange, serveMcp, text } from '../../packages/runtime/test/support/mcp-server.ts';
import { oidcServer } from '../../packages/runtime/test/support/oidc-server.ts';
import { startFilledStore } from './filled-store.ts';

export const APP = 'com.example.notes';
/** Tools: one asks the user, takes a picture and returns one; one only reads; one never ends. Also an account and a panel. */
const MANIFEST: Partial<Manifest> = {
  contributes: {
    tools: [
      {
        id: 'attach',
        name: 'Attach',
        description: 'Attaches pictures.',
        account: 'notes',
        confirm: { title: 'Attach {{count}} picture?' },
        files: { picture: { accept: ['image/png'], prepare: { op: 'convert', format: 'png' } } },
      },
      { id: 'read', name: 'Read', description: 'Reads the notes.', account: 'notes' },
      { id: 'wait', name: 'Wait', description: 'Waits for news.', account: 'notes' },
    ],
    panels: [{ id: 'main', title: 'Notes', component: 'webview' }],
  },
  accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: ['notes:read'] }],
  grants: ['files:receive', 'files:return', 'host:media', 'project:write'],
};

/** The app in a real store, and the actions of automation. */
export async function startStore() {
  const { url, automation, program } = await startFilledStore();
  return {
    url,
    async publish(changes: Partial<Manifest>, files: Record<string, string> = {}) {
      const page = '<!doctype html><title>Notes</title>';
      const bundle = sampleBundle({ ...MANIFEST, ...changes }, { 'ui/index.html': page, ...files });
      await automation.publish(bundle);
    },
    /** Ends the store. */
    async stop() {
      program.child.kill();
      await program.exit;
    },
    yank: (version: string) => automation.yank({ appId: APP, version }, 'It lost notes.'),
  };
}

/** An authorization server and the app's MCP server behind it, on fake hosts. */
export async function startServers() {
  const site = await serveSites(['mcp.example.com', 'login.example.com']);
  const oidc = await oidcServer(site.at('login.example.com'));
  const attached: { picture?: { mimeType: string; data: string } }[] = [];
  const waiting: Exchange[] = [];
  const mcp = await serveMcp(
    (exchange) => {
      if (exchange.message.params.name === 'wait') {
        waiting.push(exchange);
        return;
      }
      if (exchange.message.params.name === 'read') {
        return text(`Read by ${exchange.request.headers.authorization}.`);
      }
      const args = exchange.message.params.arguments as (typeof attached)[number];
      attached.push(args);
      const { authorization } = exchange.request.headers;
      const image = { type: 'image', data: args.picture?.data, mimeType: 'image/png' };
      return {
        content: [...(text(`Attached by ${authorization}.`) as { content: object[] }).content, image],
      };
    },
    {
      tools: [{ name: 'attach' }, { name: 'read' }, { name: 'wait' }],
      serve: (listener) =>
        site.at('mcp.example.com')(
          behindSignIn(oidc.issuer, async (token) => Boolean(await oidc.find(token)), listener),
        ),
    },
  );
  return { connecting: site.connecting, oidc, mcp, attached, waiting };
}
