import { Manifest } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { connectorApp } from '../../src/connectors/connector-app.ts';

describe('the app of a connector', () => {
  it('has a manifest of the contract, which follows from the address alone', () => {
    const { manifest, consent } = connectorApp('https://mcp.example.com/mcp', true);
    expect(Manifest.parse(manifest)).toEqual(manifest);
    expect(manifest).toMatchObject({ name: 'mcp.example.com', contributes: {}, accounts: [{ auth: 'mcp' }] });
    expect(consent).toMatchObject({ domains: ['mcp.example.com'], grants: [] });
  });

  it('is the same when its server wants people to sign in by now', () => {
    const [open, closed] = [false, true].map((closed) => connectorApp('https://mcp.example.com/mcp', closed));
    expect(open?.manifest.accounts).toEqual([]);
    expect(closed?.appId).toBe(open?.appId);
    expect(connectorApp('https://mcp.example.com/other', true).appId).not.toBe(closed?.appId);
  });

  it('has a short name, however long its host is', () => {
    const { manifest } = connectorApp(`https://${'long.'.repeat(40)}example.com/mcp`, true);
    expect(Manifest.parse(manifest)).toEqual(manifest);
    expect(manifest.name.length).toBeLessThanOrEqual(40);
  });
});
