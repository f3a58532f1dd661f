import { createHash } from 'node:crypto';
import { isObject } from '@svc/contracts/is-object';
import { isThisMachine } from '@svc/contracts/this-machine';
import { suggestDomain } from '@svc/validator';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import { isAllowedHere, type Loopback } from '../network/connector.ts';

/**
 * The sandbox of a panel's frame: scripts, and the `submit` event of forms, whose submission `form-action` blocks. It keeps its
 * origin, which distinguishes the panel's page from any other in the same frame, and its files from those of another app.
 * Neither the client's page nor the frame page shares that origin, so the panel cannot remove its sandbox.
 */
export const SANDBOX = 'allow-scripts allow-forms allow-same-origin';

/** The hash of a script or style, as a policy names it (CSP 3, section 6.7.2). */
export const contentHash = (text: string): string => createHash('sha256').update(text).digest('base64');

/** No policy denies all features at once, so each feature that Chromium, Firefox or Safari knows is listed. */
const DENIED_FEATURES = [
  'accelerometer',
  'aria-notify',
  'autoplay',
  'browsing-topics',
  'camera',
  'captured-surface-control',
  'ch-device-memory',
  'ch-downlink',
  'ch-dpr',
  'ch-ect',
  'ch-prefers-color-scheme',
  'ch-prefers-reduced-motion',
  'ch-prefers-reduced-transparency',
  'ch-rtt',
  'ch-save-data',
  'ch-ua',
  'ch-ua-arch',
  'ch-ua-bitness',
  'ch-ua-form-factors',
  'ch-ua-full-version',
  'ch-ua-full-version-list',
  'ch-ua-high-entropy-values',
  'ch-ua-mobile',
  'ch-ua-model',
  'ch-ua-platform',
  'ch-ua-platform-version',
  'ch-ua-wow64',
  'ch-viewport-height',
  'ch-viewport-width',
  'ch-width',
  'clipboard-read',
  'clipboard-write',
  'compute-pressure',
  'cross-origin-isolated',
  'deferred-fetch',
  'deferred-fetch-minimal',
  'digital-credentials-create',
  'digital-credentials-get',
  'display-capture',
  'encrypted-media',
  'focus-without-user-activation',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'interest-cohort',
  'keyboard-map',
  'language-detector',
  'language-model',
  'local-fonts',
  'local-network',
  'local-network-access',
  'loopback-network',
  'magnetometer',
  'media-playback-while-not-visible',
  'microphone',
  'midi',
  'on-device-speech-recognition',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'private-state-token-issuance',
  'private-state-token-redemption',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'rewriter',
  'screen-wake-lock',
  'serial',
  'speaker-selection',
  'storage-access',
  'summarizer',
  'sync-xhr',
  'translator',
  'unload',
  'usb',
  'web-app-installation',
  'web-share',
  'window-management',
  'writer',
  'xr-spatial-tracking',
];

const PERMISSIONS_POLICY = DENIED_FEATURES.map((feature) => `${feature}=()`).join(', ');

/** A host name, optionally with `*.`: it contains no character that ends a source or directive. */
const HOST = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/** The origins that a page of a connector's server may connect to and load from. */
export type PageSources = { connect: readonly string[]; resources: readonly string[] };

/** The app of the panel, the addresses of this machine that it may access, and the origins of a page of its server. */
type Panel = { app: InstalledApp; loopback: Loopback; page?: PageSources };

/** An origin with TLS, and its host. */
const PAGE_ORIGIN = /^(?:https|wss):\/\/([a-z0-9.*-]+)(?::\d{1,5})?$/;
/** Most origins of a page of one kind. */
const MAX_PAGE_ORIGINS = 50;

/**
 * The origins that a page names (MCP Apps, `_meta.ui.csp`). Only names of the Internet with TLS, and wildcards of one owner, are
 * taken: what a manifest may name, too. Frames and base URLs are not.
 */
export function pageSources(csp: unknown): PageSources {
  const { connectDomains, resourceDomains } = isObject(csp) ? csp : {};
  const origins = (given: unknown) => {
    const texts = Array.isArray(given) ? given.slice(0, MAX_PAGE_ORIGINS).map(String) : [];
    const isFine = (text: string) => {
      const [, host] = PAGE_ORIGIN.exec(text) ?? [];
      return host !== undefined && suggestDomain(host, 'store') === host;
    };
    return [...new Set(texts.map((text) => text.toLowerCase().replace(/\/$/, '')).filter(isFine))];
  };
  return { connect: origins(connectDomains), resources: origins(resourceDomains) };
}

