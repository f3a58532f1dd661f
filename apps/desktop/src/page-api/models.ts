import { z } from 'zod';
import { ModelError } from '../chat/model-fault.ts';
import { PROTOCOLS } from '../wire/chat.ts';
import { call, Id, Nothing, type PageParts } from './page-call.ts';

const OneProvider = z.strictObject({ provider: Id });

const Name = z.string().max(1_000);
const Url = z.string().max(2_000);
const Model = z.string().min(1).max(300);
const Key = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(4_000);

export function modelCalls({ chats: { providers } }: PageParts) {
  return {
    /** `found` are model servers that respond on this computer and are not configured yet. */
    'models.list': call(Nothing, () => providers.list()),
    'models.detect': call(Nothing, async (_, { signal }) => ({ found: await providers.detect(signal) })),
    /** Asks a provider before it is saved: for its models, and for a word of one of them. `provider` has the key if none is given. */
    'models.check': call(
      z.strictObject({
        baseUrl: Url,
        key: Key.nullable(),
        protocol: z.exactOptional(z.enum(PROTOCOLS)),
        provider: z.exactOptional(Id),
        model: z.exactOptional(Model),
      }),
      async (given, { signal }) => {
        try {
          return { models: await providers.check(given, signal), fault: null };
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          return { models: [], fault: { code: error.code, message: error.message } };
        }
      },
    ),
    'models.add': call(
      z.strictObject({
        name: Name,
        baseUrl: Url,
        key: Key.nullable(),
        protocol: z.exactOptional(z.enum(PROTOCOLS)),
        model: z.exactOptional(Model),
      }),
      async ({ name, baseUrl, key, ...more }) => ({
        provider: await providers.add(name, baseUrl, key, more),
      }),
    ),
    /** Without `key` the stored one stays, unless the address is of another origin. */
    'models.edit': call(
      z.strictObject({
        provider: Id,
        name: Name,
        baseUrl: Url,
        key: z.exactOptional(Key.nullable()),
        model: z.exactOptional(Model),
      }),
      async ({ provider, ...changes }) => ({ provider: await providers.edit(provider, changes) }),
    ),
    /** Moves a provider up or down in the lists. */
    'models.move': call(
      z.strictObject({ provider: Id, by: z.union([z.literal(-1), z.literal(1)]) }),
      ({ provider, by }) => providers.move(provider, by),
    ),
    /** Whether the models of a provider receive the pictures that apps return. */
    'models.showPictures': call(z.strictObject({ provider: Id, on: z.boolean() }), ({ provider, on }) =>
      providers.showPictures(provider, on),
    ),
    'models.remove': call(OneProvider, ({ provider }) => providers.remove(provider)),
    /** Requests the models of a provider; `fault` says why that failed. */
    'models.test': call(OneProvider, async ({ provider }, { signal }) => {
      try {
        return { provider: await providers.refresh(provider, signal), fault: null };
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        const { code, message } = error;
        return { provider: providers.find(provider), fault: { code, message } };
      }
    }),
    /** Whether models write the titles of conversations. */
    'models.saveTitles': call(z.strictObject({ on: z.boolean() }), ({ on }) => providers.saveTitles(on)),
    'models.choose': call(z.strictObject({ provider: Id, model: z.string().min(1).max(300) }), (chosen) =>
      providers.choose(chosen),
    ),
  };
}
