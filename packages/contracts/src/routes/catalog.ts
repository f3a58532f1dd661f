import * as catalog from '../records/catalog.ts';
import * as installs from '../records/installs.ts';
import {
  AppHead,
  AppHeadQuery,
  PublicKey,
  PublicKeys,
  RevocationHead,
  RevocationList,
  SegmentParam,
} from '../records/keys.ts';
import { OriginStatement } from '../records/origins.ts';
import { caching, Raster, ranges, route } from './route.ts';

/** Keys and the revocation list, with which clients verify apps. */
export const keysRoutes = {
  publicKey: route.keys('everyone GET /api/apps/public-key', {
    summary: 'Get the current public key of the store.',
    success: { status: 200, body: PublicKey },
    headers: caching,
  }),
  publicKeys: route.keys('everyone GET /api/apps/public-keys', {
    summary: 'List all public keys of the store, each signed by the previous one.',
    success: { status: 200, body: PublicKeys },
    headers: caching,
  }),
  revocations: route.keys('members GET /api/apps/revocations', {
    summary: 'Get the list of yanked versions, signed with the current key at least once an hour.',
    success: { status: 200, body: RevocationList },
    headers: caching,
  }),
  revocationHead: route.keys('members GET /api/revocations/head', {
    summary: 'Get the same list in parts: its hash, its segments by their content, and its newest entries.',
    success: { status: 200, body: RevocationHead },
    headers: caching,
  }),
  revocationSegment: route.keys('members GET /api/revocations/segments/:sha256', {
    summary: 'Get a segment of the revocation list: an array of entries, which never changes.',
    params: SegmentParam,
    success: { status: 200, type: 'application/json' },
    headers: caching,
    errors: ['not_found'],
  }),
  appHead: route.keys('members GET /api/apps/:appId/head', {
    summary: 'Get the signed statement of the latest version of an app, and of all its versions.',
    query: AppHeadQuery,
    success: { status: 200, body: AppHead },
    headers: caching,
  }),
};

/** Install statistics for publishers. */
export const installsRoutes = {
  installChart: route.publishers('person GET /api/publishers/:slug/apps/:appId/installs', {
    summary: 'Get the installs of an app of your publisher, by day and version.',
    query: installs.InstallsQuery,
    success: { status: 200, body: installs.InstallChart },
  }),
};

/** The tags of what is served of a version. */
const TAGS = {
  'Surrogate-Key': 'Tags by which a CDN purges the response, separated by spaces.',
  'Cache-Tag': 'The same, separated by commas.',
};

const ENCODED = '`Accept-Encoding`: `br`, `gzip` and uncompressed responses have different ETags.';

/** Routes by which clients find and download apps. */
export const catalogRoutes = {
  catalog: route.catalogue('members GET /api/apps/catalog', {
    summary: 'Search and list published apps.',
    query: catalog.CatalogQuery,
    success: { status: 200, body: catalog.CatalogPage },
    headers: {
      ...caching,
      Link: 'URL of the next page, `rel="next"`.',
      Vary: ENCODED,
    },
  }),
  appDetail: route.catalogue('members GET /api/apps/:appId', {
    summary: 'Get an app with its README and its versions.',
    query: catalog.AppDetailQuery,
    success: { status: 200, body: catalog.AppDetail },
    headers: { ...caching, Vary: ENCODED },
    errors: ['not_found', 'stopped'],
  }),
  deprecations: route.catalogue('members GET /api/apps/deprecations', {
    summary: 'Get which of some apps are deprecated, and which of their versions.',
    query: catalog.DeprecationsQuery,
    success: { status: 200, body: catalog.Deprecations },
    headers: caching,
  }),
  bundle: route.catalogue('members GET /api/apps/:appId/versions/:version/bundle', {
    summary: 'Download the signed zip of a published version.',
    takes: {
      'X-Svc-Install-Id':
        'Random id of the installation: 16 to 128 letters, digits and `-._~`. Each installation counts once for the app. An invalid id is ignored.',
      'X-Svc-Redirect':
        '`1` if the client follows a 307 to the file without sending these headers or its token there, and reads the `X-Svc-…` headers of the 307.',
    },
    success: { status: 200, type: 'application/zip' },
    ranges: true,
    redirects: 'the file in the object storage of the store, if its operator has enabled that',
    headers: {
      ...caching,
      ...ranges,
      ...TAGS,
      'X-Svc-Sha256': 'SHA-256 of the zip, in hex.',
      'X-Svc-Signature': 'Ed25519 signature over the signed facts, in base64.',
      'X-Svc-Key-Id': 'Id of the signing key.',
      'X-Svc-Published-At': 'Time of publication; part of the signed facts.',
      'X-Svc-Origin':
        'Of a version that comes from another store: the answer of `…/origin`, as base64url of its JSON.',
    },
    errors: ['not_found', 'yanked'],
  }),
  versionOrigin: route.catalogue('members GET /api/apps/:appId/versions/:version/origin', {
    summary:
      'Get the signed statement from which store a version comes. A version that was published here has none.',
    success: { status: 200, body: OriginStatement },
    headers: caching,
    errors: ['not_found', 'yanked'],
  }),
  attestation: route.catalogue('members GET /api/apps/:appId/versions/:version/attestation', {
    summary:
      'Download the attestation of a published version, a Sigstore bundle. It proves which CI job built the zip.',
    success: { status: 200, type: 'application/vnd.dev.sigstore.bundle.v0.3+json' },
    headers: caching,
    errors: ['not_found', 'yanked'],
  }),
  files: route.catalogue('members GET /api/apps/:appId/versions/:version/files/:path{.+}', {
    summary: 'Download an image that the branding of a published version refers to.',
    query: Raster,
    success: { status: 200, type: 'image/*' },
    ranges: true,
    headers: { ...caching, ...ranges, ...TAGS },
    errors: ['not_found', 'yanked'],
  }),
  readmePicture: route.catalogue('members GET /api/apps/:appId/versions/:version/readme/:path{.+}', {
    summary: 'Download an image that the README of a published version shows.',
    success: { status: 200, type: 'image/*' },
    ranges: true,
    headers: { ...caching, ...ranges, ...TAGS },
    errors: ['not_found', 'yanked'],
  }),
};
