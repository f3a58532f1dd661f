import { z } from 'zod';
import { ScimQuery } from '../records/people.ts';
import { route } from './route.ts';

const Kind = z.object({
  provider: z.string().min(1).describe('Id of the provider in the sign-in file.'),
  kind: z
    .string()
    .min(1)
    .describe('`Users` or `Groups`; to read, also `ServiceProviderConfig` and `ResourceTypes`.'),
});
const One = Kind.extend({ id: z.string().min(1) });
const Resource = z.record(z.string(), z.unknown()).meta({ id: 'ScimResource', description: 'RFC 7643.' });
const SCIM = 'application/scim+json';
const open = { closed: true, scim: true } as const;
const errors = ['unauthorized', 'not_found', 'invalid_request'] as const;
const changes = [...errors, 'already_exists', 'forbidden', 'rate_limited'] as const;

/** SCIM 2.0 (RFC 7644), with the token of the provider in the sign-in file. */
export const scimRoutes = {
  scimList: route.people('everyone GET /scim/:provider/v2/:kind', {
    summary: 'SCIM: list users or groups, or what the store can do.',
    ...{ ...open, params: Kind, query: ScimQuery, success: { status: 200, type: SCIM }, errors },
  }),
  scimAdd: route.people('everyone POST /scim/:provider/v2/:kind', {
    summary: 'SCIM: add a user or a group.',
    ...{ ...open, params: Kind, body: Resource, success: { status: 201, type: SCIM }, errors: changes },
  }),
  scimGet: route.people('everyone GET /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: get a user or a group.',
    ...{ ...open, params: One, success: { status: 200, type: SCIM }, errors },
  }),
  scimReplace: route.people('everyone PUT /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: replace a user or a group.',
    ...{ ...open, params: One, body: Resource, success: { status: 200, type: SCIM }, errors: changes },
  }),
  scimPatch: route.people('everyone PATCH /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: change a user or a group. `active: false` ends all access of a user at once.',
    ...{ ...open, params: One, body: Resource, success: { status: 200, type: SCIM }, errors: changes },
  }),
  scimRemove: route.people('everyone DELETE /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: remove a user, whose access ends at once, or a group.',
    ...{ ...open, params: One, success: { status: 204, type: SCIM }, errors: changes },
  }),
};
