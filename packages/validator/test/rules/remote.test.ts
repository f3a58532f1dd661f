import { describe, expect, it } from 'vitest';
import { findings, issuesOf } from '../support.ts';

const mcpUrl = 'https://mcp.example.com/mcp';
const domainsOf = (...domains: unknown[]) => findings({ remote: { mcpUrl, domains } });

describe('remote', () => {
  it.each([undefined, null, [], mcpUrl, {}, { mcpUrl }, { domains: [] }])('is incomplete as %j', (remote) =>
    expect(findings({ remote })).toEqual(['remote.missing /remote']),
  );

  it('may be missing or incomplete in dev mode, but must be an object', () => {
    for (const remote of [undefined, {}, { mcpUrl }, { domains: [] }])
      expect(findings({ remote }, 'dev')).toEqual([]);
    expect(findings({ remote: [] }, 'dev')).toEqual(['remote.missing /remote']);
  });

  it('may not be combined with server', () => {
    expect(findings({ server: 'a.js' })).toEqual(['remote.and-server /server', 'level.server /server']);
    expect(findings({ server: 'a.js', remote: undefined }, 'dev')).toEqual(['level.server /server']);
  });
});

describe('remote.mcpUrl', () => {
  const urlOf = (url: unknown, mode: 'store' | 'dev' = 'store') =>
    findings({ remote: { mcpUrl: url, domains: [] } }, mode);

  it.each([
    'http://mcp.example.com',
    'https://a@b.example',
    'https://evil@',
    'https://exаmple.com',
    'https://10.0.0.1/',
    null,
    7,
  ])('refuses %j', (url) => expect(urlOf(url)).toEqual(['remote.url /remote/mcpUrl']));

  it.each(['http://localhost', 'http://localhost:3000/mcp', 'http://127.0.0.1:80', 'https://127.0.0.1'])(
    'accepts %s in dev mode, with a warning',
    (url) => {
      expect(urlOf(url)).toEqual(['remote.url /remote/mcpUrl']);
      expect(issuesOf({ remote: { mcpUrl: url, domains: [] } }, 'dev')).toMatchObject([
        { code: 'remote.localhost', level: 'warning', path: '/remote/mcpUrl' },
      ]);
    },
  );
});

it.each(['https://localhost/mcp', 'https://app.localhost/mcp', 'https://127.0.0.1:8443/mcp'])(
  'refuses %s in a store',
  (url) =>
    expect(findings({ remote: { mcpUrl: url, domains: [] } }, 'store')).toEqual([
      'remote.url /remote/mcpUrl',
    ]),
);

describe('remote.domains', () => {
  it.each(['co.uk', 'com.au', 'kawasaki.jp'])('refuses the public suffix %s', (domain) =>
    expect(domainsOf(domain)).toEqual(['remote.domain /remote/domains/0']),
  );

  it('accepts host names and wildcards of a domain', () =>
    expect(domainsOf('api.example.com', '*.Example.com', 'xn--bcher-kva.example')).toEqual([]));

  it.each([
    'https://a.example',
    'a.example/x',
    'a.example:443',
    'u@a.example',
    'a.example.',
    'bücher.de',
    '10.0.0.1',
    '::1',
    '',
    'com',
    'a b',
  ])('refuses %j', (domain) =>
    expect(domainsOf('a.example.com', domain)).toEqual(['remote.domain /remote/domains/1']),
  );

  it.each(['*', '*.com', '*.co.uk', '*.GitHub.io'])('refuses %s as too broad', (domain) =>
    expect(domainsOf(domain)).toEqual(['remote.domain.broad /remote/domains/0']),
  );

  it('holds 20 entries at most, and checks all entries', () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.example.com`);
    expect(domainsOf(...hosts(20))).toEqual([]);
    expect(domainsOf(...hosts(21))).toEqual(['remote.domains.count /remote/domains']);
    expect(domainsOf(...hosts(20), '*')).toEqual([
      'remote.domains.count /remote/domains',
      'remote.domain.broad /remote/domains/20',
    ]);
  });

  it('is a list of strings', () => {
    expect(domainsOf('a.example.com', 7, null)).toEqual([
      'remote.domains /remote/domains/1',
      'remote.domains /remote/domains/2',
    ]);
    expect(findings({ remote: { mcpUrl, domains: {} } })).toEqual(['remote.domains /remote/domains']);
    expect(findings({ remote: { domains: null } }, 'dev')).toEqual(['remote.domains /remote/domains']);
  });
});
