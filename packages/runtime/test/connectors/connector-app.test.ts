import { Manifest } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { connectorApp } from '../../src/connectors/connector-app.ts';

describe('the app of a connector', () => {
  it('has a valid manifest that is derived from its address', () => {
    const { manifest, consent } = connectorApp('https://mcp.example.com/mcp', true);
    expect(Manifest.parse(manifest)).toEqual(manifest);
    expect(manifest).toMatchObject({ name: 'mcp.example.com', contributes: {}, accounts: [{ auth: 'mcp' }] });
    expect(consent).toMatchObject({ domains: ['mcp.example.com'], grants: [] });
  });

  it('keeps its id when its server begins to require a sign-in', () => {
    const [open, closed] = [false, true].map((closed) => connectorApp('https://mcp.example.com/mcp', closed));
    expect(open?.manifest.accounts).toEqual([]);
    expect(closed?.appId).toBe(open?.appId);
    expect(connectorApp('https://mcp.example.com/other', true).appId).not.toBe(closed?.appId);
  });

  it('has a name of at most 40 characters, even if its host is long', () => {
    const { manifest } = connectorApp(`https://${'long.'.repeat(40)}example.com/mcp`, true);
    expect(Manifest.parse(manifest)).toEqual(manifest);
    expect(manifest.name.length).toBeLessThanOrEqual(40);
  });
});
