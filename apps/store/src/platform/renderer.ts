import { createHash } from 'node:crypto';
import { escapeText } from '@svc/text';
import { createPageCache } from './page-cache.ts';
import type { Clock, Log } from './system.ts';

/** A text, and how it was written: as markdown, or as a review, which is without markup. */
export type TextToRender = { kind: 'markdown' | 'review'; text: string };

/** Makes HTML of what people wrote, which can do nothing but be read. */
export interface Renderer {
  /** @throws when rendering crashes, or takes too long or too much memory */
  render(text: TextToRender): Promise<string>;
}

/** A renderer that always has something to show. */
export type SafeRenderer = { markdown(text: string): Promise<string>; review(text: string): Promise<string> };

/** What is shown of a text that cannot be rendered, in UTF-16 code units. */
const MAX_UNRENDERED = 64 * 1024;

const asItStands = (text: string): string =>
  `<pre>${escapeText(text.slice(0, MAX_UNRENDERED), 'html')}</pre>`;

const keyOf = ({ kind, text }: TextToRender): string =>
  createHash('sha256').update(`${kind}\n${text}`).digest('base64url');

/** What the same text becomes never changes. */
const FOR_EVER = { lifetimeMs: Number.POSITIVE_INFINITY, graceMs: Number.POSITIVE_INFINITY };

/**
 * Renders each text once, however many ask, and holds what came of it. A text on which the parsers choke is shown as it
 * stands, so that it takes nothing else of its page along.
 */
export function createSafeRenderer(
  renderer: Renderer,
  { clock, log }: { clock: Clock; log: Log },
): SafeRenderer {
  const held = createPageCache<{ html: string; bytes: number }>(clock, FOR_EVER);

  async function make(wanted: TextToRender) {
    const html = await renderer.render(wanted).catch((error: unknown) => {
      log.warn({ err: error }, 'A text could not be rendered, and is shown as it stands.');
      return asItStands(wanted.text);
    });
    return { html, bytes: 2 * html.length };
  }

  const render = async (wanted: TextToRender): Promise<string> =>
    wanted.text === '' ? '' : (await held.get(keyOf(wanted), () => make(wanted))).html;

  return {
    markdown: (text) => render({ kind: 'markdown', text }),
    review: (text) => render({ kind: 'review', text }),
  };
}
