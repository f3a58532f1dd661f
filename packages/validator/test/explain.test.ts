import { describe, expect, it } from 'vitest';
import { explain, isCode } from '../src/explain.ts';
import { RULES } from '../src/rules/index.ts';

describe('explain', () => {
  it.each(RULES)('has texts and examples for $code', ({ code, level }) => {
    const explanation = explain(code);
    expect(explanation).toMatchObject({ code, level });
    for (const text of [explanation.message, explanation.why, explanation.levelText]) {
      expect(text).toMatch(/\S.*[.?]$/s);
    }
    for (const parts of [explanation.broken, explanation.fixed]) {
      expect(parts.length).toBeGreaterThan(0);
      for (const { label, text } of parts) {
        expect(label).not.toBe('');
        expect(text?.length ?? 0).toBeLessThan(2_000);
      }
    }
  });

  it('shortens long lists', () => {
    const [part] = explain('remote.domains.count').broken;
    expect(part?.text).toContain('… and 18 more');
  });

  it('recognises codes, and no other text', () => {
    expect(isCode('remote.url')).toBe(true);
    for (const text of ['remote.nothing', '__proto__', '']) expect(isCode(text)).toBe(false);
  });
});
