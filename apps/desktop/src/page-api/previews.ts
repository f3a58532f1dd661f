import { z } from 'zod';
import { call, Id, type PageParts } from './page-call.ts';

const MAX_HTML = 1024 * 1024;

/** Documents in answers of models, shown in a frame without network. */
export function previewCalls({ desktop: { runtime } }: PageParts) {
  return {
    'previews.open': call(
      z.strictObject({ html: z.string().max(MAX_HTML), title: z.string().max(200) }),
      ({ html, title }) => ({ preview: runtime.previews.open(html, title) }),
    ),
    'previews.close': call(z.strictObject({ preview: Id }), ({ preview }) => runtime.previews.close(preview)),
  };
}
