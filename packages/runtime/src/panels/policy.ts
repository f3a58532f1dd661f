import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import type { Loopback } from '../network/allowed-url.ts';

/**
 * What a panel's frame may do. Scripts, and the `submit` event of forms, whose sending `form-action` forbids. It keeps its own
 * origin, because that is what tells its page from any other in the same frame, and its files from those of another app;
 * neither the client's page nor the frame around it shares that origin, so it cannot reach out and take its sandbox off.
 */
export const SANDBOX = 'allow-scripts allow-forms allow-same-origin';

/** No policy denies everything at once, so each feature that Chromium, Firefox or Safari know is named. */
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

/** A host name or `*.` and one: what cannot end the source it stands in, or the directive. */
const HOST = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|(?:.+\.)?localhost)$/;

/** Whose panel it is, and what of this machine it may reach. */
type Panel = { app: InstalledApp; loopback: Loopback };

/** The sources of this machine under one of its names. Where ports are named, a panel gets that of its app's own server alone. */
function localHosts(
  { app, loopback }: Panel,
  domain: string,
  [web, local]: readonly [string, string],
): string[] {
  if (typeof loopback === 'boolean') return loopback ? [`${local}://${domain}:*`] : [];
  const { origin, protocol, host, hostname } = new URL(enforcedFootprint(app).mcpUrl);
  const isOwn = hostname === domain && loopback.includes(origin);
  return isOwn ? [`${protocol === 'https:' ? web : local}://${host}`] : [];
}

/** The app's own server, where it is on a port of its own: a source without one stands for the usual port alone. */
function ownServer({ app }: Panel, scheme: string): string[] {
  const { port, hostname, host } = new URL(enforcedFootprint(app).mcpUrl);
  return port !== '' && HOST.test(hostname) && !LOOPBACK.test(hostname) ? [`${scheme}://${host}`] : [];
}

/**
 * Where a panel may connect to: the domains of its app and its own server, over TLS alone, so that a name which leads into the
 * person's own network finds nobody there with a certificate for it. A server of the person's own machine needs none.
 */
function hostsOf(panel: Panel, schemes: readonly [string, string]): string[] {
  const domains = enforcedFootprint(panel.app)
    .domains.filter((domain) => HOST.test(domain))
    .flatMap((domain) =>
      LOOPBACK.test(domain) ? localHosts(panel, domain, schemes) : [`${schemes[0]}://${domain}`],
    );
  return [...domains, ...ownServer(panel, schemes[0])];
}

/**
 * The content security policy of a panel: its own files, and the domains of its footprint for requests, pictures and media.
 * @param frames the origins that may be around it: the frame page's and the client's
 */
export function panelPolicy(panel: Panel, frames: readonly string[]): string {
  const web = hostsOf(panel, ['https', 'http']);
  const sockets = hostsOf(panel, ['wss', 'ws']);
  const policy: Record<string, readonly string[]> = {
    'default-src': ["'none'"],
    // Nothing inline and no eval: what runs is what was checked and signed, and text that a panel shows cannot become script.
    'script-src': ["'self'"],
    // A style attribute reaches nothing that a style sheet of the bundle could not.
    'style-src': ["'self'", "'unsafe-inline'"],
    'font-src': ["'self'", 'data:'],
    'worker-src': ["'self'"],
    'connect-src': ["'self'", ...web, ...sockets],
    'img-src': ["'self'", 'data:', 'blob:', ...web],
    'media-src': ["'self'", 'data:', 'blob:', ...web],
    'frame-src': ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': frames,
    webrtc: ["'block'"],
    sandbox: [SANDBOX],
  };
  return serialise(policy);
}

/**
 * The same once more for all of a panel's connections, those included that a content security policy does not know: WebRTC, the
 * connections a browser makes ahead of a request, and navigation. Chromium heeds it since 152 (Connection Allowlists, WICG).
 * Redirects are left to the content security policy, which looks at every hop.
 */
export function panelConnections(panel: Panel): string {
  const hosts = hostsOf(panel, ['https', 'http']).map((host) => `"${host}"`);
  return `(${['response-origin', ...hosts].join(' ')});redirects=allow;webrtc=block`;
}

/**
 * The policy of the frame page around a panel: its one script and style, by their hashes, and below it nothing but this panel's
 * files. Of all policies it is this that binds where the panel's frame may be navigated (CSP 3, section 6.7.2).
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

/** All that the frame page may connect to: the panel's origin, and one name of its own. */
export const framePageConnections = (addresses: readonly string[]): string =>
  `(${addresses.map((address) => `"${address}"`).join(' ')});webrtc=block`;

/** For a file that a person handed over: it is data, whatever it holds. */
export const FILE_POLICY = "default-src 'none'; sandbox";

const serialise = (policy: Record<string, readonly string[]>): string =>
  Object.entries(policy)
    .map(([directive, values]) => [directive, ...values].join(' '))
    .join('; ');

/** What every answer carries beside its own policy. Each session has its own address, so nothing is worth caching. */
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
