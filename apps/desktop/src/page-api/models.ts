import { z } from 'zod';
import { ModelError } from '../chat/model-server.ts';
import { type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

const OneProvider = z.strictObject({ provider: Id });

const Name = z.string().max(1_000);
const Url = z.string().max(2_000);
const Model = z.string().min(1).max(300);
const Key = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(4_000);

export function modelCalls({ chats: { providers } }: PageParts): CallsOf<'models'> {
  return {
    'models.list': { input: Nothing, answer: () => providers.list() },
    'models.detect': {
      input: Nothing,
      answer: async (_, { signal }) => ({ found: await providers.detect(signal) }),
    },
    'models.check': {
      input: z.strictObject({
        baseUrl: Url,
        key: Key.nullable(),
        provider: z.exactOptional(Id),
        model: z.exactOptional(Model),
      }),
      async answer(given, { signal }) {
        try {
          return { models: await providers.check(given, signal), fault: null };
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          return { models: [], fault: { code: error.code, message: error.message } };
        }
      },
    },
    'models.add': {
      input: z.strictObject({ name: Name, baseUrl: Url, key: Key.nullable(), model: z.exactOptional(Model) }),
      answer: async ({ name, baseUrl, key, model }) => ({
        provider: await providers.add(name, baseUrl, key, model),
      }),
    },
    'models.edit': {
      input: z.strictObject({
        provider: Id,
        name: Name,
        baseUrl: Url,
        key: z.exactOptional(Key.nullable()),
        model: z.exactOptional(Model),
      }),
      answer: async ({ provider, ...changes }) => ({ provider: await providers.edit(provider, changes) }),
    },
    'models.move': {
      input: z.strictObject({ provider: Id, by: z.union([z.literal(-1), z.literal(1)]) }),
      answer: ({ provider, by }) => providers.move(provider, by),
    },
    'models.remove': {
      input: OneProvider,
      answer: ({ provider }) => providers.remove(provider),
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
      answer: (chosen) => providers.choose(chosen),
    },
  };
}
