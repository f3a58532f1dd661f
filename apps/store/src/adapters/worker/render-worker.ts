import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { renderMarkdown, renderReview } from '../../core/render/render-text.ts';
import type { TextToRender } from '../../platform/renderer.ts';

// The thread that renders texts: the main thread can terminate it when a text makes a parser loop.
parentPort?.on('message', ({ kind, text, place }: TextToRender) => {
  parentPort?.postMessage({ stage: 'render' });
  parentPort?.postMessage({ answer: kind === 'markdown' ? renderMarkdown(text, place) : renderReview(text) });
});

parentPort?.postMessage({ ready: true });
// Written now for the next thread: this one may be terminated at any time.
flushCompileCache();
