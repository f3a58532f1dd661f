import { describe, expect, it } from 'vitest';
import { mayBeOrigin, storeAddress } from '../src/store-address.ts';

describe('the address of a store', () => {
  it('is https, or http on this machine, without a trailing slash', () => {
    expect(storeAddress('https://Apps.Example.org:443/')).toBe('https://apps.example.org');
    expect(storeAddress('http://localhost:4000/store//')).toBe('http://localhost:4000/store');
  });

  it.each([
    '',
    'apps',
    'ftp://a.example',
    'http://a.example',
    'https://me:pw@a.example',
    'https://a.example?x',
    'javascript:1',
  ])('%j is none, and is not repeated', (given) => {
    expect(() => storeAddress(given)).toThrow(/^The address of a store/);
  });
});

describe('the address of an origin', () => {
  it.each([
    ['https://apps.example.org', 'https://corp.example', true],
    ['http://127.0.0.1:4000', 'http://localhost:5000', true],
    ['http://127.0.0.1:4000', 'https://corp.example', false],
    ['https://localhost', 'https://corp.example', false],
    ['https://me:pw@apps.example.org', 'https://corp.example', false],
    ['https://apps.example.org/', 'https://corp.example', false],
    ['https://APPS.example.org', 'https://corp.example', false],
    ['javascript:alert(1)', 'https://corp.example', false],
    ['', 'https://corp.example', false],
  ])('%j, carried by %j: %j', (given, carrier, may) => {
    expect(mayBeOrigin(given, carrier)).toBe(may);
  });
});
