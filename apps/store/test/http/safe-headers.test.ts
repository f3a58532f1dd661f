import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTestStore } from '../support/test-store.ts';

async function builtPages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  for (const page of ['check', 'dashboard']) await writeFile(join(folder, `${page}.html`), '<!doctype html>');
  return folder;
}

const OWN = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'";
const CLOSED = "base-uri 'none'; frame-ancestors 'none'";

/** Pages with forms. */
const FORM = `${OWN}; connect-src 'self'; form-action 'self'; ${CLOSED}`;
/** Pages that act for the signed-in user are one document: it opens bundles in a worker, and frames the panels of a version under review. */
const ACTING = `${OWN}; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-src 'self'; ${CLOSED}`;
/** Pages without forms. */
const READ = `${OWN}; connect-src 'self'; form-action 'none'; ${CLOSED}`;
/** Pages whose URL contains a secret run no scripts. */
const SECRET = `${OWN}; form-action 'self'; ${CLOSED}`.replace("script-src 'self'; ", '');
/** The page that opens bundles of users sends no requests. */
const ALONE = `${OWN}; worker-src 'self'; form-action 'none'; ${CLOSED}`;

/** The complete content security policy of each kind of page, as in docs/threats.md. */
const POLICIES: readonly (readonly [path: string, policy: string])[] = [
  ['/', FORM],
  ['/sign-in', FORM],
  ['/sign-up', FORM],
  ['/setup', SECRET],
  ['/reset?key=x', SECRET],
  ['/confirm?key=x', SECRET],
  ['/apps/oauth/callback?state=x', SECRET],
  ['/device', FORM],
  ['/nowhere', FORM],
  ['/docs', FORM],
  ['/api/docs', FORM],
  ['/docs/codes', READ],
  ['/check', ALONE],
  ['/account', ACTING],
  ['/moderation', ACTING],
  ['/admin', ACTING],
];

it('every page has the content security policy of its kind', async () => {
  const store = await openTestStore({ webDir: await builtPages() });
  const session = await store.signedIn('anna', { role: 'administrator' });
  const headers = { accept: 'text/html' };
  const found = await Promise.all(
    POLICIES.map(async ([path]) => {
      const answer = await store.call('GET', path, { session, headers });
      return [path, answer.headers.get('content-security-policy')];
    }),
  );
  expect(found).toEqual(POLICIES);
});
