import type { ScimQuery } from '@svc/contracts';
import type { Context } from 'hono';
import { type Env, originOf } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import { ApiError } from '../../platform/api-error.ts';
import { bearerOf, sameSecret } from '../../platform/secret.ts';
import { createScim, type ScimCall, type ScimDeps } from './provision.ts';
import { type Attributes, SCIM_SCHEMAS } from './scim-resource.ts';

const TYPE = 'application/scim+json';

/** What the store can do (RFC 7643 sections 5 and 6). */
const documents = (base: string): Readonly<Record<string, object>> => {
  const no = { supported: false };
  const resource = (name: string, endpoint: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...{ id: name, name, endpoint, schema: `urn:ietf:params:scim:schemas:core:2.0:${name}` },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  const types = [resource('User', '/Users'), resource('Group', '/Groups')];
  return {
    ServiceProviderConfig: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      ...{ patch: { supported: true }, bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 } },
      ...{ filter: { supported: true, maxResults: 200 }, changePassword: no, sort: no, etag: no },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'The token of the sign-in file',
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
    },
    ResourceTypes: {
      schemas: [SCIM_SCHEMAS.list],
      ...{ totalResults: types.length, startIndex: 1, itemsPerPage: types.length, Resources: types },
    },
  };
};

/** The routes of SCIM 2.0 (RFC 7644), by which an identity provider adds users, changes their groups and ends their access. */
export function scimRoutes(deps: ScimDeps): HandlersOf<'scim'> {
  const scim = createScim(deps);
  /** @throws ApiError unauthorized, also for a provider that is not known: its name is not revealed */
  const callOf = (c: Context<Env>, id: string): ScimCall => {
    const provider = deps.providers.get(id);
    const token = provider?.rules.scim?.token;
    const given = bearerOf(c.req.header('authorization')) ?? '';
    if (!provider || token === undefined || !sameSecret(given, token))
      throw new ApiError('unauthorized', 'Send the token that the sign-in file has under scim.');
    const actor = { name: `scim:${id}`, from: originOf(c) };
    return { provider, actor, at: deps.clock().toISOString() };
  };
  const resources = (kind: string) => {
    if (kind === 'Users' || kind === 'Groups') return scim[kind];
    throw new ApiError('not_found', 'There are only Users and Groups here.');
  };
  type Answer = { id: string; meta: { location: string } };
  const answer = (
    c: Context<Env>,
    body: object,
    status: 200 | 201 = 200,
    headers: Record<string, string> = {},
  ) =>
    c.body(JSON.stringify(body), status, { 'Content-Type': TYPE, 'Cache-Control': 'no-store', ...headers });
  return {
    scimList: async ({ params: { provider, kind }, query }, c) => {
      const call = callOf(c, provider);
      const document = documents(`${deps.baseUrl}/scim/${provider}/v2`)[kind];
      return answer(c, document ?? (await resources(kind).list(call, query as ScimQuery)));
    },
    scimAdd: async ({ params: { provider, kind }, body }, c) => {
      const made: Answer = await resources(kind).add(callOf(c, provider), body as Attributes);
      return answer(c, made, 201, { Location: made.meta.location });
    },
    scimGet: async ({ params: { provider, kind, id } }, c) => {
      const call = callOf(c, provider);
      return answer(c, await resources(kind).get(call, id));
    },
    scimReplace: async ({ params: { provider, kind, id }, body }, c) =>
      answer(c, await resources(kind).replace(callOf(c, provider), id, body as Attributes)),
    scimPatch: async ({ params: { provider, kind, id }, body }, c) =>
      answer(c, await resources(kind).patch(callOf(c, provider), id, body as Attributes)),
    scimRemove: async ({ params: { provider, kind, id } }, c) => {
      await resources(kind).remove(callOf(c, provider), id);
      return c.body(null, 204, { 'Cache-Control': 'no-store' });
    },
  };
}
