import { z } from 'zod';
import {
  PolicyFile,
  RegistryQuery,
  RegistryServer,
  RegistryServerList,
  RegistryVersionQuery,
} from '../records/registry.ts';
import { caching, route } from './route.ts';

const file = { headers: caching, errors: ['not_found'] } as const;
const read = { ...file, errorField: true } as const;

const serverName = z.string().max(200).describe('Name of the server, URL-encoded: `com.example%2Fnotes`.');

const list = {
  ...read,
  summary: 'List apps as MCP servers, in pages.',
  query: RegistryQuery,
  success: { status: 200, body: RegistryServerList },
  errors: ['not_found', 'unavailable'],
} as const;

const versions = {
  ...read,
  summary: 'List the versions of an app as MCP servers, newest first.',
  params: z.object({ serverName }),
  query: RegistryVersionQuery,
  success: { status: 200, body: RegistryServerList },
  errors: ['not_found'],
} as const;

const version = {
  ...read,
  summary: 'Get a version of an app as an MCP server.',
  params: z.object({ serverName, version: z.string().max(255).describe('The version, or `latest`.') }),
  query: RegistryVersionQuery,
  success: { status: 200, body: RegistryServer },
  errors: ['not_found'],
} as const;

/** The read API of MCP registries, for clients that know nothing of this store. Errors have `error` too. */
export const registryRoutes = {
  registryServers: route.registry('members GET /v0.1/servers', list),
  registryVersions: route.registry('members GET /v0.1/servers/:serverName/versions', versions),
  registryVersion: route.registry('members GET /v0.1/servers/:serverName/versions/:version', version),
  registryServersV0: route.registry('members GET /v0/servers', list),
  registryVersionsV0: route.registry('members GET /v0/servers/:serverName/versions', versions),
  registryVersionV0: route.registry('members GET /v0/servers/:serverName/versions/:version', version),
  openApiYaml: route.registry('everyone GET /openapi.yaml', {
    ...file,
    summary:
      'Get this API as an OpenAPI 3.1 document where clients of MCP registries look for it. JSON is YAML 1.2.',
    success: { status: 200, type: 'application/yaml' },
    errors: [],
  }),
  aiCatalog: route.registry('members GET /.well-known/ai-catalog.json', {
    ...file,
    summary: 'List the servers of the last updated apps by the draft of AI Catalog 1.0.',
    success: { status: 200, type: 'application/ai-catalog+json' },
  }),
  policyFile: route.registry('members GET /policy/:file', {
    ...file,
    summary:
      'Get the servers of all published apps as the policy of a client; with `.sig`, the signature of that file.',
    params: z.object({ file: PolicyFile }),
    success: { status: 200, type: 'application/*' },
    errors: ['invalid_request', 'not_found'],
  }),
  connectorPackage: route.registry('everyone GET /policy/npm/:name', {
    ...file,
    summary: 'Get the npm package that plugins of the marketplace have as their source.',
    params: z.object({ name: z.string().max(100).describe('Name of the package.') }),
    success: { status: 200, type: 'application/json' },
  }),
  connectorTarball: route.registry('everyone GET /policy/npm/:name/-/:file', {
    ...file,
    summary: 'Get the archive of that package: no code, the plugin is described in the marketplace.',
    params: z.object({ name: z.string().max(100), file: z.string().max(100) }),
    success: { status: 200, type: 'application/octet-stream' },
  }),
};
