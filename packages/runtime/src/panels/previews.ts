import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { PanelFrame } from './open-panel.ts';
import { COMMON_HEADERS, PREVIEW_SANDBOX, previewPolicy } from './policy.ts';

/** Longest document, in UTF-16 units, and most open previews: a further one closes the oldest. */
const MAX_TEXT = 1024 * 1024;
const MAX_OPEN = 16;

/** A document that is shown in a frame until it is closed. */
export type Preview = { id: string; frame: PanelFrame };

type Deps = {
  system: Pick<System, 'randomBytes'>;
  /** Origin of the page that shows previews; no other page may frame them. */
  clientOrigin: string;
  /** Returns a unique origin for a name, at which `serve` responds. */
  originOf(name: string): string;
};

/**
 * Shows documents that no app and no user wrote, such as the HTML of a model's answer: without network, storage, or access to any page.
 * Each has an opaque origin on a site of its own, so that browsers run it in a process apart from the client's page.
 */
export function createPreviews({ system, clientOrigin, originOf }: Deps) {
  const open = new Map<string, { html: string; script: string | null; origin: string }>();
  const randomHex = (bytes: number): string => Buffer.from(system.randomBytes(bytes)).toString('hex');
  return {
    /**
     * @param script a script of the client that draws what the document says, behind it; of others none runs then. It holds no `</script` and no `<!--`
     * @throws RuntimeError `too-large`
     */
    open(html: string, title: string, script: string | null = null): Preview {
      if (html.length > MAX_TEXT) throw new RuntimeError('too-large');
      const id = randomHex(32);
      const origin = originOf(`preview-${randomHex(16)}`);
      open.set(id, { html, script, origin });
      const [oldest] = open.keys();
      if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
      return { id, frame: { address: `${origin}/${id}/preview`, origin, sandbox: PREVIEW_SANDBOX, title } };
    },
    close(id: string): void {
      open.delete(id);
    },
    /** Serves a browser's request for an open preview; null for any other. */
    serve(request: Request): Response | null {
      const { origin, pathname } = new URL(request.url);
      const [, id = '', name] = pathname.split('/');
      const preview = open.get(id);
      if (preview?.origin !== origin || name !== 'preview') return null;
      const destination = request.headers.get('sec-fetch-dest') ?? 'iframe';
      if (destination !== 'iframe' || request.headers.has('service-worker')) return null;
      const { html, script } = preview;
      return new Response(script === null ? html : `${html}<script>${script}</script>`, {
        headers: {
          ...COMMON_HEADERS,
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': previewPolicy(clientOrigin, script),
          'connection-allowlist': '();webrtc=block',
        },
      });
    },
  };
}

export type Previews = ReturnType<typeof createPreviews>;
