import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { ApiError } from '../../platform/api-error.ts';
import type { ScimFilter, ScimGroup, ScimUser } from './scim-store.ts';

/** Attributes of a resource as a provider sends them; what the store does not know is dropped. */
export type Attributes = Record<string, unknown>;

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0:';

export const SCIM_SCHEMAS = {
  user: `${CORE}User`,
  group: `${CORE}Group`,
  list: `${MESSAGES}ListResponse`,
} as const;

const invalid = (message: string) => new ApiError('invalid_request', message);

/** Some providers send a boolean as a text. */
const Flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
const Text = z.string().trim().min(1).max(300);

const UserAttributes = z.object({
  userName: Text,
  externalId: Text.nullish(),
  displayName: z.string().max(300).nullish(),
  name: z
    .object({
      formatted: z.string().max(300).nullish(),
      givenName: z.string().max(150).nullish(),
      familyName: z.string().max(150).nullish(),
    })
    .nullish(),
  emails: z
    .array(z.object({ value: z.string().max(300), primary: Flag.nullish() }))
    .max(20)
    .nullish(),
  active: Flag.default(true),
});

const Member = z.object({ value: Text });
const GroupAttributes = z.object({
  displayName: z.string().min(1).max(1_000),
  externalId: Text.nullish(),
  members: z.array(Member).max(5_000).nullish(),
});

/** The first fault, with its path; it quotes nothing. */
const parsed = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(`${issue?.path.join('.') || 'The resource'} is not valid: ${issue?.message}`);
};

const isAddress = (text: string): boolean => z.email().safeParse(text).success;

/** A user from the attributes. The address is the primary one, else the user name where that is an address. @throws ApiError invalid_request */
export function userFrom(attributes: Attributes) {
  const { userName, externalId, displayName, name, emails, active } = parsed(UserAttributes, attributes);
  const primary = emails?.find((email) => email.primary === true) ?? emails?.[0];
  const email = [primary?.value.trim() ?? '', userName].find(isAddress)?.toLowerCase() ?? null;
  const parts = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  const shown = [displayName, name?.formatted, parts, userName].find((text) => text?.trim()) ?? userName;
  return {
    ...{ userName: userName.toLowerCase(), externalId: externalId ?? null, email, active },
    name: cleanLine(shown, 100),
  };
}

/** A group from the attributes. @throws ApiError invalid_request */
export function groupFrom(attributes: Attributes) {
  const { displayName, externalId, members } = parsed(GroupAttributes, attributes);
  return {
    ...{ name: displayName, externalId: externalId ?? null },
    members: members?.map(({ value }) => value) ?? null,
  };
}

/** A change of a resource (RFC 7644 section 3.5.2). The names of operations are in any case, as providers send them. */
const Patch = z.object({
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'remove', 'replace'])),
        path: z.string().max(500).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
});
export type PatchOperation = z.infer<typeof Patch>['Operations'][number];

/** @throws ApiError invalid_request */
export const operationsOf = (body: unknown): PatchOperation[] => parsed(Patch, body).Operations;

/** The members that an operation on a group adds or removes; null when it is about another attribute. */
export function memberChange({
  op,
  path = '',
  value,
}: PatchOperation): { op: PatchOperation['op']; ids: string[] } | null {
  const [, one] = /^members\[value eq "([^"]+)"\]$/i.exec(path) ?? [];
  if (one !== undefined) return { op, ids: [one] };
  if (path.toLowerCase() !== 'members') return null;
  const list = value === undefined || value === null ? [] : [value].flat();
  return { op, ids: parsed(z.array(Member).max(5_000), list).map((member) => member.value) };
}

