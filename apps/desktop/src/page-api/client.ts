import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import { type CallsOf, Id, Nothing, type PageParts, PersonsAnswer } from './page-call.ts';

/** What the page asks first, and the answers to cards. */
export function clientCalls({ client, desktop }: PageParts): CallsOf<'client' | 'cards'> {
  const { desk, settings } = desktop;
  return {
    'client.show': {
      input: Nothing,
      answer: () => ({ ...client, projects: settings.projects(), cards: desk.waiting() }),
    },
    'cards.answer': {
      input: z.strictObject({ cardId: Id, answer: PersonsAnswer }),
      answer({ cardId, answer }) {
        if (!desk.answer(cardId, answer))
          throw notFound('This question was answered, or its call has ended.');
        return {};
      },
    },
  };
}
