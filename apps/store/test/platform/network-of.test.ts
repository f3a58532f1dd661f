import { describe, expect, it } from 'vitest';
import { networkOf } from '../../src/platform/network-of.ts';

describe('the network of an address', () => {
  it('is the address itself for IPv4, also when it is mapped to IPv6', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('192.0.2.2')).not.toBe(networkOf('192.0.2.1'));
  });

  it('is the same for all addresses of an IPv6 /64', () => {
    expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  });

  it('uses a shorter prefix on request, but not for IPv4', () => {
    expect(networkOf('2001:db8:1:3::1', 48)).toBe(networkOf('2001:db8:1:2::1', 48));
    expect(networkOf('2001:db8:2:3::1', 48)).not.toBe(networkOf('2001:db8:1:3::1', 48));
    expect(networkOf('192.0.2.1', 48)).toBe('192.0.2.1');
  });

  it.each([null, '', 'unknown', '300.1.1.1'])('is unknown for an invalid address: %j', (address) => {
    expect(networkOf(address)).toBe('unknown');
  });
});