/** The attributes that are known, by their names in lower case: names are not case-sensitive (RFC 7643 section 2.1). */
const KNOWN: ReadonlyMap<string, string> = new Map(
  ['userName', 'externalId', 'displayName', 'active', 'emails', 'name', 'members'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);
const PARTS: ReadonlyMap<string, string> = new Map(
  ['formatted', 'givenName', 'familyName'].map((name) => [name.toLowerCase(), name]),
);

/** Sets an attribute; one that the store does not know is ignored. */
function put(attributes: Attributes, path: string, value: unknown): void {
  const [first = '', part = ''] = path
    .replace(/^urn:[\w:.-]*:(?=\w+$|\w+\.)/i, '')
    .toLowerCase()
    .split('.');
  if (/^emails\b/i.test(path)) {
    attributes.emails = typeof value === 'string' ? [{ value, primary: true }] : (value ?? []);
  } else if (first === 'name' && part !== '') {
    const key = PARTS.get(part);
    if (key) attributes.name = { ...(attributes.name as object | null), [key]: value };
  } else {
    const key = KNOWN.get(first);
    if (key && part === '') attributes[key] = value;
  }
}

/**
 * Applies changes to the attributes of a resource.
 * @throws ApiError invalid_request for a change without a path whose value is no object
 */
export function applied(attributes: Attributes, operations: readonly PatchOperation[]): Attributes {
  const next = { ...attributes };
  for (const { op, path, value } of operations) {
    if (path !== undefined) put(next, path, op === 'remove' ? null : value);
    else if (op === 'remove' || typeof value !== 'object' || value === null)
      throw invalid('An operation without a path must add or replace attributes.');
    else for (const [name, own] of Object.entries(value)) put(next, name, own);
  }
  return next;
}

/** The attributes to filter by, and whether they are in lower case here, as they are not case-sensitive. */
const FILTERED: Readonly<Record<string, { attribute: ScimFilter['attribute']; isLower?: true }>> = {
  id: { attribute: 'id' },
  username: { attribute: 'name', isLower: true },
  displayname: { attribute: 'name' },
  externalid: { attribute: 'externalId' },
  emails: { attribute: 'email', isLower: true },
  'emails.value': { attribute: 'email', isLower: true },
};

/** Reads the one form of filter that providers use (RFC 7644 section 3.4.2.2). @throws ApiError invalid_request */
export function filterOf(text: string | undefined): ScimFilter | null {
  if (text === undefined) return null;
  const [, name = '', json] = /^\s*([\w.]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(text) ?? [];
  const filtered = FILTERED[name.toLowerCase()];
  if (filtered === undefined || json === undefined)
    throw invalid('The filter must compare one attribute, such as userName eq "ann@acme.example".');
  let value: string;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalid('The value of the filter must be a JSON string.');
  }
  const { attribute, isLower } = filtered;
  return { attribute, value: isLower ? value.toLowerCase() : value };
}

/** The members of a group after some operations; null when none of them changes the members. */
export const membersAfter = (
  ids: readonly string[],
  operations: readonly PatchOperation[],
): string[] | null => {
  let [next, isChanged] = [[...ids], false];
  for (const operation of operations) {
    const change = memberChange(operation);
    if (change === null) continue;
    isChanged = true;
    if (change.op === 'replace') next = change.ids;
    else if (change.op === 'add') next = [...next, ...change.ids];
    // Without members it removes all (RFC 7644 section 3.5.2.2).
    else next = change.ids.length === 0 ? [] : next.filter((id) => !change.ids.includes(id));
  }
  return isChanged ? next : null;
};

/** The attributes of a user, to apply operations to. */
export const userAttributes = ({ userName, externalId, name, email, active }: ScimUser): Attributes => ({
  ...{ userName, externalId, displayName: name, active },
  emails: email === null ? [] : [{ value: email, primary: true }],
});

const addressOf = (
  { baseUrl }: { baseUrl: string },
  kind: 'Users' | 'Groups',
  { provider, id }: ScimUser | ScimGroup,
) => `${baseUrl}/scim/${provider}/v2/${kind}/${id}`;

/** A user as the store shows it to its provider. */
export const presentUser = (deps: { baseUrl: string }, user: ScimUser) => ({
  schemas: [SCIM_SCHEMAS.user],
  id: user.id,
  ...(user.externalId !== null && { externalId: user.externalId }),
  ...{ userName: user.userName, displayName: user.name, name: { formatted: user.name } },
  ...(user.email !== null && { emails: [{ value: user.email, type: 'work', primary: true }] }),
  active: user.active,
  meta: {
    ...{ resourceType: 'User', created: user.createdAt, lastModified: user.changedAt },
    location: addressOf(deps, 'Users', user),
  },
});

/** A group as the store shows it to its provider. @param members null leaves them out */
export const presentGroup = (
  deps: { baseUrl: string },
  group: ScimGroup,
  members: readonly ScimUser[] | null,
) => ({
  schemas: [SCIM_SCHEMAS.group],
  id: group.id,
  ...(group.externalId !== null && { externalId: group.externalId }),
  displayName: group.name,
  ...(members && { members: members.map(({ id, name }) => ({ value: id, display: name, type: 'User' })) }),
  meta: {
    ...{ resourceType: 'Group', created: group.createdAt, lastModified: group.changedAt },
    location: addressOf(deps, 'Groups', group),
  },
});
