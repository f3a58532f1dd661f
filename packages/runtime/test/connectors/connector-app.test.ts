import { Manifest } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { canonicalAddress, connectorApp, isSameAddress } from '../../src/connectors/connector-app.ts';

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

describe('addresses of servers', () => {
  it.each([
    'https://MCP.Example.com/mcp',
    'HTTPS://mcp.example.com:443/mcp',
    'https://mcp.example.com./mcp',
    'https://mcp.example.com/mcp/',
    'https://mcp.example.com/x/../mcp',
    'https://mcp.example.com/%6dcp',
    'https://mcp.example.com/mcp#part',
  ])('are equal in another spelling: %s', (address) => {
    expect(isSameAddress(address, 'https://mcp.example.com/mcp')).toBe(true);
  });

  it.each([
    'https://mcp.example.com/',
    'https://mcp.example.com/MCP',
    'https://mcp.example.com/mcp?tenant=1',
    'https://mcp.example.com:8443/mcp',
    'http://mcp.example.com/mcp',
    'https://other.example.com/mcp',
    'https://mcp.example.com/mcp%2fother',
    'no address',
  ])('are not equal: %s', (address) => {
    expect(isSameAddress(address, 'https://mcp.example.com/mcp')).toBe(false);
  });

  it('have one canonical form, which is stable', () => {
    const form = canonicalAddress('https://MCP.example.com:443/a%2fb/%7Euser/');
    expect(form).toBe('https://mcp.example.com/a%2Fb/~user');
    expect(canonicalAddress(form)).toBe(form);
    expect(canonicalAddress('no address')).toBe('no address');
  });
});
