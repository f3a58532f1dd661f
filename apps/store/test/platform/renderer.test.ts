import { describe, expect, it, vi } from 'vitest';
import { createSafeRenderer, type TextToRender } from '../../src/platform/renderer.ts';

function rendererOf(render: (text: TextToRender) => Promise<string>) {
  const warn = vi.fn();
  const log = { info: () => {}, warn, error: () => {} };
  const inner = vi.fn(render);
  return { renderer: createSafeRenderer({ render: inner }, { clock: () => new Date(), log }), inner, warn };
}

describe('a safe renderer', () => {
  it('renders a text once for concurrent calls, and separately for each kind', async () => {
    const { renderer, inner } = rendererOf(async ({ kind, text }) => `${kind} ${text}`);
    const asked = Array.from({ length: 10 }, () => renderer.markdown('a'));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['markdown a']));
    expect(await renderer.review('a')).toBe('review a');
    expect(await renderer.markdown('a')).toBe('markdown a');
    expect(inner).toHaveBeenCalledTimes(2);
  });

  it('shows the escaped text when rendering fails, and does not retry', async () => {
    const { renderer, inner, warn } = rendererOf(() => Promise.reject(new Error('no')));
    const attack = '</pre><script>alert("1")</script>&lt;';
    const html = '<pre>&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;lt;</pre>';
    expect([await renderer.markdown(attack), await renderer.markdown(attack)]).toEqual([html, html]);
    expect(inner).toHaveBeenCalledOnce();
    expect(warn).toHaveBeenCalledOnce();
    expect((await renderer.review('x'.repeat(1_000_000))).length).toBeLessThan(70_000);
  });

  it('does not render an empty text', async () => {
    const { renderer, inner } = rendererOf(async () => 'x');
    expect(await renderer.markdown('')).toBe('');
    expect(inner).not.toHaveBeenCalled();
  });
});
