import { fullManifest, MANIFEST_MUTATIONS, mutated } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { changesOf, describeChange, describeChanges, footprintOf } from '../src/index.ts';

const shades = (mark: string) => () => mark.repeat(64);

describe('describeChange', () => {
  it.each(Object.entries(MANIFEST_MUTATIONS))('has words for %s', (_path, mutation) => {
    const [before, after] = [
      footprintOf(fullManifest(), shades('a')),
      footprintOf(mutated(mutation), shades('b')),
    ];
    for (const change of [...changesOf(before, after), ...changesOf(after, before)]) {
      const { label, subject, before: was, after: is, picture } = describeChange(change);
      expect(label).toMatch(/^[A-Z][a-z -]+[a-z]$/i);
      // Something tells what changed: a subject, or the two values.
      expect(subject !== '' || picture !== null || JSON.stringify(was) !== JSON.stringify(is)).toBe(true);
    }
  });

  it('shows only the sentences that came and went', () => {
    const change = {
      path: '/permissions',
      kind: 'face' as const,
      before: ['a', 'b'],
      after: ['b', 'c'],
      widens: false,
    };
    expect(describeChange(change)).toMatchObject({ before: ['a'], after: ['c'] });
  });

  it('tells two limits apart that differ by a byte', () => {
    const path = '/contributes/tools/send/files/body/maxBytes';
    const change = { path, kind: 'reach' as const, before: 1_048_576, after: 1_048_577, widens: true };
    expect(describeChange(change)).toMatchObject({ before: ['1 MiB'], after: ['1,048,577 bytes'] });
  });

  it('keeps keys with slashes whole', () => {
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
  it('puts each change into one group, also one of a field that it does not know', () => {
    const unknown = { path: '/new/field', kind: 'face' as const, before: 1, after: 2, widens: false };
    const groups = describeChanges([...changesOf(null, footprintOf(fullManifest())), unknown]);
    expect(groups.face).toMatchObject([{ label: 'Manifest field', subject: '/new/field' }]);
    expect(groups.widens.length + groups.other.length).toBe(
      changesOf(null, footprintOf(fullManifest())).length,
    );
  });
});