/** The directives of a page, whose own scripts and styles are written into it (MCP Apps, "Content Security Policy"). */
function sourcesOfPage({ connect, resources }: PageSources): Record<string, readonly string[]> {
  const inline = ["'unsafe-inline'", ...resources];
  const media = ['data:', 'blob:', ...resources];
  return {
    'default-src': ["'none'"],
    'script-src': inline,
    'style-src': inline,
    'font-src': ['data:', ...resources],
    'worker-src': ['blob:'],
    'connect-src': connect.length > 0 ? connect : ["'none'"],
    'img-src': media,
    'media-src': media,
    'frame-src': ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  };
}

/** The policy that a page of a connector carries with it (CSP 3, section 3.3), in a host that has its own. */
export const pagePolicy = (page: PageSources): string => serialise(sourcesOfPage(page));

/** The sources for one name of this machine. If only some ports are allowed, a panel gets only that of its app's own server. */
function localHosts(
  { app, loopback }: Panel,
  domain: string,
  [web, local]: readonly [string, string],
): string[] {
  if (typeof loopback === 'boolean') return loopback ? [`${local}://${domain}:*`] : [];
  const url = new URL(enforcedFootprint(app).mcpUrl);
  const isOwn = url.hostname === domain && isAllowedHere(url, loopback);
  return isOwn ? [`${url.protocol === 'https:' ? web : local}://${url.host}`] : [];
}

/** The app's own server, if it uses another port: a source without port matches only the default port. */
function ownServer({ app }: Panel, scheme: string): string[] {
  const { port, hostname, host } = new URL(enforcedFootprint(app).mcpUrl);
  return port !== '' && HOST.test(hostname) && !isThisMachine(hostname) ? [`${scheme}://${host}`] : [];
}

/**
 * The sources a panel may connect to: the domains of its app and the app's server, over TLS only, because a name that resolves to
 * a device in the user's network then has no valid certificate. A server on this machine needs no TLS.
 */
function hostsOf(panel: Panel, schemes: readonly [string, string]): string[] {
  const domains = enforcedFootprint(panel.app)
    .domains.filter((domain) => HOST.test(domain))
    .flatMap((domain) =>
      isThisMachine(domain) ? localHosts(panel, domain, schemes) : [`${schemes[0]}://${domain}`],
    );
  return [...domains, ...ownServer(panel, schemes[0])];
}

/**
 * Returns the content security policy of a panel: its own files, and the domains of its footprint for requests, images and media.
 * @param frames the origins that may frame it: the frame page's and the client's
 */
export function panelPolicy(panel: Panel, frames: readonly string[]): string {
  return serialise({
    ...(panel.page ? sourcesOfPage(panel.page) : sourcesOf(hostSources(panel), ["'self'"])),
    'frame-ancestors': frames,
    webrtc: ["'block'"],
    sandbox: [SANDBOX],
  });
}

/** The hosts of a panel, for requests and for sockets. */
type HostSources = { web: readonly string[]; sockets: readonly string[] };

const hostSources = (panel: Panel): HostSources => ({
  web: hostsOf(panel, ['https', 'http']),
  sockets: hostsOf(panel, ['wss', 'ws']),
});

/**
 * The directives of all panels.
 * @param own the sources of the panel's own files
 * @param scripts the sources of its scripts
 */
function sourcesOf(
  { web, sockets }: HostSources,
  own: readonly string[],
  scripts: readonly string[] = own,
): Record<string, readonly string[]> {
  return {
    'default-src': ["'none'"],
    // Nothing inline and no eval: only checked and signed files run, and text shown in a panel cannot become script.
    'script-src': scripts,
    // A style attribute can do nothing that a style sheet of the bundle cannot.
    'style-src': [...own, "'unsafe-inline'"],
    'font-src': [...own, 'data:'],
    'worker-src': own.length > 0 ? own : ["'none'"],
    'connect-src': [...own, ...web, ...sockets],
    'img-src': [...own, 'data:', 'blob:', ...web],
    'media-src': [...own, 'data:', 'blob:', ...web],
    'frame-src': ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  };
}

