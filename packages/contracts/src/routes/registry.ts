import { z } from 'zod';
import {
  RegistryQuery,
  RegistryServer,
  RegistryServerList,
  RegistryVersionQuery,
} from '../records/registry.ts';
import { caching } from './parts.ts';
import type { Route } from './route.ts';

const read = { method: 'get', tag: 'Registry', auth: 'none', headers: caching, errorField: true } as const;

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
  registryServers: { ...list, path: '/v0.1/servers' },
  registryVersions: { ...versions, path: '/v0.1/servers/:serverName/versions' },
  registryVersion: { ...version, path: '/v0.1/servers/:serverName/versions/:version' },
  registryServersV0: { ...list, path: '/v0/servers' },
  registryVersionsV0: { ...versions, path: '/v0/servers/:serverName/versions' },
  registryVersionV0: { ...version, path: '/v0/servers/:serverName/versions/:version' },
} as const satisfies Record<string, Route>;
