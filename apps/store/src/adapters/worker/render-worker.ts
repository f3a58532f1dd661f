import { parentPort } from 'node:worker_threads';
import { renderMarkdown, renderReview } from '../../render/render-text.ts';
import type { TextToRender } from '../../render/renderer.ts';

// The thread in which texts are rendered: it can be ended from outside whatever a text makes the parsers do.
parentPort?.on('message', ({ kind, text }: TextToRender) => {
  parentPort?.postMessage({ stage: 'render' });
  parentPort?.postMessage({ answer: kind === 'markdown' ? renderMarkdown(text) : renderReview(text) });
});
