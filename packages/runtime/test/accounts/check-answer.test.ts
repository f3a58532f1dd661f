import { describe, expect, it } from 'vitest';
import { json } from '../support/fake-web.ts';
import { AS, DECLARED, DISCOVERED, failing, METADATA } from '../support/sign-in.ts';

describe('an answer to a sign-in', () => {
  it.each([
    ['of another server', DISCOVERED, {}, 'https://other.example'],
    ['of another server that looks the same', DISCOVERED, {}, `${AS}/`],
    [
      'of nobody, where the server always says who it is',
      DISCOVERED,
      { authorization_response_iss_parameter_supported: true },
      undefined,
    ],
    ['of another server than the manifest names', DECLARED, {}, 'https://other.example'],
  ])('is refused when it is one %s', async (_what, account, change, iss) => {
    const pages = {
      [`${AS}/.well-known/oauth-authorization-server`]: () => json({ ...METADATA, ...change }),
      [`${AS}/token`]: () => {
        throw new Error('the code was sent away');
      },
    };
    const said = await failing(account, pages, { code: 'c', ...(iss !== undefined && { iss }) });
    expect(said).toContain('from another server');
  });

  it('that says no is repeated, cleaned', async () => {
    const said = await failing(DECLARED, {}, { error: 'access_denied', error_description: 'not today' });
    expect(said).toBe('The sign-in server refuses (access_denied): not today');
  });
});
