import { z } from 'zod';
import { Manifest } from './manifest.ts';
import { Account, Remote, Requires } from './parts.ts';

/** https, or http of this machine: which of them an app may name is for the checks to say. */
const Endpoint = z.string().regex(/^https?:\/\/[^\s]+$/);

const endpoints = {
  authorizeUrl: Endpoint.optional(),
  tokenUrl: Endpoint.optional(),
  revokeUrl: Endpoint.optional(),
};

const connector = Requires.shape.connectors.unwrap().element.extend({ url: Endpoint });
const optional = z.union([
  z.object({ id: z.string(), reason: z.string() }),
  z.object({ url: Endpoint, reason: z.string() }),
]);

/** A manifest whose servers may be on this machine: of a developer's folder, or of a store that is on it too. */
export const LocalManifest = z.object({
  ...Manifest.shape,
  remote: Remote.extend({ mcpUrl: Endpoint }),
  accounts: z.array(Account.extend(endpoints)).optional(),
  requires: Requires.extend({
    connectors: z.array(connector).optional(),
    optional: z.array(optional).optional(),
  }).optional(),
});
