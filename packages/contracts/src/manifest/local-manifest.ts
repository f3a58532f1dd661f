import { z } from 'zod';
import { Manifest } from './manifest.ts';
import { Account, Remote, Requires } from './parts.ts';

/** An https URL, or an http URL of this machine: the validator checks which one an app may use. */
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

/** A manifest whose servers may be on this machine: from a developer's folder, or from a store on the same machine. */
export const LocalManifest = z.object({
  ...Manifest.shape,
  remote: Remote.extend({ mcpUrl: Endpoint }),
  accounts: z.array(Account.extend(endpoints)).optional(),
  requires: Requires.extend({
    connectors: z.array(connector).optional(),
    optional: z.array(optional).optional(),
  }).optional(),
});
