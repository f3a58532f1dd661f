import { createHash } from 'node:crypto';
import { escapeText } from '@svc/text';
import { createPageCache } from './page-cache.ts';
import type { Clock, Log } from './system.ts';

/** Where a text stands on a page. */
export type TextPlace = {
  /** The prefix of its ids: lower-case letters and digits. */
  anchor: string;
  /** The addresses of the pictures of its bundle, from the root of the store, by their path in the bundle. */
  pictures?: Readonly<Record<string, string>>;
};

/** A text and its format: Markdown, or a review, which has no markup. */
export type TextToRender = { kind: 'markdown' | 'review'; text: string; place?: TextPlace | undefined };

/** Renders untrusted text as HTML without active content. */
export interface Renderer {
  /** @throws when rendering crashes, or takes too long or too much memory */
  render(text: TextToRender): Promise<string>;
}

/** Maximum UTF-16 code units that are shown of a text that cannot be rendered. */
const MAX_UNRENDERED = 64 * 1024;

const plainText = (text: string): string => `<pre>${escapeText(text.slice(0, MAX_UNRENDERED), 'html')}</pre>`;

const keyOf = ({ kind, text, place }: TextToRender): string =>
  createHash('sha256')
    .update(`${kind}\n${JSON.stringify(place ?? null)}\n${text}`)
    .digest('base64url');

/** The same text always has the same rendering. */
const FOR_EVER = { lifetimeMs: Number.POSITIVE_INFINITY, graceMs: Number.POSITIVE_INFINITY };

/**
 * Creates a renderer that renders each text once and caches the result. A text that cannot be rendered is shown as plain text, so that
 * the rest of its page still works.
 */
export function createSafeRenderer(renderer: Renderer, { clock, log }: { clock: Clock; log: Log }) {
  const cache = createPageCache<{ html: string; bytes: number }>(clock, null, FOR_EVER);

  async function make(input: TextToRender) {
    const html = await renderer.render(input).catch((error: unknown) => {
      log.warn({ err: error }, 'A text could not be rendered, and is shown as plain text.');
      return plainText(input.text);
    });
    return { html, bytes: 2 * html.length };
  }

  const render = async (input: TextToRender): Promise<string> =>
    input.text === '' ? '' : (await cache.get(keyOf(input), () => make(input))).html;

  return {
    markdown: (text: string, place?: TextPlace): Promise<string> => render({ kind: 'markdown', text, place }),
    review: (text: string): Promise<string> => render({ kind: 'review', text }),
  };
}

/** A renderer that falls back to plain text. */
export type SafeRenderer = ReturnType<typeof createSafeRenderer>;
