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

/** Spellings of a token that are seen through. */
const SPELLINGS: [string, string][] = [
  ['as it is', TOKEN],
  ['base64', base64(TOKEN)],
  ['base64 of a header', base64(`Authorization: Bearer ${TOKEN}`)],
  ['base64, one byte on', base64(`x${TOKEN}y`)],
  ['base64, two bytes on', base64(`xx${TOKEN}yy`)],
  ['base64url', Buffer.from(`x${TOKEN}`).toString('base64url')],
  ['hex', Buffer.from(TOKEN).toString('hex')],
  ['hex in capitals', Buffer.from(TOKEN).toString('hex').toUpperCase()],
  ['a query', `https://evil.example/?t=${encodeURIComponent(TOKEN)}`],
  ['percent, all of it', everyCharacter(TOKEN, (code) => `%${hex(code, 2)}`)],
  ['percent, twice', encodeURIComponent(everyCharacter(TOKEN, (code) => `%${hex(code, 2)}`))],
  ['JSON in a text', JSON.stringify(JSON.stringify({ token: TOKEN }))],
  ['JSON, all escaped', everyCharacter(TOKEN, (code) => `\\u${hex(code, 4)}`)],
  ['HTML', everyCharacter(TOKEN, (code) => `&#${code};`)],
  ['HTML in hex', everyCharacter(TOKEN, (code) => `&#x${hex(code, 2)};`)],
  ['some escaped', [...TOKEN].map((c, i) => (i % 3 ? c : `%${hex(c.charCodeAt(0), 2)}`)).join('')],
  ['lines', TOKEN.replace(/.{10}/g, '$&\n  ')],
  ['lines of base64', base64(TOKEN).replace(/.{20}/g, '$&\r\n')],
  ['letters apart', [...TOKEN].join(' ')],
  ['marks of no width', [...TOKEN].join('\u200b')],
  ['backwards', [...TOKEN].reverse().join('')],
];

describe('a token', () => {
  it.each(SPELLINGS)('is taken out when it comes as %s', (_name, spelt) => {
    const stripped = secretsOf(TOKEN).strip(`before ${spelt} after`);
    expect(stripped).toMatch(/^before [\s\S]*\[secret\][\s\S]* after$/);
    const middle = Math.floor(spelt.length / 2);
    expect(stripped).not.toContain(spelt.slice(middle - 6, middle + 6));
    expect(stripped.length).toBeLessThan(80);
  });

  it('is taken out of keys and values at any depth, and the rest is left', () => {
    const value = { a: [{ [`x${TOKEN}`]: { b: `t=${TOKEN}` } }, 1, null, true], c: 'kept' };
    expect(secretsOf(TOKEN).strip(value)).toEqual({
      a: [{ 'x[secret]': { b: 't=[secret]' } }, 1, null, true],
      c: 'kept',
    });
  });

  it('is taken out when it is spread over several texts', () => {
    const pieces = TOKEN.match(/.{1,5}/gs) ?? [];
    const stripped = secretsOf(TOKEN).strip({ content: pieces.map((text) => ({ text })) });
    // The keys in between keep these apart, so they are found as one only where a reader would join them.
    expect(secretsOf(TOKEN).strip(pieces).join('')).toBe('[secret]');
    expect(stripped.content).toHaveLength(pieces.length);
  });

  it('is taken out of what comes piece by piece', () => {
    for (const length of [3, 9, 20, TOKEN.length - 1]) {
      const strip = secretsOf(TOKEN).stream();
      const pieces = `so ${TOKEN} far`.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
      const out = pieces.map(strip).join('');
      expect(out).not.toContain(TOKEN);
      // At most as much is out as came before it could be told from any other text.
      expect(out.replaceAll('[secret]', '').length).toBeLessThan('so  far'.length + 12);
    }
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

it('leaves everything as it is while there is no secret, and the same object where there is none in it', () => {
  const value = { a: `${TOKEN}` };
  expect(createSecrets().strip(value)).toBe(value);
  expect(secretsOf('another-token').strip(value)).toBe(value);
});

it('takes out each of many tokens, those within others too', () => {
  expect(secretsOf('abcdefgh', 'abcdefghij', 'zyxwvuts').strip('1 abcdefghij 2 zyxwvuts 3 abcdefgh')).toBe(
    '1 [secret] 2 [secret] 3 [secret]',
  );
});

it('never leaves a token, whatever stands around it', () => {
  const token = fc.string({ minLength: 8, maxLength: 60, unit: fc.constantFrom(...'abcXYZ019-._~+/=') });
  const around = anyText();
  fc.assert(
    fc.property(token, around, around, (secret, before, after) => {
      const stripped = secretsOf(secret).strip([before + secret + after, before, secret, after]);
      expect(stripped.join('')).not.toContain(secret);
    }),
  );
});
