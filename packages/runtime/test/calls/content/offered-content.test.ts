import { anyText } from '@svc/testkit/any-text';
import { isPlainLine } from '@svc/text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPromptId,
  isResourceUri,
  offeredPrompts,
  offeredResources,
  offeredTemplates,
} from '../../../src/calls/content/offered-content.ts';
import { createSecrets } from '../../../src/calls/secrets.ts';

const TOKEN = 'svc-test-token-9f8E7d6C5b4A';
const hostile = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('a', '\n', '\u202e', '\u200b', '\u0007', ' ', '\u{e0041}', TOKEN),
    maxLength: 12,
  }),
);

const secrets = createSecrets();
secrets.add(TOKEN);

/** Every text of a value. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value
      ? Object.values(value).flatMap(textsOf)
      : [];

describe('the list of a connector whose server sends hostile entries', () => {
  const requireSafe = (entries: readonly unknown[]) => {
    expect(entries.length).toBeLessThanOrEqual(1_000);
    for (const text of textsOf(entries)) {
      expect(isPlainLine(text)).toBe(true);
      expect(text).not.toContain(TOKEN);
      expect(text.length).toBeLessThanOrEqual(2_000);
    }
  };

  it('has each resource once, in short plain lines, with a valid URI', () => {
    const resource = fc.record({
      uri: hostile,
      name: hostile,
      title: hostile,
      description: hostile,
      mimeType: hostile,
    });
    fc.assert(
      fc.property(fc.array(resource), (items) => {
        const { entries } = offeredResources({ items, isComplete: true }, secrets);
        requireSafe(entries);
        expect(entries.every(({ uri }) => isResourceUri(uri))).toBe(true);
        expect(new Set(entries.map(({ uri }) => uri)).size).toBe(entries.length);
      }),
    );
  });

  it('has each prompt once, in short plain lines, with valid names', () => {
    const argument = fc.record({ name: hostile, description: hostile, required: fc.boolean() });
    const prompt = fc.record({
      name: hostile,
      title: hostile,
      description: hostile,
      arguments: fc.array(argument),
    });
    fc.assert(
      fc.property(fc.array(prompt), (items) => {
        const { entries } = offeredPrompts({ items, isComplete: true }, secrets);
        requireSafe(entries);
        expect(
          entries.every(
            ({ id, arguments: args }) => isPromptId(id) && args.every(({ name }) => isPromptId(name)),
          ),
        ).toBe(true);
        expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      }),
    );
  });

  it('gives the title of the server only where it has one', () => {
    const items = [
      { uri: 'note://1', name: 'a', title: 'A' },
      { uri: 'note://2', name: 'b' },
    ];
    const { entries } = offeredResources({ items, isComplete: true }, secrets);
    expect(entries.map(({ name, given }) => [name, given])).toEqual([
      ['A', { name: 'a', title: 'A' }],
      ['b', { name: 'b' }],
    ]);
  });

  it('gives what the server says beside each entry, with times as times', () => {
    const said = { audience: ['user'], priority: 1 };
    const entry = {
      name: 'a',
      _meta: { tenant: 7 },
      annotations: { ...said, lastModified: '2026-01-02' },
    };
    const given = {
      name: 'a',
      _meta: { tenant: 7 },
      annotations: { ...said, lastModified: '2026-01-02T00:00:00.000Z' },
    };
    const listed = <T>(item: T) => ({ items: [item], isComplete: true });
    const of = ({ entries }: { entries: readonly { given?: unknown }[] }) => entries.map((one) => one.given);
    expect(of(offeredResources(listed({ ...entry, uri: 'note://1' }) as never, secrets))).toEqual([given]);
    expect(of(offeredTemplates(listed({ ...entry, uriTemplate: 'note://{n}' }) as never, secrets))).toEqual([
      given,
    ]);
    expect(of(offeredPrompts(listed(entry) as never, secrets))).toEqual([given]);
    const timeless = { ...entry, annotations: { ...said, lastModified: 'soon' } };
    expect(of(offeredPrompts(listed(timeless) as never, secrets))).toEqual([{ ...given, annotations: said }]);
  });

  it.each([
    [5, 5],
    [0, 0],
    [-1, null],
    [1.5, null],
    ['5', null],
    [undefined, null],
  ])('gives the size %j as %j, and a type where the server has one', (size, bytes) => {
    const items = [{ uri: 'note://1', name: 'a', size: size as number }];
    const [entry] = offeredResources({ items, isComplete: true }, secrets).entries;
    expect(entry).toMatchObject({ bytes, type: null });
    const typed = items.map((item) => ({ ...item, mimeType: 'text/plain' }));
    expect(offeredResources({ items: typed, isComplete: true }, secrets).entries[0]?.type).toBe('text/plain');
  });

  it('has the arguments of a prompt, at most fifty', () => {
    const args = [{ name: 'a', required: true }, { name: 'b', required: false }, { name: 'c' }];
    const many = Array.from({ length: 51 }, (_, n) => ({ name: `n${n}` }));
    const items = [
      { name: 'few', arguments: args },
      { name: 'fifty', arguments: many.slice(1) },
      { name: 'many', arguments: many },
    ];
    const { entries } = offeredPrompts({ items, isComplete: true }, secrets);
    expect(entries.map(({ id, arguments: offered }) => [id, offered.length])).toEqual([
      ['few', 3],
      ['fifty', 50],
    ]);
    expect(entries[0]?.arguments.map(({ isRequired }) => isRequired)).toEqual([true, false, false]);
  });

  it('has addresses and names up to their longest', () => {
    for (const [isFine, longest] of [
      [isResourceUri, 2_000],
      [isPromptId, 200],
    ] as const)
      expect(['', 'a\nb', 'x', 'x'.repeat(longest), 'x'.repeat(longest + 1)].map(isFine)).toEqual([
        false,
        false,
        true,
        true,
        false,
      ]);
    const items = [2_000, 2_001].map((length) => ({ uri: 'x'.repeat(length), name: 'a' }));
    expect(offeredResources({ items, isComplete: true }, secrets).entries).toHaveLength(1);
  });

  it('is marked as incomplete above 1,000 entries', () => {
    const items = Array.from({ length: 1_001 }, (_, n) => ({ uri: `note://${n}`, name: 'x' }));
    expect(offeredResources({ items, isComplete: true }, secrets).isComplete).toBe(false);
    expect(offeredResources({ items: items.slice(1), isComplete: true }, secrets).isComplete).toBe(true);
    expect(offeredResources({ items: [], isComplete: false }, secrets).isComplete).toBe(false);
  });
});
