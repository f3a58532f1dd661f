import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../src/calls/secrets.ts';

const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ+/~x_-==';

const secretsOf = (...tokens: string[]) => {
  const secrets = createSecrets();
  for (const token of tokens) secrets.add(token);
  return secrets;
};

const base64 = (text: string) => Buffer.from(text).toString('base64');
const everyCharacter = (text: string, write: (code: number) => string) =>
  [...text].map((character) => write(character.charCodeAt(0))).join('');
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** Encodings in which a token is found. */
const SPELLINGS: [string, string][] = [
  ['plain text', TOKEN],
  ['base64', base64(TOKEN)],
  ['base64 of a header', base64(`Authorization: Bearer ${TOKEN}`)],
  ['base64 with an offset of one byte', base64(`x${TOKEN}y`)],
  ['base64 with an offset of two bytes', base64(`xx${TOKEN}yy`)],
  ['base64url', Buffer.from(`x${TOKEN}`).toString('base64url')],
  ['hex', Buffer.from(TOKEN).toString('hex')],
  ['upper-case hex', Buffer.from(TOKEN).toString('hex').toUpperCase()],
  ['a query parameter', `https://evil.example/?t=${encodeURIComponent(TOKEN)}`],
  ['percent encoding of all characters', everyCharacter(TOKEN, (code) => `%${hex(code, 2)}`)],
  ['percent encoding, twice', encodeURIComponent(everyCharacter(TOKEN, (code) => `%${hex(code, 2)}`))],
  ['JSON in a text', JSON.stringify(JSON.stringify({ token: TOKEN }))],
  ['JSON as PHP writes it', `{"token":"${TOKEN.replaceAll('/', '\\/')}"}`],
  ['JSON with all characters escaped', everyCharacter(TOKEN, (code) => `\\u${hex(code, 4)}`)],
  ['HTML', everyCharacter(TOKEN, (code) => `&#${code};`)],
  ['HTML in hex', everyCharacter(TOKEN, (code) => `&#x${hex(code, 2)};`)],
  [
    'percent encoding of some characters',
    [...TOKEN].map((c, i) => (i % 3 ? c : `%${hex(c.charCodeAt(0), 2)}`)).join(''),
  ],
  ['several lines', TOKEN.replace(/.{10}/g, '$&\n  ')],
  ['base64 in several lines', base64(TOKEN).replace(/.{20}/g, '$&\r\n')],
  ['letters with spaces in between', [...TOKEN].join(' ')],
  ['letters with zero-width spaces in between', [...TOKEN].join('\u200b')],
  ['reversed text', [...TOKEN].reverse().join('')],
];