const hashSources = (hashes: readonly string[]): string[] => hashes.map((hash) => `'sha256-${hash}'`);

/** The policy of a panel's document that must not connect to any host, such as that of a version under review. */
export const closedPolicy = (hashes: readonly string[]): string =>
  serialise({
    ...sourcesOf({ web: [], sockets: [] }, [], hashSources(hashes)),
    'connect-src': ["'none'"],
    webrtc: ["'block'"],
  });

/**
 * The policy that a panel's document carries with it (CSP 3, section 3.3), in a host that has its own.
 * @param hashes of its scripts, which are all from the bundle
 */
export function documentPolicy(panel: Panel, hashes: readonly string[]): string {
  const { 'connect-src': hosts = [], ...sources } = sourcesOf(hostSources(panel), [], hashSources(hashes));
  return serialise({ ...sources, 'connect-src': ['data:', ...hosts] });
}

/** The origins of a panel, as MCP Apps declare them. */
export function documentSources(panel: Panel): { connectDomains: string[]; resourceDomains: string[] } {
  const { web, sockets } = hostSources(panel);
  return { connectDomains: [...web, ...sockets], resourceDomains: [...web] };
}

/**
 * Returns the `Connection-Allowlist` of a panel: it also covers the connections that a content security policy does not: WebRTC,
 * preconnects, and navigation. Supported by Chromium since 152 (Connection Allowlists, WICG). Redirects are left to the content
 * security policy, which checks every hop.
 */
export function panelConnections(panel: Panel): string {
  const { page } = panel;
  const origins = page
    ? new Set([...page.connect, ...page.resources].map((one) => one.replace(/^wss/, 'https')))
    : hostsOf(panel, ['https', 'http']);
  const hosts = [...origins].map((host) => `"${host}"`);
  return `(${['response-origin', ...hosts].join(' ')});redirects=allow;webrtc=block`;
}

/**
 * Returns the policy of the frame page around a panel: its only script and style by hash, and only this panel's files in its frame.
 * This policy, not the panel's, decides where the panel's frame may navigate (CSP 3, section 6.7.2).
 */
export const framePagePolicy = (sources: {
  script: string;
  style: string;
  panel: string;
  own: string;
  client: string;
}) =>
  serialise({
    'default-src': ["'none'"],
    'script-src': [`'sha256-${sources.script}'`],
    'style-src': [`'sha256-${sources.style}'`],
    'frame-src': [sources.panel],
    'connect-src': [sources.own],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': [sources.client],
  });

/** Everything that the frame page may connect to: the panel's origin, and one name of its own. */
export const framePageConnections = (addresses: readonly string[]): string =>
  `(${addresses.map((address) => `"${address}"`).join(' ')});webrtc=block`;

/** For files from the user: they are data, whatever they contain. */
export const FILE_POLICY = "default-src 'none'; sandbox";

const serialise = (policy: Record<string, readonly string[]>): string =>
  Object.entries(policy)
    .map(([directive, values]) => [directive, ...values].join(' '))
    .join('; ');

/** The sandbox of a preview: scripts, in an opaque origin. */
export const PREVIEW_SANDBOX = 'allow-scripts';

/**
 * The policy of a preview, which is a document without files: its own scripts and styles, pictures and fonts within it, and nothing from
 * anywhere. The policy of the client's page decides where its frame may navigate (CSP 3, section 6.7.2).
 * @param script the client's script that draws it: the only one that runs there
 */
export const previewPolicy = (client: string, script: string | null): string =>
  serialise({
    'default-src': ["'none'"],
    'script-src': script === null ? ["'unsafe-inline'"] : hashSources([contentHash(script)]),
    'style-src': ["'unsafe-inline'"],
    'img-src': ['data:', 'blob:'],
    'font-src': ['data:'],
    'media-src': ['data:', 'blob:'],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': [client],
    sandbox: [PREVIEW_SANDBOX],
    webrtc: ["'block'"],
  });

/** Headers of every response in addition to its policy. Each session has its own URL, so caching is useless. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': PERMISSIONS_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
};
