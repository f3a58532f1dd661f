import { openCalls, TOKEN, tokensOf } from './calls.ts';

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GRANTS = ['files:receive', 'files:return'] as const;

/** An app whose server gives this result to each call, which has a token. */
export const answering = (result: object, grants: readonly ('files:receive' | 'files:return')[] = GRANTS) =>
  openCalls(() => result, { deps: tokensOf(TOKEN), manifest: { grants: [...grants] } });