describe('a token', () => {
  it.each(SPELLINGS)('is redacted from %s', (_name, spelt) => {
    const stripped = secretsOf(TOKEN).strip(`before ${spelt} after`);
    expect(stripped).toMatch(/^before [\s\S]*\[secret\][\s\S]* after$/);
    const middle = Math.floor(spelt.length / 2);
    expect(stripped).not.toContain(spelt.slice(middle - 6, middle + 6));
    expect(stripped.length).toBeLessThan(80);
  });

  it('is redacted from keys and values at any depth, and the rest is unchanged', () => {
    const value = { a: [{ [`x${TOKEN}`]: { b: `t=${TOKEN}` } }, 1, null, true], c: 'kept' };
    expect(secretsOf(TOKEN).strip(value)).toEqual({
      a: [{ 'x[secret]': { b: 't=[secret]' } }, 1, null, true],
      c: 'kept',
    });
  });

  it('is redacted when it is split over several texts', () => {
    const pieces = TOKEN.match(/.{1,5}/gs) ?? [];
    expect(secretsOf(TOKEN).strip(pieces).join('')).toBe('[secret]');
  });

  it('is redacted when it is split over the texts of several objects, whose keys are kept', () => {
    const [first = '', ...others] = TOKEN.match(/.{1,5}/gs) ?? [];
    const value = { content: [`a ${first}`, ...others, ' b'].map((text) => ({ type: 'text', text })) };
    const { content } = secretsOf(TOKEN).strip(value);
    expect(content.map(({ text }) => text).join('')).toBe('a [secret] b');
    expect(content.map((part) => Object.keys(part))).toEqual(value.content.map(() => ['type', 'text']));
  });

  it('is redacted when it is split over keys', () => {
    const pieces = TOKEN.match(/.{1,5}/gs) ?? [];
    const kept = JSON.stringify(secretsOf(TOKEN).strip(pieces.map((piece) => ({ [piece]: 'x' }))));
    for (const piece of pieces) expect(kept).not.toContain(piece);
  });

  it('is redacted from a stream of pieces', () => {
    for (const length of [3, 9, 20, TOKEN.length - 1]) {
      const strip = secretsOf(TOKEN).stream();
      const pieces = `so ${TOKEN} far`.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
      const out = pieces.map(strip).join('');
      expect(out).not.toContain(TOKEN);
      // Only the beginning of a token that is too short to be recognized may get out.
      expect(out.replaceAll('[secret]', '').length).toBeLessThan('so  far'.length + 12);
    }
  });

  it('leaves no character of its plain text and of its base64 that no other byte shares', () => {
    expect(secretsOf(TOKEN).strip(`a ${TOKEN}${TOKEN} b ${base64(TOKEN)} c`)).toMatch(
      /^a \[secret\] b \[secret\].?=* c$/,
    );
  });

  it.each(['', 'x', 'xx'])('whose base64 has letters of its own is found in base64url after %j', (before) => {
    const [token, bytes] = ['>>>???~~~ÿÿÿ', Buffer.from(`${before}>>>???~~~ÿÿÿ..`)];
    expect(bytes.toString('base64')).toMatch(/\+.*\//);
    const stripped = secretsOf(token).strip(bytes.toString('base64url'));
    expect(stripped).toMatch(/^.{0,4}\[secret\].{0,4}$/);
  });

  it('marks the text in which it begins, and no other', () => {
    expect(secretsOf(TOKEN).strip(['before', TOKEN, 'after'])).toEqual(['before', '[secret]', 'after']);
  });

  it('is searched in encodings from eight characters on, which no other text has by chance', () => {
    for (const [token, isFound] of [
      ['abc-efg', false],
      ['abc-efgh', true],
    ] as const) {
      const secrets = secretsOf(token);
      expect(secrets.strip(token)).toBe('[secret]');
      expect(secrets.strip(Buffer.from(token).toString('hex')) === '[secret]').toBe(isFound);
    }
  });

  it('that is empty is none', () => {
    expect(secretsOf('', TOKEN).strip('a text')).toBe('a text');
  });

  it('is redacted from a stream where eight of its characters end a text, which is otherwise as it was', () => {
    for (const [text, stripped] of [
      [`so ${TOKEN}`, 'so [secret]'],
      [`so ${TOKEN.slice(0, 8)}`, 'so [secret]'],
      [`so ${TOKEN.slice(0, 7)}`, `so ${TOKEN.slice(0, 7)}`],
      ['a long text about the progress of a call, which takes some time', null],
    ] as const)
      expect(secretsOf(TOKEN).stream()(text)).toBe(stripped ?? text);
  });

  it('is found in bytes', () => {
    const secrets = secretsOf(TOKEN);
    expect(secrets.leaksIn(Buffer.concat([Buffer.alloc(100), Buffer.from(TOKEN), Buffer.alloc(3)]))).toBe(
      true,
    );
    expect(secrets.leaksIn(Buffer.from(base64(`xx${TOKEN}`)))).toBe(true);
    expect(secrets.leaksIn(Buffer.from('nothing of that kind'))).toBe(false);
  });
});

it('returns the same object when there are no secrets, or when it contains none', () => {
  const value = { a: `${TOKEN}` };
  expect(createSecrets().strip(value)).toBe(value);
  expect(secretsOf('another-token').strip(value)).toBe(value);
});

it('redacts each of several tokens, even if one is a part of another', () => {
  expect(secretsOf('abcdefgh', 'abcdefghij', 'zyxwvuts').strip('1 abcdefghij 2 zyxwvuts 3 abcdefgh')).toBe(
    '1 [secret] 2 [secret] 3 [secret]',
  );
});

it('redacts every encoding of a token that is itself an encoding of another', () => {
  const reversed = [...TOKEN].reverse().join('');
  expect(secretsOf(TOKEN, reversed).strip(base64(reversed))).toMatch(/^\[secret\].{2}$/);
});

it('takes no character beyond the first plane for one of a token', () => {
  const text = everyCharacter('abcdefgh', (code) => `&#${0x1_00_00 + code};`);
  expect(secretsOf('abcdefgh').strip(text)).toBe(text);
});

it('redacts a token in any surrounding text', () => {
  const token = fc.string({ minLength: 8, maxLength: 60, unit: fc.constantFrom(...'abcXYZ019-._~+/=') });
  const around = anyText();
  fc.assert(
    fc.property(token, around, around, (secret, before, after) => {
      const stripped = secretsOf(secret).strip([before + secret + after, before, secret, after]);
      expect(stripped.join('')).not.toContain(secret);
    }),
  );
});
