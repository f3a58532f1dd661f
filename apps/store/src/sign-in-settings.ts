import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isLoopback } from './adapters/sign-in/provider-client.ts';
import type { ProviderSettings } from './adapters/sign-in/providers.ts';

/** An address to which secrets are sent. */
const SafeUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https address', abort: true })
  .refine((url) => url.startsWith('https:') || isLoopback(new URL(url)), {
    error: 'must be an https address',
  });

const Common = {
  /** It stands in addresses, where the pages of sign-in have names too. */
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: 'must be lower-case letters, digits and hyphens' }),
  label: z.string().trim().min(1).max(60),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
};

const OpenId = z.strictObject({ ...Common, type: z.literal('openid').default('openid'), issuer: SafeUrl });

const GitHub = z.strictObject({
  ...Common,
  type: z.literal('github'),
  authorizeUrl: SafeUrl.default('https://github.com/login/oauth/authorize'),
  tokenUrl: SafeUrl.default('https://github.com/login/oauth/access_token'),
  apiUrl: SafeUrl.default('https://api.github.com'),
});

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;

const SignIn = z
  .array(z.union([GitHub, OpenId]))
  .refine((all) => isUnique(all.map(({ id }) => id)), { error: 'must not give one id twice' });

/** A file of providers that cannot be used. The message holds nothing of what the file holds. */
class SignInFileError extends Error {}

/** The first fault, by its place. A union says what is wrong within its branches. */
function describe({ issues: [issue] }: z.ZodError): string {
  if (issue?.code !== 'invalid_union') return `${issue?.path.join('.')} ${issue?.message}`.trim();
  const at = issue.path.join('.');
  const inner = issue.errors.toSorted((a, b) => a.length - b.length)[0]?.[0];
  return `${[at, ...(inner?.path ?? [])].join('.')} ${inner?.message}`;
}

/**
 * Reads the providers that people sign in with.
 * @throws SignInFileError
 */
export function readSignInFile(file: string): ProviderSettings[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // What JSON.parse says of a file quotes it, and it holds secrets.
    throw new SignInFileError((error as { code?: string }).code ?? 'it is not JSON');
  }
  const parsed = SignIn.safeParse(value);
  if (!parsed.success) throw new SignInFileError(describe(parsed.error));
  return parsed.data;
}
