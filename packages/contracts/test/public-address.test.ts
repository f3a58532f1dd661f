import { describe, expect, it } from 'vitest';
import {
  isLocalNetworkAddress,
  isLoopbackAddress,
  isPublicAddress,
  mayReach,
  readPrivateNetworks,
} from '../src/public-address.ts';

describe('an address of the public Internet', () => {
  it.each([
    '1.1.1.1',
    '168.63.129.15',
    '168.63.129.17',
    '199.36.153.12',
    '166.12.0.1',
    '161.27.0.1',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:1.1.1.1',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001::1',
    '2001:db8::1',
    '4000::1',
    // Metadata services of clouds: in ranges that are not public, …
    '169.254.170.2',
    '169.254.42.42',
    '169.254.0.23',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:42::42',
    'fd00:c1::a9fe:a9fe',
    'fd20:ce::254',
    // … and in public ranges, in every spelling.
    '168.63.129.16',
    '0xa8.0x3f.0x81.0x10',
    '2822734096',
    '::ffff:168.63.129.16',
    '64:ff9b::a83f:8110',
    '2002:a83f:8110::',
    '192.80.8.124',
    '199.36.153.4',
    '199.36.153.11',
    '161.26.0.10',
    '166.8.0.1',
    '166.11.255.255',
    '',
    'localhost',
    'example.com',
    '1.1.1.1.nip.example',
  ])('is not %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('an address of this machine', () => {
  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('is %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost', ''])('is not %j', (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });
});

describe('an address of a local network', () => {
  it.each(['10.0.0.1', '172.16.0.1', '192.168.1.20', '100.64.0.1', 'fd12:3456::1', '::ffff:192.168.1.20'])(
    'is %s',
    (address) => {
      expect(isLocalNetworkAddress(address)).toBe(true);
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each([
    '1.1.1.1',
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fd12:3456::1%eth0',
    '224.0.0.1',
    '255.255.255.255',
    // Internal services of clouds.
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:42::42',
    'fd00:c1::a9fe:a9fe',
    'fd20:ce::254',
    '::ffff:100.100.100.200',
    '',
    'localhost',
  ])('is not %s', (address) => {
    expect(isLocalNetworkAddress(address)).toBe(false);
  });
});

describe('private networks', () => {
  const reach = mayReach(
    readPrivateNetworks(' mcp.corp.example, *.apps.corp.example,10.20.0.0/16,fd12:3456::/32 '),
  );

  it.each([
    ['10.1.2.3', 'mcp.corp.example'],
    ['192.168.7.7', 'notes.apps.corp.example'],
    ['fd00::1', 'deep.notes.apps.corp.example'],
    ['10.20.255.255', 'any.example'],
    ['::ffff:10.20.1.1', 'any.example'],
    ['fd12:3456:1::1', 'any.example'],
    ['1.1.1.1', 'any.example'],
  ])('include %s of %s', (address, host) => {
    expect(reach(address, host)).toBe(true);
  });

  it.each([
    ['10.21.0.1', 'any.example'],
    ['10.1.2.3', 'mcp.corp.example.evil.example'],
    ['10.1.2.3', 'apps.corp.example'],
    ['10.1.2.3', 'evilmcp.corp.example'],
    ['127.0.0.1', 'mcp.corp.example'],
    ['::1', 'mcp.corp.example'],
    ['169.254.169.254', 'mcp.corp.example'],
    ['fe80::1', 'mcp.corp.example'],
    ['100.100.100.200', 'mcp.corp.example'],
    ['fd00:ec2::254', 'mcp.corp.example'],
    ['0.0.0.0', 'mcp.corp.example'],
    ['', 'mcp.corp.example'],
  ])('do not include %s of %s', (address, host) => {
    expect(reach(address, host)).toBe(false);
  });

  it.each([
    ['*', /covers every network/],
    ['0.0.0.0/0', /covers every network/],
    ['10.0.0.0/8,::/0', /covers every network/],
    ['0.0.0.0/1', /not a private network/],
    ['8.8.8.0/24', /not a private network/],
    ['127.0.0.0/8', /not a private network/],
    ['169.254.0.0/16', /not a private network/],
    ['10.0.0.0/7', /not a private network/],
    ['https://mcp.corp.example/', /neither a host name/],
    ['mcp.corp.example:8443', /neither a host name/],
    ['*corp.example', /neither a host name/],
    ['10.0.0.0/33', /neither a host name/],
  ])('are refused as %s', (text, message) => {
    expect(() => readPrivateNetworks(text)).toThrow(message);
  });

  it('cover every private address, and this machine never, with the explicit word', () => {
    const everything = mayReach(readPrivateNetworks(['0.0.0.0/0', 'everything']));
    expect(everything('172.16.0.1', 'a.example')).toBe(true);
    expect(everything('127.0.0.1', 'a.example')).toBe(false);
    expect(everything('169.254.169.254', 'a.example')).toBe(false);
  });

  it('are none in an empty list', () => {
    expect(mayReach(readPrivateNetworks(''))('10.0.0.1', 'a.example')).toBe(false);
    expect(mayReach(null)('10.0.0.1', 'a.example')).toBe(false);
  });
});
