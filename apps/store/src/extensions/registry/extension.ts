import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { createReleasedStore } from './released-store.ts';
import { type RegistryDeps, registryPath, registryRoutes } from './routes.ts';

type Needs = Omit<RegistryDeps, 'released'> & Pick<Parts, 'db'>;

/** The published apps for clients that know nothing of this store: the read API of MCP registries, and the policies of clients. */
export const registry: Extension<Needs> = {
  name: 'registry',
  open: (parts) => ({
    routes: registryRoutes({ ...parts, released: createReleasedStore(parts.db) }),
    pathOf: registryPath,
    additions: {
      llms: (baseUrl) => ({
        clients: `[MCP registry](${baseUrl}/v0.1/servers): the same apps as MCP servers, for clients without svc`,
      }),
    },
  }),
};
