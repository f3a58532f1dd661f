import type { Managed } from '@svc/runtime';
import { UserAnswer } from '@svc/runtime/parts';
import { z } from 'zod';
import { invalid, notFound } from '../http/exchange.ts';
import { checkedLink, LINK_ACTIONS, LinkError, type StoreLink } from '../links/read-link.ts';
import { AppId, call, Id, Nothing, type PageParts } from './page-call.ts';

function checked(link: StoreLink): StoreLink {
  try {
    return checkedLink(link);
  } catch (error) {
    throw error instanceof LinkError ? invalid(error.message) : error;
  }
}

/** What the company set, for the settings of the page; null where it set nothing. */
const managedView = (managed: Managed | null) =>
  managed && { settings: managed.list(), ofStore: managed.ofStore(), problems: managed.problems() };

/** The mirrors of the store, as they are now. */
const mirrorViews = ({ runtime }: PageParts['desktop']) =>
  runtime.mirrors().map(({ address, left }) => ({
    address,
    left: left && { since: new Date(left.since).toISOString(), why: left.why },
  }));

const noLinks = () => invalid('This desktop opens no links of web pages.');

/** Information about the client, answers to cards, and links of web pages. */
export function clientCalls({ client, desktop, links, newKey, storeLog, storeSession }: PageParts) {
  const { prompts, settings } = desktop;
  return {
    /** Creates a one-time key for another window of this browser. */
    'session.share': call(Nothing, () => ({ key: newKey() })),
    'client.show': call(Nothing, () => ({
      ...client,
      privateNetworks: client.givenNetworks ?? settings.privateNetworks(),
      localConnectors: client.givenLocalConnectors || settings.localConnectors(),
      managed: managedView(desktop.runtime.managed),
      mirrors: mirrorViews(desktop),
      projects: settings.projects(),
      cards: prompts.waiting(),
    })),
    /** Names the hosts and networks inside a company that apps may reach. */
    'client.saveNetworks': call(
      z.strictObject({ entries: z.array(z.string().max(300)).max(1_000) }),
      async ({ entries }) => {
        if (client.givenNetworks) throw invalid('The operator of this computer sets the private networks.');
        await settings.savePrivateNetworks(entries);
      },
    ),
    'client.storeSession': call(Nothing, () => storeSession.show()),
    /** Begins a sign-in to the store, and opens its page. */
    'client.signIn': call(Nothing, () => storeSession.begin()),
    'client.cancelSignIn': call(Nothing, () => storeSession.cancel()),
    /** Revokes the token of this desktop. */
    'client.signOut': call(Nothing, () => storeSession.end()),
    /** What must not be missed about the log of the store. */
    'log.show': call(Nothing, () => storeLog.view()),
    'log.close': call(Nothing, () => storeLog.close()),
    /** Null if this desktop opens no links. */
    'links.show': call(Nothing, async () => ({ links: (await links?.view()) ?? null })),
    'links.turn': call(z.strictObject({ isOn: z.boolean() }), async ({ isOn }) => {
      if (!links) throw noLinks();
      await links.turn(isOn);
    }),
    /** Opens the desktop of another store; null for a store that is new here, as long as the user has not agreed. */
    'links.open': call(
      z.strictObject({
        action: z.enum(LINK_ACTIONS),
        appId: AppId,
        store: z.string().max(2_000),
        isAgreed: z.boolean(),
      }),
      async ({ isAgreed, ...link }) => {
        if (!links) throw noLinks();
        return { link: await links.open(checked(link), isAgreed) };
      },
    ),
    'cards.answer': call(z.strictObject({ cardId: Id, answer: UserAnswer }), ({ cardId, answer }) => {
      if (!prompts.answer(cardId, answer))
        throw notFound('This question was already answered, or its call has ended.');
    }),
  };
}
