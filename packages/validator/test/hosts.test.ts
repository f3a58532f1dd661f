import { describe, expect, it } from 'vitest';
import {
  classifyEndpoint,
  isDomain,
  isHostname,
  isMailAddress,
  isTooBroad,
  isWebAddress,
  suggestDomain,
  suggestMailAddress,
  suggestWebAddress,
} from '../src/hosts.ts';

const label63 = 'a'.repeat(63);

describe('isHostname', () => {
  it.each([
    'example.com',
    'API.Example.com',
    'xn--bcher-kva.example',
    'a-b.example.com',
    '3com.com',
    `${label63}.com`,
    `${`${label63}.`.repeat(3)}${'a'.repeat(61)}`,
  ])('accepts %s', (host) => expect(isHostname(host)).toBe(true));

  it.each([
    '',
    '.',
    'example.com.',
    '.example.com',
    'a..b',
    '-a.com',
    'a-.com',
    'a_b.com',
    'bücher.example',
    'exаmple.com',
    'example。com',
    'xn--.com',
    '127.0.0.1',
    '1.2.3',
    '0x7f.1',
    'a.0x7f',
    '2130706433',
    '[::1]',
    '::1',
    'example.com:443',
    'user@example.com',
    'https://example.com',
    'example.com/path',
    'example.com\n',
    ' example.com',
    'exam\u00adple.com',
    'exam\u200bple.com',
    `${label63}a.com`,
    `${`${label63}.`.repeat(3)}${'a'.repeat(62)}`,
  ])('refuses %j', (host) => expect(isHostname(host)).toBe(false));

  it('is quick on a huge string', () => expect(isHostname('a.'.repeat(5_000_000))).toBe(false));
});

describe('isDomain', () => {
  it.each(['example.com', '*.example.com', '*', '*.com'])('accepts %s', (domain) =>
    expect(isDomain(domain, 'store')).toBe(true),
  );

  it.each([
    '*.*.com',
    'a.*.com',
    '*a.com',
    '*.',
    '**',
    'localhost',
    'app.localhost',
    'com',
    'co.uk',
    'CO.UK',
    'kawasaki.jp',
    '*.127.0.0.1',
    '*.bücher.de',
  ])('refuses %s', (domain) => expect(isDomain(domain, 'store')).toBe(false));

  it('accepts a private suffix, which is the host of its owner', () => {
    expect(isDomain('github.io', 'store')).toBe(true);
  });

  it('accepts a name without a dot only in dev mode', () => {
    expect(isDomain('co.uk', 'dev')).toBe(false);
    expect(isDomain('localhost', 'dev')).toBe(true);
    expect(isDomain('localhost:3000', 'dev')).toBe(false);
  });
});

describe('isTooBroad', () => {
  it.each([
    '*',
    '*.com',
    '*.COM',
    '*.co.uk',
    '*.github.io',
    '*.kawasaki.jp',
    '*.foo.ck',
    '*.internal',
    '*.localhost',
  ])('is true for %s', (domain) => expect(isTooBroad(domain)).toBe(true));

  it.each(['com', 'github.io', '*.example.com', '*.example.co.uk', '*.me.github.io', '*.city.kawasaki.jp'])(
    'is false for %s',
    (domain) => expect(isTooBroad(domain)).toBe(false),
  );
});

describe('classifyEndpoint', () => {
  it.each([
    'https://mcp.example.com',
    'https://mcp.example.com/mcp?a=b',
    'https://mcp.example.com:8443/mcp',
    'https://MCP.example.com:65535',
    'https://xn--bcher-kva.example/mcp',
  ])('accepts %s', (url) => expect(classifyEndpoint(url, 'refuse')).toBe('public'));

  it.each([
    'http://mcp.example.com',
    'ftp://mcp.example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    '//mcp.example.com',
    'https:mcp.example.com',
    'https:/mcp.example.com',
    'https:\\\\mcp.example.com',
    'https://',
    'https:///mcp',
    'https://evil@',
    'https://user@mcp.example.com',
    'https://user:pw@mcp.example.com',
    'https://mcp.example.com@evil.example',
    'https://mcp.example.com\\@evil.example',
    'https://mcp.example.com%2eevil.example',
    'https://mcp.example.com#x',
    'https://mcp.example.com/#',
    'https://mcp.example.com:65536',
    'https://mcp.example.com:99999999',
    'https://mcp.example.com:/',
    'https://mcp.example.com.',
    'https://exаmple.com',
    'https://bücher.example',
    'https://router',
    'https://intranet/mcp',
    'https://mcp:8443/mcp',
    'https://10.0.0.1',
    'https://0177.0.0.1',
    'https://example.08/',
    'https://127.0.0.1',
    'https://127.1',
    'https://0x7f000001',
    'https://2130706433',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]/',
    ' https://mcp.example.com',
    'https://mcp.exa\tmple.com',
    'https://mcp.example.com/a b',
    'https://mcp.example.com/\u0000',
    '',
    7,
    null,
    undefined,
    ['https://mcp.example.com'],
  ])('refuses %j', (url) => expect(classifyEndpoint(url, 'refuse')).toBe('refused'));

  it.each([
    'http://localhost',
    'http://LOCALHOST:3000/mcp',
    'http://127.0.0.1:1',
    'http://127.0.0.2',
    'http://app.localhost:3000/mcp',
    'http://[::1]:3000/mcp',
    'https://localhost/mcp',
    'https://127.0.0.1',
  ])('classifies %s as localhost when localhost is only warned about', (url) =>
    expect(classifyEndpoint(url, 'warn')).toBe('localhost'),
  );

  it.each([
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'http://127.0.0.256',
    'http://0.0.0.0',
    'http://[::2]:3000',
    'http://0.0.0.0:3000',
    'http://localhost@evil.example',
    'ws://localhost',
  ])('refuses %s even when localhost is only warned about', (url) =>
    expect(classifyEndpoint(url, 'warn')).toBe('refused'),
  );

  it('accepts a name without a dot when localhost is only warned about, for a private network', () => {
    expect(classifyEndpoint('https://intranet/mcp', 'warn')).toBe('public');
    expect(classifyEndpoint('http://intranet/mcp', 'warn')).toBe('refused');
  });

  it.each([
    'http://localhost:3000',
    'https://localhost:3000',
    'https://LOCALHOST/mcp',
    'https://app.localhost/mcp',
    'https://127.0.0.1/mcp',
  ])('refuses %s where localhost is refused', (url) => {
    expect(classifyEndpoint(url, 'refuse')).toBe('refused');
    expect(classifyEndpoint(url, 'warn')).toBe('localhost');
  });
});

