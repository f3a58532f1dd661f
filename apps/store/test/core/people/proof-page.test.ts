import { LIMITS } from '@svc/contracts';
import { expect, it } from 'vitest';
import { ANNA, signUpAt } from '../../support/browser.ts';
import { openTestStore } from '../../support/test-store.ts';

const TO_OPEN = { signUp: 'open', read: 'public', roles: 'any' };

/** The fields of a form in a page, as a browser sends them. */
const fieldsOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g), ([, name, value]) => [
      name,
      value,
    ]),
  );

async function withAgedSession() {
  const store = await openTestStore();
  const browser = await signUpAt(store);
  const anna = (await store.stores.people.findByEmail(ANNA.email))?.id ?? '';
  await store.admin('PATCH', `/api/admin/people/${anna}`, { role: 'administrator' });
  store.advance(LIMITS.people.proofMs + 4 * 60_000);
  await browser.open('/setup/access');
  const rules = async () => store.stores.chosenRules.chosen();
  return { store, browser, rules };
}

it('a form with an old proof changes nothing, asks for the password, and continues with all that was entered', async () => {
  const { browser, rules } = await withAgedSession();
  const before = await rules();
  const asked = await browser.submit('/setup/access', TO_OPEN);
  const page = await asked.text();
  expect([asked.status, await rules()]).toEqual([403, before]);
  expect(page).toContain('<form method="post" action="/setup/access" data-proof>');
  const fields = fieldsOf(page);
  expect(fields).toMatchObject(TO_OPEN);

  const wrong = await browser.submit('/setup/access', { ...fields, proof: 'four words of ben' });
  const again = await wrong.text();
  expect([wrong.status, await rules()]).toEqual([403, before]);
  expect(again).toContain('The password is wrong.');
  expect(fieldsOf(again)).toEqual(fields);

  const done = await browser.submit('/setup/access', { ...fieldsOf(again), proof: ANNA.password });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/admin']);
  expect(await rules()).toMatchObject(TO_OPEN);
  // The proof is of the session: the next form needs none.
  expect((await browser.submit('/setup/access', { signUp: 'closed' })).status).toBe(303);
});

it('a form of another site does not get to the password', async () => {
  const { store, browser, rules } = await withAgedSession();
  const before = await rules();
  const cookie = Array.from(browser.cookies, (pair) => pair.join('=')).join('; ');
  const forged = await store.call('POST', '/setup/access', {
    body: String(new URLSearchParams({ ...TO_OPEN, proof: ANNA.password })),
    headers: { cookie, origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([forged.status, await rules()]).toEqual([403, before]);
  expect(await forged.text()).not.toContain('data-proof');
});

it('attempts in a form count as those of the account', async () => {
  const { browser } = await withAgedSession();
  const attempt = (proof: string) => browser.submit('/setup/access', { ...TO_OPEN, proof });
  for (let tries = 0; tries < LIMITS.people.tries.limit; tries += 1) await attempt('a wrong one');
  const page = await (await attempt(ANNA.password)).text();
  expect(page).toMatch(/tries in 15 minutes: try again in \d+ seconds/);
  expect(fieldsOf(page)).toMatchObject(TO_OPEN);
});
