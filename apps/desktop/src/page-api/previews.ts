import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { call, Id, type PageParts } from './page-call.ts';

const MAX_HTML = 1024 * 1024;

/** The script that draws diagrams, which the build of the page writes. It is read when a diagram is shown: it is large. */
export const readDiagramScript = (pageFolder: string): Promise<string> =>
  readFile(join(pageFolder, 'frames', 'diagram.txt'), 'utf8');

/** Documents in answers of models, shown in a frame without network. */
export function previewCalls({ desktop: { runtime }, diagramScript }: PageParts) {
  return {
    'previews.open': call(
      z.strictObject({
        html: z.string().max(MAX_HTML),
        title: z.string().max(200),
        /** Whether it is a diagram: its text in a document, which a script draws. */
        diagram: z.exactOptional(z.literal(true)),
      }),
      async ({ html, title, diagram }) => {
        const script = diagram ? await diagramScript() : null;
        return { preview: runtime.previews.open(html, title, script) };
      },
    ),
    'previews.close': call(z.strictObject({ preview: Id }), ({ preview }) => runtime.previews.close(preview)),
  };
}
