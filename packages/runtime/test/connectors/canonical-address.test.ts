import { describe, expect, it } from 'vitest';
import { canonicalAddress, isSameAddress } from '../../src/connectors/canonical-address.ts';

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
