import { storeAddress } from '@svc/runtime/parts';

/** What a link of a store's page asks the desktop to show. */
export const LINK_ACTIONS = ['install', 'rate'] as const;
export type StoreLink = { action: (typeof LINK_ACTIONS)[number]; appId: string; store: string };

const MAX_LENGTH = 2_000;
const APP_ID = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const MAX_APP_ID = 128;

/** A link that the desktop does not open. The message is one line. */
export class LinkError extends Error {}

const FORM = 'svc://install/APP?store=https://STORE';

/**
 * Checks what a link asks for.
 * @throws LinkError for an invalid app id or store
 */
export function checkedLink({ action, appId, store }: StoreLink): StoreLink {
  if (appId.length > MAX_APP_ID || !APP_ID.test(appId))
    throw new LinkError(
      'The id of an app has lower-case letters, digits and hyphens, such as com.example.notes.',
    );
  try {
    return { action, appId, store: storeAddress(store) };
  } catch (error) {
    throw new LinkError((error as Error).message);
  }
}

/**
 * Reads a link such as `svc://install/com.example.notes?store=https://store.example.com`. Any page and any program may send one, so it
 * carries nothing but an app and the origin of a store, and the desktop only shows something.
 * @throws LinkError for anything else
 */
export function readLink(text: string): StoreLink {
  const url = text.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null;
  const action = LINK_ACTIONS.find((known) => known === url?.hostname);
  const isPlain =
    url?.protocol === 'svc:' &&
    !url.username &&
    !url.password &&
    !url.port &&
    !url.hash &&
    url.searchParams.size === 1;
  const store = URL.parse(url?.searchParams.get('store') ?? '');
  if (!url || !action || !isPlain || !store || store.pathname !== '/')
    throw new LinkError(`Not a link of a store. Links look like ${FORM}.`);
  return checkedLink({ action, appId: url.pathname.slice(1), store: store.href });
}

/** The page of the desktop that a link opens, as the hash of its address. */
export const pageOfLink = ({ action, appId, store }: StoreLink): string =>
  `/store/${appId}/${action}/${encodeURIComponent(store)}`;
