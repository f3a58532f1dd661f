import { z } from 'zod';
import { invalid, notFound } from '../http/exchange.ts';
import { checkedLink, LINK_ACTIONS, LinkError, type StoreLink } from '../links/read-link.ts';
import { AppId, type CallsOf, Id, Nothing, type PageCall, type PageParts, UserAnswer } from './page-call.ts';

function checked(link: StoreLink): StoreLink {
  try {
    return checkedLink(link);
  } catch (error) {
    throw error instanceof LinkError ? invalid(error.message) : error;
  }
}

const noLinks = () => invalid('This desktop opens no links of web pages.');

/** Information about the client, answers to cards, and links of web pages. */
export function clientCalls({
  client,
  desktop,
  links,
  newKey,
  storeSession,
}: PageParts): CallsOf<'client' | 'cards' | 'links'> & { 'session.share': PageCall<'session.share'> } {
  const { prompts, settings } = desktop;
  return {
    'session.share': { input: Nothing, answer: () => ({ key: newKey() }) },
    'client.show': {
      input: Nothing,
      answer: () => ({
        ...client,
        privateNetworks: client.givenNetworks ?? settings.privateNetworks(),
        projects: settings.projects(),
        cards: prompts.waiting(),
      }),
    },
    'client.saveNetworks': {
      input: z.strictObject({ entries: z.array(z.string().max(300)).max(1_000) }),
      async answer({ entries }) {
        if (client.givenNetworks) throw invalid('The operator of this computer sets the private networks.');
        await settings.savePrivateNetworks(entries);
      },
    },
    'client.storeSession': { input: Nothing, answer: () => storeSession.show() },
    'client.signIn': { input: Nothing, answer: () => storeSession.begin() },
    'client.cancelSignIn': {
      input: Nothing,
      answer: () => storeSession.cancel(),
    },
    'client.signOut': {
      input: Nothing,
      answer: () => storeSession.end(),
    },
    'links.show': { input: Nothing, answer: async () => ({ links: (await links?.view()) ?? null }) },
    'links.turn': {
      input: z.strictObject({ isOn: z.boolean() }),
      async answer({ isOn }) {
        if (!links) throw noLinks();
        await links.turn(isOn);
      },
    },
    'links.open': {
      input: z.strictObject({
        action: z.enum(LINK_ACTIONS),
        appId: AppId,
        store: z.string().max(2_000),
        isAgreed: z.boolean(),
      }),
      async answer({ isAgreed, ...link }) {
        if (!links) throw noLinks();
        return { link: await links.open(checked(link), isAgreed) };
      },
    },
    'cards.answer': {
      input: z.strictObject({ cardId: Id, answer: UserAnswer }),
      answer({ cardId, answer }) {
        if (!prompts.answer(cardId, answer))
          throw notFound('This question was already answered, or its call has ended.');
      },
    },
  };
}
