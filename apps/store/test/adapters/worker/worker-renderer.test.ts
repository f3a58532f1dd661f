import { expect, it, onTestFinished } from 'vitest';
import { createWorkerRenderer } from '../../../src/adapters/worker/worker-renderer.ts';
import { renderMarkdown, renderReview } from '../../../src/core/render/render-text.ts';

it('renders the same HTML in a thread as in the main thread', async () => {
  const renderer = createWorkerRenderer();
  onTestFinished(renderer.close);
  const texts = ['# a', '*b*', '<script>alert(1)</script>', '[a](javascript:alert(1))'];
  const markdown = texts.map((text) => renderer.render({ kind: 'markdown', text }));
  const reviews = texts.map((text) => renderer.render({ kind: 'review', text }));
  expect(await Promise.all(markdown)).toEqual(texts.map((text) => renderMarkdown(text)));
  expect(await Promise.all(reviews)).toEqual(texts.map(renderReview));
});
