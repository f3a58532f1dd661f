import { z } from 'zod';
import { ModelError } from '../chat/model-server.ts';
import { type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

const OneProvider = z.strictObject({ provider: Id });

/** Model providers. */
export function modelCalls({ chats: { providers } }: PageParts): CallsOf<'models'> {
  return {
    'models.list': { input: Nothing, answer: () => providers.list() },
    'models.detect': {
      input: Nothing,
      answer: async (_, { signal }) => ({ found: await providers.detect(signal) }),
    },
    'models.add': {
      input: z.strictObject({
        name: z.string().max(1_000),
        baseUrl: z.string().max(2_000),
        key: z
          .string()
          .regex(/^[\x21-\x7e]+$/)
          .max(4_000)
          .nullable(),
      }),
      answer: async ({ name, baseUrl, key }) => ({ provider: await providers.add(name, baseUrl, key) }),
    },
    'models.remove': {
      input: OneProvider,
      async answer({ provider }) {
        await providers.remove(provider);
        return {};
      },
    },
    'models.test': {
      input: OneProvider,
      async answer({ provider }, { signal }) {
        try {
          return { provider: await providers.refresh(provider, signal), fault: null };
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          const { code, message } = error;
          return { provider: providers.find(provider), fault: { code, message } };
        }
      },
    },
    'models.choose': {
      input: z.strictObject({ provider: Id, model: z.string().min(1).max(300) }),
      async answer(chosen) {
        await providers.choose(chosen);
        return {};
      },
    },
  };
}
