import type { Decision } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { needsExtension } from '../../support/extensions.ts';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf, type TestSession } from '../../support/test-store.ts';

const APP = 'com.example.notes';

/** A store in which one administrator stopped a publisher, whose owner appeals. */
async function opened() {
  const store = await openModeratedStore({ policy: {} });
  await store.publish(await store.publisherToken());
  await store.decide('approve', '1.0.0');
  const owner = await store.signedIn('owner', { membership: { example: 'owner' } });
  const [root, other] = [
    await store.signedIn('root', { role: 'administrator' }),
    await store.signedIn('other', { role: 'administrator' }),
  ];
  const as = (session: TestSession, method: string, path: string, json?: object) =>
    bodyOf(store.call(method, path, { session, ...(json && { json }) }));
  const decisions = async (): Promise<Decision[]> =>
    (await as(owner, 'GET', '/api/publishers/example/decisions')).decisions;
  const acts = { suspend: true, revokeTokens: false, endSessions: false };
  const body = { publisher: 'example', reason: 'Malware.', ...acts };
  await as(root, 'POST', '/api/admin/emergencies', body);
  const [{ id = '' } = {}] = await decisions();
  const messages = `/api/publishers/example/decisions/${id}/messages`;
  const appealed = await as(owner, 'POST', messages, { text: 'It answers.' });
  const reverse = (who: TestSession) =>
    as(who, 'POST', `/api/moderation/appeals/${id}/decide`, { outcome: 'reversed', note: 'Looked again.' });
  const status = async (): Promise<string> =>
    (await bodyOf(store.call('GET', `/api/apps/${APP}/versions/1.0.0/status`))).status;
  return { store, root, other, as, id, appealed, decisions, reverse, status };
}

const APPEALED = { ...BOTH_DATABASES, ...needsExtension('appeals') };

describe('an appeal of an emergency', APPEALED, () => {
  it('undoes the emergency', async () => {
    const { other, appealed, decisions, reverse, status } = await opened();
    expect(await status()).toBe('yanked');
    expect(await decisions()).toMatchObject([{ kind: 'emergency', rule: { id: 'malicious' } }]);
    expect(appealed).toMatchObject({ appeal: { state: 'open' } });
    expect(await reverse(other)).toMatchObject({ httpStatus: 200 });
    expect(await status()).toBe('published');
  });

  it('ends when the emergency is undone by the one who started it', async () => {
    const { store, root, as, id, decisions, reverse } = await opened();
    expect(await reverse(root)).toMatchObject({ httpStatus: 403 });
    const undo = await as(root, 'POST', `/api/admin/emergencies/${id}/undo`, { reason: 'A mistake.' });
    expect(undo).toMatchObject({ httpStatus: 200, state: 'undone' });
    expect(await decisions()).toMatchObject([{ canAppeal: false, appeal: { state: 'reversed' } }]);
    expect(await bodyOf(store.as('anna', 'GET', '/api/moderation/appeals'))).toMatchObject({ appeals: [] });
    const { entries } = await as(root, 'GET', '/api/admin/audit?action=appeal.decide');
    expect(entries).toMatchObject([{ detail: { decision: id, outcome: 'reversed' } }]);
  });
});
