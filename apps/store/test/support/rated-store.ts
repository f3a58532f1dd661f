import { bodyOf, openTestStore, type TestSession } from './test-store.ts';

export const APP = 'com.example.notes';
export const REVIEWS = `/api/apps/${APP}/reviews`;

/** An id of an installation. */
export const installOf = (name: string): string => `installation-of-${name}`;

/** A store with a published app of the publisher `example`, owned by olga; each user has an installation. */
export async function openRatedStore(options: Parameters<typeof openTestStore>[0] = {}) {
  const store = await openTestStore(options);
  const token = await store.publisherToken('example', true);
  /** Publishes a version of the app. */
  async function publishVersion(version: string, appId = APP): Promise<void> {
    await store.publish(token, { id: appId, version });
    await store.decide('approve', version, {}, appId);
  }
  await publishVersion('1.0.0');
  const olga = await store.signedIn('olga', { membership: { example: 'owner' } });
  const sessions = new Map<string, TestSession>([['olga', olga]]);

  /** Downloads the bundle, like a client that installs the app. */
  async function install(name: string, version = '1.0.0', appId = APP): Promise<Response> {
    const headers = { 'x-svc-install-id': installOf(name) };
    const answer = await store.call('GET', `/api/apps/${appId}/versions/${version}/bundle`, { headers });
    await answer.arrayBuffer();
    return answer;
  }

  /** Sends a request as a user, who is signed in first if necessary. */
  async function as(name: string, method: string, path: string, json?: unknown): Promise<Response> {
    const session = sessions.get(name) ?? (await store.signedIn(name));
    sessions.set(name, session);
    return store.call(method, path, { session, ...(json !== undefined && { json }) });
  }

  /** Writes a review with the installation of the user. */
  const rate = (name: string, rating: number, more: object = {}): Promise<Response> =>
    as(name, 'PUT', `${REVIEWS}/mine`, { rating, installId: installOf(name), ...more });

  /** Installs the app, and reviews it. @returns the id of the review */
  async function rated(name: string, rating = 4, more: object = {}): Promise<string> {
    await install(name);
    return (await bodyOf(rate(name, rating, more))).review.id;
  }

  const reviews = (query = '') => bodyOf(store.call('GET', REVIEWS + query));
  const listing = async () => (await bodyOf(store.call('GET', `/api/apps/${APP}`))) as AppStats;
  return { ...store, token, publishVersion, install, as, rate, rated, reviews, listing };
}

type AppStats = { httpStatus: number; installs: number; rating: { average: number; count: number } };
