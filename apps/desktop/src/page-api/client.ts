import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import { type CallsOf, Id, Nothing, type PageCall, type PageParts, UserAnswer } from './page-call.ts';

/** Information about the client, and answers to cards. */
export function clientCalls({
  client,
  desktop,
  newKey,
}: PageParts): CallsOf<'client' | 'cards'> & { 'session.share': PageCall<'session.share'> } {
  const { prompts, settings } = desktop;
  return {
    'session.share': { input: Nothing, answer: () => ({ key: newKey() }) },
    'client.show': {
      input: Nothing,
      answer: () => ({ ...client, projects: settings.projects(), cards: prompts.waiting() }),
    },
    'cards.answer': {
      input: z.strictObject({ cardId: Id, answer: UserAnswer }),
      answer({ cardId, answer }) {
        if (!prompts.answer(cardId, answer))
          throw notFound('This question was already answered, or its call has ended.');
        return {};
      },
    },
  };
}
