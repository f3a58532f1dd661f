import { cpuMs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { NewFlag, NewReply, NewReview } from '../../src/index.ts';

const writes = (more: object) => NewReview.safeParse({ rating: 4, ...more });

describe('the text of a review', () => {
  it.each([
    ['no star', { rating: 0 }],
    ['six stars', { rating: 6 }],
    ['half a star', { rating: 4.5 }],
    ['stars as a string', { rating: '4' }],
    ['a long title', { title: 'a'.repeat(81) }],
    ['a long body', { body: 'a'.repeat(4_001) }],
    ['a title of two lines', { title: 'a\nb' }],
    ['a title with a tab', { title: 'a\tb' }],
    ['U+0000', { body: 'a\0b' }],
    ['an escape sequence', { title: '\u001b[31mred' }],
    ['a direction override', { title: 'exe.\u202Egpj' }],
    ['an isolate', { body: 'a\u2066b' }],
    ['an invisible mark', { body: 'a\u200Fb' }],
    ['a line separator', { body: 'a\u2028b' }],
    ['a lone surrogate', { body: 'a\uD800' }],
    ['a tag character', { body: 'a\u{E0041}' }],
    ['a byte order mark inside the text', { body: 'a\uFEFFb' }],
    ['an invalid install id', { installId: 'short' }],
    ['an unknown field', { verified: true }],
  ])('is refused with %s', (_what, more) => {
    expect(writes(more).success).toBe(false);
  });

  it.each<[string, object, object?]>([
    ['stars only', {}],
    ['lines with any line ending', { body: ' a\r\nb\rc\td ' }, { body: 'a\nb\nc\td' }],
    ['a family', { title: '👨\u200D👩\u200D👧' }, { title: '👨\u200D👩\u200D👧' }],
    ['Persian', { body: 'می\u200Cخواهم' }, { body: 'می\u200Cخواهم' }],
    ['the maximum length, with outer spaces', { title: ` ${'a'.repeat(80)} ` }, { title: 'a'.repeat(80) }],
    ['markup, which is text', { body: '<script>alert(1)</script>' }, { body: '<script>alert(1)</script>' }],
  ])('may be %s', (_what, more, read: object = {}) => {
    expect(writes(more).data).toEqual({ rating: 4, ...read });
  });

  it('is refused quickly when it is long', () => {
    const started = cpuMs();
    expect(writes({ body: '\u200D'.repeat(60_000) }).success).toBe(false);
    expect(cpuMs() - started).toBeLessThan(1_000);
  });
});

it('accepts a reply only with visible text', () => {
  for (const body of ['', ' ', '\u200D', '\u0301'])
    expect(NewReply.safeParse({ body }).success, body).toBe(false);
  for (const body of ['a', '!', '👍', '٣']) expect(NewReply.safeParse({ body }).success, body).toBe(true);
});

it('accepts a flag only with a known reason', () => {
  expect(NewFlag.safeParse({ reason: 'dislike' }).success).toBe(false);
  expect(NewFlag.safeParse({ reason: 'spam' }).success).toBe(true);
});
