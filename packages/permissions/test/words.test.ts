import type { Change } from '@svc/contracts';
import { fullManifest, MANIFEST_MUTATIONS, mutated, SAMPLE_CHANGES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  type ComparedField,
  changesOf,
  describeAllowed,
  describeChange,
  describeChanges,
  FIELDS,
  fieldOf,
  footprintOf,
  signedChanges,
} from '../src/index.ts';

const isText = (value: unknown): boolean => typeof value === 'string';

describe('the sample changes', () => {
  it('include every field that is compared', () => {
    const compared = Object.entries(FIELDS).filter(([, rule]) => 'facts' in rule);
    const fields = new Set<ComparedField | undefined>(SAMPLE_CHANGES.map(({ path }) => fieldOf(path)?.field));
    expect(compared.map(([field]) => field).filter((field) => !fields.has(field as ComparedField))).toEqual(
      [],
    );
  });

  it('are each described once, as text only, for any type or path', () => {
    const told = Object.values(describeChanges(SAMPLE_CHANGES)).flat();
    expect(told.map(({ path }) => path).sort()).toEqual(SAMPLE_CHANGES.map(({ path }) => path).sort());
    for (const { label, subject, before, after } of told) {
      expect([label, subject, ...(before ?? []), ...(after ?? [])].every(isText)).toBe(true);
    }
  });
});

it('describeChanges shows the name of a grant without a description, and a path without a field', () => {
  const { widens } = describeChanges(SAMPLE_CHANGES);
  const of = (path: string) => widens.find((text) => text.path === path);
  expect(of('/grants/constructor')).toMatchObject({ label: 'May', subject: 'constructor' });
  expect(of('/telepathy/reads~1minds')).toMatchObject({ subject: '/telepathy/reads~1minds', after: null });
});

it('signedChanges lists signed facts as additions', () => {
  const changes = signedChanges({
    grants: ['files:receive', 'storage'],
    domains: ['*.example.com'],
    accounts: ['notes', 'notes:urn:x/y'],
  });
  expect(changes.map(({ path }) => path)).toEqual([
    '/remote/domains/*.example.com',
    '/grants/files:receive',
    '/accounts/notes',
    '/accounts/notes/scopes/urn:x~1y',
  ]);
  expect(describeChanges(changes).widens.map(({ subject }) => subject)).toEqual([
    '*.example.com (every name below it)',
    'receive files that you or the agent hand to it',
    'notes',
    'urn:x/y (notes)',
  ]);
});

const shades = (mark: string) => () => mark.repeat(64);

describe('describeChange', () => {
  it.each(Object.entries(MANIFEST_MUTATIONS))('has a label for %s', (_path, mutation) => {
    const [before, after] = [
      footprintOf(fullManifest(), shades('a')),
      footprintOf(mutated(mutation), shades('b')),
    ];
    for (const change of [...changesOf(before, after), ...changesOf(after, before)]) {
      const { label, subject, before: was, after: is, picture } = describeChange(change);
      expect(label).toMatch(/^[A-Z][a-z -]+[a-z]$/i);
      // A subject, a picture or two different values show the change.
      expect(subject !== '' || picture !== null || JSON.stringify(was) !== JSON.stringify(is)).toBe(true);
    }
  });

  it('shows only the added and removed sentences', () => {
    const change = {
      path: '/permissions',
      kind: 'face' as const,
      before: ['a', 'b'],
      after: ['b', 'c'],
      widens: false,
    };
    expect(describeChange(change)).toMatchObject({ before: ['a'], after: ['c'] });
  });

  it.each([
    [null, ['a'], 'added'],
    [['a'], null, 'removed'],
    [['a'], ['b'], 'changed'],
  ])('tells what comes from what goes: %j to %j', (before, after, sign) => {
    const change = { path: '/permissions', kind: 'face' as const, before, after, widens: false };
    expect(describeChange(change)).toMatchObject({ sign });
  });

  it('shows two values even where they read the same, and refuses a path that it does not know', () => {
    const path = '/contributes/tools/send/files/body/maxBytes';
    const change = { path, kind: 'reach' as const, before: 'x', after: ['x'], widens: true };
    const { before, after } = describeChange(change);
    expect([before, after].every((lines) => lines?.length === 1)).toBe(true);
    expect(() => describeChange({ ...change, path: '/new' })).toThrow('Unknown path of a change: /new.');
  });

  it('distinguishes two limits that differ by one byte', () => {
    const path = '/contributes/tools/send/files/body/maxBytes';
    const change = { path, kind: 'reach' as const, before: 1_048_576, after: 1_048_577, widens: true };
    expect(describeChange(change)).toMatchObject({ before: ['1 MiB'], after: ['1,048,577 bytes'] });
  });

  it('says that a wildcard has every name below it', () => {
    const path = '/remote/domains/*.c.example';
    const change = { path, kind: 'reach' as const, before: null, after: '*.c.example', widens: true };
    expect(describeChange(change).subject).toBe('*.c.example (every name below it)');
    const one = { ...change, path: '/remote/domains/c.example', after: 'c.example' };
    expect(describeChange(one).subject).toBe('c.example');
  });

  it('decodes keys with slashes', () => {
    const path = '/requires/connectors/https:~1~1c.example~1~0m';
    const change = {
      path,
      kind: 'reach' as const,
      before: null,
      after: 'https://c.example/~m',
      widens: true,
    };
    expect(describeChange(change).subject).toBe('https://c.example/~m');
  });
});

describe('describeChanges', () => {
  it('shows no old value of what is within a new item, and no new value within a removed one', () => {
    const full = footprintOf(fullManifest());
    const without = footprintOf({ ...fullManifest(), accounts: [] });
    const within = (changes: Change[]) =>
      Object.values(describeChanges(changes))
        .flat()
        .filter(({ path }) => /^\/accounts\/[^/]+\/./.test(path));
    const [added, removed] = [within(changesOf(without, full)), within(changesOf(full, without))];
    expect(new Set(added.map(({ before }) => before))).toEqual(new Set([null]));
    expect(added.some(({ after }) => after !== null)).toBe(true);
    expect(new Set(removed.map(({ after }) => after))).toEqual(new Set([null]));
    expect(removed.some(({ before }) => before !== null)).toBe(true);
  });

  it('puts each change into one group, also a change of an unknown field', () => {
    const unknown = { path: '/new/field', kind: 'face' as const, before: 1, after: 2, widens: false };
    const groups = describeChanges([...changesOf(null, footprintOf(fullManifest())), unknown]);
    expect(groups.face).toMatchObject([{ label: 'Manifest field', subject: '/new/field' }]);
    const all = changesOf(null, footprintOf(fullManifest()));
    expect(Object.values(groups).flat()).toHaveLength(all.length + 1);
    expect(describeAllowed(all)).toHaveLength(all.length);
  });
});
