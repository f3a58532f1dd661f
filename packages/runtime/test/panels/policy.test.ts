import { describe, expect, it } from 'vitest';
import { developerFoldersOnly } from '../../src/library/loopback.ts';
import type { Loopback } from '../../src/network/connector.ts';
import { panelConnections, panelPolicy } from '../../src/panels/policy.ts';
import { panelApp } from '../support/panel-app.ts';

const FRAMES = ['http://frame-a.localhost:1', 'http://127.0.0.1:2'];
const panelOf = (app = panelApp(), loopback: Loopback = developerFoldersOnly(app)) => ({ app, loopback });
const directives = (app = panelApp(), loopback?: Loopback) =>
  new Map(
    panelPolicy(panelOf(app, loopback), FRAMES)
      .split('; ')
      .map((text): [string, string] => [text.split(' ', 1)[0] ?? '', text.slice(text.indexOf(' ') + 1)]),
  );

/** The server of the app is always allowed. */
const OWN = "'self' https://mcp.example.test";

const withDomains = (...domains: string[]) => {
  const { manifest, ...app } = panelApp();
  return { ...app, manifest: { ...manifest, remote: { ...manifest.remote, domains } } };
};

describe('the policy of a panel', () => {
  it('allows the domains of the footprint only for requests, pictures and media', () => {
    const all = directives();
    const web = 'https://*.cdn.test https://api.example.test https://mcp.example.test';
    expect(all.get('connect-src')).toBe(`'self' ${web} ${web.replaceAll('https:', 'wss:')}`);
    expect(all.get('img-src')).toBe(`'self' data: blob: ${web}`);
    expect(all.get('media-src')).toBe(`'self' data: blob: ${web}`);
    for (const name of [
      'script-src',
      'style-src',
      'font-src',
      'worker-src',
      'frame-src',
      'object-src',
      'default-src',
    ]) {
      expect(all.get(name)).not.toMatch(/https?:|wss?:|\*/);
    }
    expect(all.get('script-src')).toBe("'self'");
    expect(all.get('frame-ancestors')).toBe(FRAMES.join(' '));
  });

  it('allows only the domains of the manifest, even if the consent for an earlier version has more', () => {
    const { manifest } = withDomains('only.example.test');
    expect(directives({ ...panelApp(), manifest }).get('connect-src')).toBe(
      `${OWN} https://only.example.test wss://mcp.example.test wss://only.example.test`,
    );
  });

  it.each(['https://mcp.example.test:8443/mcp', 'https://MCP.example.test:8443/other'])(
    'allows the port of the server of the app, and no other port: %s',
    (mcpUrl) => {
      const { manifest, ...app } = withDomains('api.example.test');
      const moved = { ...app, manifest: { ...manifest, remote: { ...manifest.remote, mcpUrl } } };
      const web = 'https://api.example.test https://mcp.example.test https://mcp.example.test:8443';
      expect(directives(moved).get('connect-src')).toBe(`'self' ${web} ${web.replaceAll('https:', 'wss:')}`);
      expect(directives(moved).get('img-src')).toBe(`'self' data: blob: ${web}`);
      expect(panelConnections(panelOf(moved))).toContain('"https://mcp.example.test:8443"');
    },
  );

  it.each([
    "evil.test; script-src 'unsafe-inline'",
    "evil.test 'unsafe-eval'",
    'evil.test, default-src *',
    'evil.test") "https://*',
    '*',
    'https://evil.test',
    'evil.test:8080',
    'evil.test\r\nset-cookie: a=b',
    '',
  ])('leaves out a domain that is not only a host: %j', (domain) => {
    const app = withDomains(domain);
    const alone = withDomains();
    expect(directives(app).get('connect-src')).toBe(directives(alone).get('connect-src'));
    expect(panelConnections(panelOf(app))).toBe(panelConnections(panelOf(alone)));
  });

  it('allows this machine only for a development folder', () => {
    const store = withDomains('localhost', '127.0.0.1', 'other-panel.localhost');
    expect(directives(store).get('connect-src')).toBe(`${OWN} wss://mcp.example.test`);
    const developer = { ...store, source: { kind: 'developer' as const, folder: '/app' } };
    expect(directives(developer).get('img-src')).toContain('http://127.0.0.1:* http://localhost:*');
  });

  it('allows only the server of the app on this machine, for an app of a store on this machine', () => {
    const { manifest, ...app } = withDomains('127.0.0.1');
    const local = {
      ...app,
      manifest: { ...manifest, remote: { ...manifest.remote, mcpUrl: 'http://localhost:4000/mcp' } },
    };
    const signIn = 'http://localhost:4001';
    const allowed = directives(local, ['http://localhost:4000', signIn]).get('connect-src');
    expect(allowed).toBe("'self' http://localhost:4000 ws://localhost:4000");
    expect(directives(local, [signIn]).get('connect-src')).toBe("'self'");
    expect(panelConnections(panelOf(local, [signIn]))).not.toContain('localhost');
  });
});