describe('web and mail addresses', () => {
  it('accepts a fragment in a web address, but no space, user or host without a dot', () => {
    expect(isWebAddress('https://example.com/docs#start')).toBe(true);
    expect(isWebAddress('https://example.com/docs#a b')).toBe(false);
    expect(isWebAddress('https://user@example.com')).toBe(false);
    expect(isWebAddress('https://router/')).toBe(false);
    expect(isWebAddress(null)).toBe(false);
  });

  it.each(['mailto:help@example.com', 'mailto:a+b@example.com?subject=Hi'])(
    'accepts the mail address %s',
    (address) => expect(isMailAddress(address)).toBe(true),
  );

  it.each([
    'mailto:',
    'mailto:help',
    'mailto:a@b@c.com',
    'mailto:a@example.com,b@example.com',
    'mailto:a@exa mple.com',
    'help@example.com',
    'mailto:a@example.com\nBcc:x@y.z',
  ])('refuses the mail address %j', (address) => expect(isMailAddress(address)).toBe(false));
});

describe('suggestDomain', () => {
  it.each([
    ['https://api.example.com/', 'api.example.com'],
    ['HTTPS://API.example.com', 'api.example.com'],
    ['http://api.example.com:80/', 'api.example.com'],
    ['api.example.com.', 'api.example.com'],
    [' api.example.com:443 ', 'api.example.com'],
    ['https://*.example.com', '*.example.com'],
  ])('reads %j as %s', (text, domain) => expect(suggestDomain(text, 'store')).toBe(domain));

  it.each([
    'https://api.example.com/v1',
    'https://api.example.com?a',
    'https://api.example.com#a',
    'https://api.example.com:80',
    'http://api.example.com:443',
    'api.example.com:8443',
    'ftp://api.example.com',
    'https://user@api.example.com',
    'https://user:api.example.com@evil.example.org',
    'api.example.com..',
    'https://*',
    'https://*.com',
    'https://a.*.example.com',
    'https://10.0.0.1',
    'https://localhost',
    'https://bücher.example',
    'https://api.example.com\\.evil.example.org',
    '',
    `https://${'a.'.repeat(500_000)}com`,
  ])('reads no domain in %.40j', (text) => expect(suggestDomain(text, 'store')).toBeUndefined());
});

describe('suggestWebAddress', () => {
  it.each([
    ['example.com', 'https://example.com'],
    ['example.com:8080/a?b#c', 'https://example.com:8080/a?b#c'],
    [' https://example.com/ ', 'https://example.com/'],
  ])('reads %j as %s', (text, address) => expect(suggestWebAddress(text)).toBe(address));

  it.each([
    'http://example.com',
    '//example.com',
    'example',
    'co.uk',
    'README.md',
    'notes.txt',
    '10.0.0.1/a',
    'example.com@evil.example.org',
    'example.com\\@evil.example.org',
    'exa mple.com',
    'javascript:alert(1)',
    'file.js',
    7,
    null,
    `${'a.'.repeat(500_000)}com`,
  ])('reads no address in %.40j', (text) => expect(suggestWebAddress(text)).toBeUndefined());
});

describe('suggestMailAddress', () => {
  it('adds the mailto scheme to a mail address', () => {
    expect(suggestMailAddress(' help@example.com ')).toBe('mailto:help@example.com');
    expect(suggestMailAddress('MAILTO: help@example.com')).toBe('mailto:help@example.com');
  });

  it.each([
    'help',
    'help@',
    'a@example.com, b@example.com',
    'https://u@example.com',
    '<help@example.com>\nx',
    7,
  ])('reads no mail address in %j', (text) => expect(suggestMailAddress(text)).toBeUndefined());
});
