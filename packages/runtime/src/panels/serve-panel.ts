import type { InstalledApp } from '../library/installed-app.ts';
import type { Loopback } from '../network/connector.ts';
import { typeOfHandedFile, typeOfPath } from './content-types.ts';
import type { EngineProbe } from './engine-probe.ts';
import { FRAME_PAGE_HASHES, framePage } from './frame-page.ts';
import type { HandedFiles } from './handed-files.ts';
import {
  COMMON_HEADERS,
  FILE_POLICY,
  framePageConnections,
  framePagePolicy,
  type PageSources,
  panelConnections,
  panelPolicy,
} from './policy.ts';

/** The served content of one open panel. */
export type ServedPanel = {
  app: InstalledApp;
  /** The addresses of this machine that it may access. */
  loopback: Loopback;
  /** The origins of a page of the app's server (MCP Apps), which is the only file; undefined for a panel of a bundle. */
  page?: PageSources;
  title: string;
  /** The page that the panel opens with, as a path in the bundle. */
  entry: string;
  files: ReadonlyMap<string, Uint8Array>;
  handed: HandedFiles;
  /** The probe of its browser. */
  probe: EngineProbe;
  /** Unguessable; the first segment of every path, so that relative URLs of a page contain it too. */
  secret: string;
  /** Origin of the app's files: one for each app and version. */
  origin: string;
  /** Origin of the frame page around them. */
  frameOrigin: string;
  clientOrigin: string;
};

/** Path segments of the frame page, and of files from the user, under a panel's secret. */
const FRAME = 'frame';
const HANDED = 'files/';

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The URL of the frame page, for the client's page. */
export const frameAddress = ({ frameOrigin, secret }: ServedPanel): string =>
  `${frameOrigin}/${secret}/${FRAME}`;

/** The URL of a file that was passed to the panel. */
export const handedAddress = ({ origin, secret }: ServedPanel, id: string): string =>
  `${origin}/${secret}/${HANDED}${id}`;

const respond = (
  status: number,
  body: Uint8Array | string | null,
  headers: Record<string, string>,
): Response =>
  new Response(body as Uint8Array<ArrayBuffer> | string | null, {
    status,
    headers: { ...COMMON_HEADERS, ...headers },
  });

const REFUSED = { 'content-security-policy': FILE_POLICY, 'content-type': 'text/plain; charset=utf-8' };
const refuse = (status: number, text: string): Response => respond(status, `${text}\n`, REFUSED);

/** The `Sec-Fetch-Dest` values of requests outside the panel's frame, and of workers that may outlive the panel. */
const REFUSED_DESTINATIONS = new Set(['document', 'object', 'embed', 'serviceworker', 'sharedworker']);

/**
 * Responds to requests that contain the secret of an open panel: with the frame page on the frame's origin, and with files of the
 * bundle and files from the user on the app's. Works behind a listener or a client's own protocol handler.
 * @param find returns an open panel by its secret
 */
export function servePanel(find: (secret: string) => ServedPanel | undefined, request: Request): Response {
  const { origin, pathname } = new URL(request.url);
  const [, secret = ''] = pathname.split('/', 2);
  const panel = find(secret);
  if (!panel) return refuse(404, 'There is nothing here.');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(405, 'Only GET and HEAD are allowed.');
  const destination = request.headers.get('sec-fetch-dest') ?? '';
  // A service worker would continue to respond for the origin after the panel is closed.
  if (request.headers.has('service-worker') || REFUSED_DESTINATIONS.has(destination)) {
    return refuse(403, 'Panels load only in the frame of their client.');
  }
  const name = pathname.slice(secret.length + 2);
  if (origin === panel.frameOrigin) return serveFrameOrigin(panel, name);
  if (origin !== panel.origin) return refuse(404, 'There is nothing here.');
  if (name.startsWith(HANDED)) return serveHanded(panel, name.slice(HANDED.length), destination);
  return serveFile(panel, name);
}

/** Serves the frame's origin: the frame page, and the two names that it requests to probe its browser. */
function serveFrameOrigin(panel: ServedPanel, name: string): Response {
  if (name === FRAME) return serveFrame(panel);
  return panel.probe.recordRequest(name)
    ? respond(204, null, REFUSED)
    : refuse(404, 'There is nothing here.');
}

function serveFrame({
  origin,
  frameOrigin,
  clientOrigin,
  secret,
  entry,
  title,
  probe,
  page: sources,
}: ServedPanel): Response {
  const folder = `${origin}/${secret}/`;
  const own = `${frameOrigin}/${secret}/`;
  const page = `${folder}${encodePath(entry)}`;
  return respond(
    200,
    framePage({ title, page, client: clientOrigin, probe, relays: sources !== undefined }),
    {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': framePagePolicy({
        ...FRAME_PAGE_HASHES,
        panel: folder,
        own,
        client: clientOrigin,
      }),
      'connection-allowlist': framePageConnections([origin, `${own}${probe.open}`]),
    },
  );
}

/** Serves a file from the user: never as a page, and never as anything that a page could execute. */
function serveHanded(panel: ServedPanel, id: string, destination: string): Response {
  const file = panel.handed.find(id);
  if (!file || destination === 'iframe') return refuse(404, 'There is nothing here.');
  return respond(200, file.bytes, {
    'content-type': typeOfHandedFile(file.type),
    'content-security-policy': FILE_POLICY,
  });
}

/**
 * The path of a file in the bundle; null for a path that parsers may read differently. Files are looked up by their whole name in
 * a map, so path traversal is impossible; no verified bundle contains the names that are refused here.
 */
function bundlePath(name: string): string | null {
  if (/%(?:2f|5c|00)/i.test(name)) return null;
  try {
    const path = decodeURIComponent(name);
    const isSafe = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return isSafe && !/[\\\u0000-\u001f]/.test(path) ? path : null;
  } catch {
    return null;
  }
}

function serveFile(panel: ServedPanel, name: string): Response {
  const path = bundlePath(name);
  const bytes = path !== null && /^(?:ui|assets)\//.test(path) ? panel.files.get(path) : undefined;
  if (path === null || !bytes) return refuse(404, 'There is nothing here.');
  return respond(200, bytes, {
    'content-type': typeOfPath(path),
    'content-security-policy': panelPolicy(panel, [panel.frameOrigin, panel.clientOrigin]),
    'connection-allowlist': panelConnections(panel),
  });
}
