import type { InstalledApp } from '../library/installed-app.ts';
import type { Loopback } from '../network/allowed-url.ts';
import { typeOfHandedFile, typeOfPath } from './content-types.ts';
import type { EngineProbe } from './engine-probe.ts';
import { FRAME_PAGE_HASHES, framePage } from './frame-page.ts';
import type { HandedFiles } from './handed-files.ts';
import {
  COMMON_HEADERS,
  FILE_POLICY,
  framePageConnections,
  framePagePolicy,
  panelConnections,
  panelPolicy,
} from './policy.ts';

/** What is served of one open panel. */
export type ServedPanel = {
  app: InstalledApp;
  /** What of this machine it may reach. */
  loopback: Loopback;
  title: string;
  /** The page the panel opens with, as a path in the bundle. */
  entry: string;
  files: ReadonlyMap<string, Uint8Array>;
  handed: HandedFiles;
  /** What its browser has shown of itself. */
  probe: EngineProbe;
  /** Unguessable; the first segment of every path, so that what a page loads relative to itself carries it too. */
  secret: string;
  /** Origin of the app's files: one for each app and version. */
  origin: string;
  /** Origin of the frame page around them. */
  frameOrigin: string;
  clientOrigin: string;
};

/** Name of the frame page, and of the folder of files that were handed over, under a panel's secret. */
const FRAME = 'frame';
const HANDED = 'files/';

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Where the client's page finds the frame page. */
export const frameAddress = ({ frameOrigin, secret }: ServedPanel): string =>
  `${frameOrigin}/${secret}/${FRAME}`;

/** Where a panel finds a file that was handed to it. */
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

/** Under what a browser says it asks for a page of a panel outside of the frame it belongs in, or for what may outlive it. */
const REFUSED_DESTINATIONS = new Set(['document', 'object', 'embed', 'serviceworker', 'sharedworker']);

/**
 * Answers a browser that holds the secret of an open panel, and nobody else: with the frame page on the frame's origin, with
 * files of the bundle and those handed over on the app's. Works behind a listener or a client's own protocol handler.
 * @param find an open panel by its secret
 */
export function servePanel(find: (secret: string) => ServedPanel | undefined, request: Request): Response {
  const { origin, pathname } = new URL(request.url);
  const [, secret = ''] = pathname.split('/', 2);
  const panel = find(secret);
  if (!panel) return refuse(404, 'There is nothing here.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Only GET is answered.');
  const destination = request.headers.get('sec-fetch-dest') ?? '';
  // A service worker would go on answering for the origin when the panel is closed and its secret forgotten.
  if (request.headers.has('service-worker') || REFUSED_DESTINATIONS.has(destination)) {
    return refuse(403, 'Panels are shown in the frame of their client alone.');
  }
  const name = pathname.slice(secret.length + 2);
  if (origin === panel.frameOrigin) return serveFrameOrigin(panel, name);
  if (origin !== panel.origin) return refuse(404, 'There is nothing here.');
  if (name.startsWith(HANDED)) return serveHanded(panel, name.slice(HANDED.length), destination);
  return serveFile(panel, name);
}

/** What is around the panel: the frame page, and the two names that it asks for to see what its browser does. */
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
}: ServedPanel): Response {
  const folder = `${origin}/${secret}/`;
  const own = `${frameOrigin}/${secret}/`;
  const page = `${folder}${encodePath(entry)}`;
  return respond(200, framePage({ title, page, client: clientOrigin, probe }), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': framePagePolicy({
      ...FRAME_PAGE_HASHES,
      panel: folder,
      own,
      client: clientOrigin,
    }),
    'connection-allowlist': framePageConnections([origin, `${own}${probe.open}`]),
  });
}

/** Never as a page, and never as what a page could run. */
function serveHanded(panel: ServedPanel, id: string, destination: string): Response {
  const file = panel.handed.find(id);
  if (!file || destination === 'iframe') return refuse(404, 'There is nothing here.');
  return respond(200, file.bytes, {
    'content-type': typeOfHandedFile(file.type),
    'content-security-policy': FILE_POLICY,
  });
}

/**
 * Path of a file in the bundle; null for what only a different reader would take for one. A file is found by its whole name in
 * a map, so that there is nothing to climb out of; the names refused here are in no bundle that verifies.
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
