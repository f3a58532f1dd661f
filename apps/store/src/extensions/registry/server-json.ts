import {
  type Manifest,
  OFFICIAL_META,
  REGISTRY_META,
  type RegistryServer,
  serverNameOf,
} from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import { taglineOf } from '../../core/domain/listings/tagline.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { signedOriginOf } from '../../core/domain/versions/origin.ts';
import type { VersionRecord } from '../../core/domain/versions/version-record.ts';
import { urlOfApp } from '../../core/web/paths.ts';
import type { Released } from './released-store.ts';

/** Limits of the registry's schema, in characters. */
const MAX = { title: 100, description: 100, address: 255, statusMessage: 500 };

const NOTICE =
  'This entry is only the address of the server. An svc client also verifies the signed bundle, asks for consent and approval, limits the hosts that data goes to, and hands over files.';

const cut = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
};

/**
 * The address of the server of an app. In addresses of a registry `{name}` is a variable, and in allow-lists `*` a wildcard: both are
 * percent-encoded (RFC 3986 section 2.1).
 */
export const serverUrlOf = ({ remote }: Manifest): string =>
  remote.mcpUrl.replace(/[{}*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whether every account can be connected by any MCP client: those whose server the client discovers itself. */
export const isForPlainClients = ({ accounts = [] }: Manifest): boolean =>
  accounts.every(({ auth }) => auth === 'mcp');

export type At = Pick<Parts, 'addresses' | 'baseUrl' | 'routeNames'>;

function iconsOf({ appId, version, manifest }: VersionRecord, { addresses }: At) {
  const src = `${addresses.file({ appId, version }, manifest.branding.icon)}?raster=`;
  // The schema takes only https addresses of limited length.
  return src.startsWith('https:') && src.length <= MAX.address
    ? { icons: [{ src, mimeType: 'image/png' as const }] }
    : {};
}

const serverOf = (record: VersionRecord, at: At): RegistryServer['server'] => {
  const { appId, version, manifest } = record;
  return {
    name: serverNameOf(appId),
    title: cut(manifest.name, MAX.title),
    description: cut(taglineOf(manifest.description), MAX.description),
    version,
    websiteUrl: manifest.homepage ?? urlOfApp(at, appId),
    ...iconsOf(record, at),
    ...(isForPlainClients(manifest) && {
      remotes: [{ type: 'streamable-http', url: serverUrlOf(manifest) }],
    }),
  };
};

/**
 * Describes a released version as an MCP server.
 * @returns null for a version without a signature, which was never published
 */
export function registryServer(released: Released, record: VersionRecord, at: At): RegistryServer | null {
  const { appId, version, publishedAt, signature, keyId, sha256, manifest, notes } = record;
  if (publishedAt === null || signature === null || keyId === null) return null;
  const { isYanked, isSuspended, latest, deprecation } = released;
  const isDeleted = isYanked || isSuspended;
  const status = isDeleted ? 'deleted' : deprecation === null ? 'active' : 'deprecated';
  const message = { active: '', deprecated: deprecation ?? '', deleted: isYanked ? notes : '' }[status];
  const updatedAt = released.changedAt ?? publishedAt;
  return {
    server: serverOf(record, at),
    _meta: {
      [OFFICIAL_META]: {
        status,
        ...(message !== '' && { statusMessage: cut(message, MAX.statusMessage) }),
        statusChangedAt: updatedAt,
        publishedAt,
        updatedAt,
        isLatest: version === latest && !isDeleted,
      },
      [REGISTRY_META]: {
        appId,
        pageUrl: urlOfApp(at, appId),
        bundleUrl: at.addresses.bundle({ appId, version }),
        ...{ sha256, signature, keyId, signedAt: publishedAt },
        ...signedFootprintOf(manifest),
        plainClient: isForPlainClients(manifest),
        notice: NOTICE,
        ...(record.origin && { origin: signedOriginOf(record.origin) }),
      },
    },
  };
}
