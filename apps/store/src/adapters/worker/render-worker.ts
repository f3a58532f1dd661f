import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { TextToRender } from '../../platform/renderer.ts';
import { renderMarkdown, renderReview } from '../../render/render-text.ts';

// The thread in which texts are rendered: it can be ended from outside whatever a text makes the parsers do.
parentPort?.on('message', ({ kind, text }: TextToRender) => {
  parentPort?.postMessage({ stage: 'render' });
  parentPort?.postMessage({ answer: kind === 'markdown' ? renderMarkdown(text) : renderReview(text) });
});

parentPort?.postMessage({ ready: true });
// Kept for the next thread: this one may be ended at any time.
flushCompileCache();
