import type { MemberRole } from '@svc/contracts';
import type { Sites } from '../../src/core/publishers/site.ts';
import { openTestStore } from './test-store.ts';

type Name = 'anna' | 'ben' | 'carl';

/** A store with the unverified publisher acme, owned by anna, with the member ben; carl is not a member. */
export async function openPublisherStore(
  options: Parameters<typeof openTestStore>[0] & { roles?: Partial<Record<Name, MemberRole>> } = {},
) {
  const { roles = { anna: 'owner', ben: 'member' }, ...rest } = options;
  const store = await openTestStore(rest);
  await store.admin('POST', '/api/admin/publishers', {
    slug: 'acme',
    name: 'Acme',
    website: 'https://acme.example',
  });
  const signIn = (name: Name) =>
    store.signedIn(name, { membership: roles[name] ? { acme: roles[name] } : {} });
  const sessions = { anna: await signIn('anna'), ben: await signIn('ben'), carl: await signIn('carl') };
  const as = (name: Name, method: string, path = '', json?: unknown): Promise<Response> => {
    const body = json !== undefined && { json };
    return store.call(method, `/api/publishers/acme${path}`, { session: sessions[name], ...body });
  };
  /** The roles of all members. */
  const roster = async (): Promise<Record<string, MemberRole>> =>
    Object.fromEntries((await store.stores.members.of('acme')).map(({ personId, role }) => [personId, role]));
  /** Signs a user in again, as a change that needs a proof of identity asks for. */
  const signInAgain = async (name: Name): Promise<void> => {
    sessions[name] = await signIn(name);
  };
  return { ...store, as, sessions, signInAgain, roster };
}

/** Websites with the DNS records (by name) and files (by host) that a test sets. */
export function fakeSites() {
  const records = new Map<string, string[]>();
  const files = new Map<string, string>();
  const asked: string[] = [];
  const sites: Sites = {
    async txt(name) {
      asked.push(name);
      const texts = records.get(name);
      return texts ? { texts } : { fault: 'There is no such name (NXDOMAIN)' };
    },
    isPrivate: async () => false,
    async file(host, path) {
      asked.push(host + path);
      const text = files.get(host);
      return text === undefined ? { fault: 'It answers 404' } : { text };
    },
    post: async () => ({ fault: 'The host refuses connections on port 443' }),
  };
  return { sites, records, files, asked };
}
