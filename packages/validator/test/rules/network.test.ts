import { describe, expect, it } from 'vitest';
import { findings, issuesOf } from '../support.ts';

const found = (network: unknown, grants = ['network']) =>
  findings({ network, grants, remote: undefined }, 'dev').filter((line) => !line.startsWith('grants.'));

describe('network', () => {
  it('is an error in the store, a warning in dev mode', () => {
    const patch = { network: { domains: [] }, grants: ['network'] };
    const levels = (mode: 'store' | 'dev') =>
      issuesOf(patch, mode)
        .filter(({ code }) => code === 'network.store')
        .map(({ level }) => level);
    expect(levels('store')).toEqual(['error']);
    expect(levels('dev')).toEqual(['warning']);
  });

  it('is an object with a list of domains', () => {
    expect(found([])).toEqual(['network.format /network', 'network.store /network']);
    expect(found({})).toEqual(['network.format /network', 'network.store /network']);
    expect(found({ domains: [7] })).toEqual(['network.format /network/domains/0', 'network.store /network']);
  });

  it('suggests the grant in dev mode only', () => {
    const messageIn = (mode: 'store' | 'dev') =>
      issuesOf({ network: { domains: [] }, grants: [] }, mode).find(({ code }) => code === 'network.grant')
        ?.message;
    expect(messageIn('dev')).toContain('add it');
    expect(messageIn('store')).toMatch(/no effect: remove them\.$/);
  });

  it('has no effect without its grant', () =>
    expect(found({ domains: [] }, [])).toEqual(['network.store /network', 'network.grant /network']));

  it('holds 50 host names at most', () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.example.com`);
    expect(found({ domains: hosts(50) })).toEqual(['network.store /network']);
    expect(found({ domains: hosts(51) })).toEqual([
      'network.store /network',
      'network.domains.count /network/domains',
    ]);
    expect(found({ domains: ['http://a.example', '*', '*.github.io', 'localhost'] })).toEqual([
      'network.store /network',
      'network.domain /network/domains/0',
      'network.domain.broad /network/domains/1',
      'network.domain.broad /network/domains/2',
    ]);
  });
});
