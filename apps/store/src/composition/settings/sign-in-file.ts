import { readFileSync } from 'node:fs';
import { isThisMachine } from '@svc/contracts/this-machine';
import { z } from 'zod';
import type { ProviderSettings } from '../../adapters/sign-in/providers.ts';
import { SettingError } from './setting.ts';

/** An address to which secrets are sent. */
const SafeUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https address', abort: true })
  .refine((url) => url.startsWith('https:') || isThisMachine(new URL(url).hostname), {
    error: 'must be an https address',
  });

const text = (maxLength: number) => {
  const error = `must be a text of 1 to ${maxLength} characters`;
  return z.string({ error }).trim().min(1, { error }).max(maxLength, { error });
};

const Secret = z
  .string({ error: 'must be a text that is not empty' })
  .min(1, { error: 'must be a text that is not empty' });

/** Its message lists the keys that an entry may have. It does not quote the entry, where a secret may be in the wrong place. */
const entry = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: `must be an object with ${Object.keys(shape).join(', ')}, and nothing else`,
  });

const Common = {
  /** Part of URLs, next to the fixed names of the sign-in pages. */
  id: z
    .string({ error: 'must be a text' })
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: 'must be lower-case letters, digits and hyphens' }),
  label: text(60),
  clientId: Secret,
  clientSecret: Secret,
};

const Domain = z
  .string({ error: 'must be a domain' })
  .toLowerCase()
  .regex(/^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/, { error: 'must be a domain, such as acme.example' });

/** Which users may sign in, and whether in no other way. */
const Who = {
  allowedDomains: z
    .array(Domain, { error: 'must be a list of domains' })
    .min(1, { error: 'must not be empty' })
    .nullable()
    .default(null),
  ssoOnly: z.boolean({ error: 'must be true or false' }).default(false),
  scim: entry({
    token: z.string({ error: 'must be a text' }).min(32, { error: 'must have 32 characters or more' }),
  })
    .nullable()
    .default(null),
};

const Group = z.string().min(1).max(1_000);

const Groups = entry({
  claim: text(100).default('groups'),
  allowed: z
    .array(Group, { error: 'must be a list of groups' })
    .min(1, { error: 'must not be empty' })
    .nullable()
    .default(null),
  roles: z
    .record(Group, z.enum(['moderator', 'administrator'], { error: 'must be moderator or administrator' }), {
      error: 'must be an object with a role for each group',
    })
    .default({}),
  publishers: z
    .record(
      Group,
      entry({
        slug: z.string({ error: 'must be the short name of a publisher' }),
        role: z.enum(['member', 'owner'], { error: 'must be member or owner' }).default('member'),
      }),
      { error: 'must be an object with a publisher for each group' },
    )
    .default({}),
});

/** Parameters of the authorization request that the store sets itself, or that would change what it gets back. */
const OWN_PARAMS = [
  ...['client_id', 'response_type', 'response_mode', 'redirect_uri', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri', 'claims'],
];

const Params = z
  .record(z.string(), z.string().max(1_000, { error: 'must have 1000 characters or fewer' }), {
    error: 'must be an object of texts',
  })
  .refine((params) => OWN_PARAMS.every((name) => !Object.hasOwn(params, name)), {
    error: `must not have ${OWN_PARAMS.join(', ')}`,
  });

const OpenId = entry({
  ...Common,
  ...Who,
  params: Params.default({}),
  groups: Groups.nullable().default(null),
  type: z.literal('openid', { error: 'must be openid or github' }).default('openid'),
  issuer: SafeUrl,
});

const GitHub = entry({
  ...Common,
  ...Who,
  type: z.literal('github'),
  authorizeUrl: SafeUrl.default('https://github.com/login/oauth/authorize'),
  tokenUrl: SafeUrl.default('https://github.com/login/oauth/access_token'),
  apiUrl: SafeUrl.default('https://api.github.com'),
});

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;

const isGitHub = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'github';

/** Describes the first fault, with its path. */
const describe = ({ issues: [issue] }: z.ZodError, at: number): string =>
  [`provider ${at + 1}:`, ...(issue?.path ?? []), issue?.message].join(' ');

function readProvider(value: unknown, at: number): ProviderSettings {
  const parsed = (isGitHub(value) ? GitHub : OpenId).safeParse(value);
  if (!parsed.success) throw new SettingError(`cannot be used: ${describe(parsed.error, at)}`);
  const { allowedDomains, ssoOnly, scim, ...provider } = parsed.data;
  if (scim && allowedDomains === null && !ssoOnly)
    throw new SettingError(
      `cannot be used: provider ${at + 1}: scim needs allowedDomains or ssoOnly, which make the provider the authority over addresses`,
    );
  const rules = { allowedDomains, ssoOnly, scim, groups: 'groups' in provider ? provider.groups : null };
  return { ...provider, rules };
}

/**
 * Reads the providers that users sign in with.
 * @throws SettingError with a message that quotes nothing of the file
 */
export function readSignInFile(file: string): ProviderSettings[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // The message of JSON.parse quotes the file, which contains secrets.
    throw new SettingError(`cannot be used: ${(error as { code?: string }).code ?? 'it is not JSON'}`);
  }
  if (!Array.isArray(value)) throw new SettingError('cannot be used: it must be a list of providers');
  const providers = value.map(readProvider);
  if (isUnique(providers.map(({ id }) => id))) return providers;
  throw new SettingError('cannot be used: two providers must not have the same id');
}
