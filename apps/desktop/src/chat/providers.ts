import { join } from 'node:path';
import { isThisMachine } from '@svc/contracts/this-machine';
import {
  type ModelRequest,
  type Rules,
  RuntimeError,
  refusalOfModel,
  type ServerServices,
  type System,
} from '@svc/runtime';
import type { ClientSecrets } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { invalid, notFound } from '../http/exchange.ts';
import { keptFile } from '../settings/kept-file.ts';
import { PROTOCOLS, type Protocol } from '../wire/chat.ts';
import { listModels, ModelFacts } from './list-models.ts';
import { MESSAGES, ModelError, wrongAddress } from './model-fault.ts';
import type { ModelServer } from './model-protocol.ts';
import { askOnce, tryModel } from './model-server.ts';

const MAX_PROVIDERS = 30;
const MAX_MODELS = 2_000;
const MAX_TYPED = 50;

const Ref = z.object({ provider: z.string().max(100), model: z.string().max(300) });
const Provider = z.object({
  id: z.string().max(100),
  name: z.string().max(100),
  baseUrl: z.string().max(2_000),
  hasKey: z.boolean(),
  /** The protocol; that of OpenAI where it is missing. */
  protocol: z.exactOptional(z.enum(PROTOCOLS)),
  /** Models in the provider's last list, after those that the user typed. */
  models: z.array(z.string().max(300)).max(MAX_MODELS),
  /** Models that the user typed, for providers that list none. */
  typed: z.exactOptional(z.array(z.string().max(300)).max(MAX_TYPED)),
  /** Whether its models receive the pictures that apps return; missing is yes. */
  pictures: z.exactOptional(z.boolean()),
  /** What the provider says of its models. */
  facts: z.exactOptional(z.record(z.string(), ModelFacts)),
});
type Provider = z.infer<typeof Provider>;
const Kept = z.object({
  providers: z.array(Provider).max(MAX_PROVIDERS),
  default: Ref.nullable(),
  /** Whether models write the titles of conversations; missing is on. */
  titles: z.exactOptional(z.boolean()),
});

/** Model servers that are detected on this computer, at their default ports. */
const LOCAL = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
] as const;

/** Normalises the URL of a provider. With a key, plain HTTP is allowed for this computer only. */
function providerUrl(text: string, hasKey: boolean): string {
  const url = URL.parse(text.trim());
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search)
    throw invalid('Enter the base URL of the provider, such as https://api.example.com/v1.');
  if (hasKey && url.protocol === 'http:' && !isThisMachine(url.hostname))
    throw invalid('A key is only sent over https or to this computer. Use an https:// URL.');
  let end = url.href.length;
  while (url.href[end - 1] === '/') end -= 1;
  return url.href.slice(0, end);
}

const isSameOrigin = (a: string, b: string): boolean => URL.parse(a)?.origin === URL.parse(b)?.origin;

type Deps = {
  folder: string;
  system: Pick<System, 'now' | 'sleep' | 'randomBytes'>;
  secrets: ClientSecrets;
  local?: readonly { name: string; baseUrl: string }[];
  /** What the company has in force; default: nothing. */
  rules?(): Rules;
};

/** A provider to ask: one that is not saved, or a saved one with changes. */
type Candidate = { baseUrl: string; key: string | null; protocol?: Protocol; provider?: string };

export type Providers = ReturnType<typeof openProviders>;

/** The model providers of a folder. They are stored in `models.json`, and their keys in the vault. */
export function openProviders({ folder, system, secrets, local = LOCAL, rules = () => [] }: Deps) {
  const file = join(folder, 'models.json');
  const { read, change } = keptFile(system, file, {
    schema: Kept,
    first: { providers: [], default: null },
    words: 'The model providers',
  });
  read();
  function find(id: string): Provider {
    const found = read().providers.find((provider) => provider.id === id);
    if (!found) throw notFound('Model provider not found.');
    return found;
  }
  /** @throws ModelError for a model that the company does not allow */
  function requireAllowed(baseUrl: string, model: string | null): void {
    const refused = refusalOfModel(rules(), baseUrl, model);
    if (refused) throw new ModelError('model', refused.message);
  }
  /** The URL and key of a provider, for a request. @param model that is asked; null for none @throws ModelError */
  async function server(id: string, model: string | null): Promise<ModelServer> {
    const { baseUrl, hasKey, name, protocol = 'openai' } = find(id);
    requireAllowed(baseUrl, model);
    return { name, baseUrl, protocol, key: hasKey ? await secrets.read(`model:${id}`) : null };
  }
  const replace = (id: string, next: (provider: Provider) => Provider): Promise<void> =>
    change((kept) => ({
      ...kept,
      providers: kept.providers.map((provider) => (provider.id === id ? next(provider) : provider)),
    }));
  /** The models of a provider. One that lists none has those that the user typed. @throws ModelError */
  async function listedBy(id: string, typed: readonly string[], signal: AbortSignal) {
    try {
      return await listModels(await server(id, null), signal);
    } catch (error) {
      if (typed.length > 0 && error instanceof ModelError && error.code === 'address') return [];
      throw error;
    }
  }
  async function refresh(id: string, signal: AbortSignal): Promise<Provider> {
    const { typed = [] } = find(id);
    const listed = await listedBy(id, typed, signal);
    const models = [...new Set([...typed, ...listed.map((model) => model.id)])].slice(0, MAX_MODELS);
    const known = listed.filter((model) => models.includes(model.id) && Object.keys(model.facts).length > 0);
    const facts = Object.fromEntries(known.map((model) => [model.id, model.facts]));
    await replace(id, (provider) => ({ ...provider, models, facts }));
    const [model] = models;
    if (model !== undefined)
      await change((kept) => ({ ...kept, default: kept.default ?? { provider: id, model } }));
    return find(id);
  }
  /** The URL and key of a provider that is not saved, or of a saved one with the given changes. */
  async function candidate({ baseUrl: given, key, protocol, provider: id }: Candidate): Promise<ModelServer> {
    const saved = id === undefined ? null : find(id);
    const stored =
      saved && key === null && isSameOrigin(saved.baseUrl, given) ? await server(saved.id, null) : null;
    const used = key ?? stored?.key ?? null;
    const spoken = protocol ?? saved?.protocol ?? 'openai';
    return { name: 'candidate', baseUrl: providerUrl(given, used !== null), key: used, protocol: spoken };
  }
  return {
    find,
    server,
    refresh,
    list: () => read(),
    /** Asks a provider before it is saved: for its models, and for a word of one of them. @throws ModelError */
    async check({ model, ...given }: Candidate & { model?: string }, signal: AbortSignal): Promise<string[]> {
      const asked = await candidate(given);
      requireAllowed(asked.baseUrl, model ?? null);
      const listed = await listModels(asked, signal).catch((error: unknown) => {
        const isUnlisted = model !== undefined && error instanceof ModelError && error.code === 'address';
        if (!isUnlisted) throw error;
        return null;
      });
      const tried = model ?? null;
      if (tried !== null)
        await tryModel(asked, tried, signal).catch((error: unknown) => {
          if (!(error instanceof ModelError)) throw error;
          // Neither the list nor the model is there: it is the address that is wrong. With the list, it is the model.
          if (listed === null && error.code === 'model') throw wrongAddress();
          throw listed !== null && error.code === 'address' ? new ModelError('model', MESSAGES.model) : error;
        });
      return listed?.map(({ id }) => id) ?? (tried === null ? [] : [tried]);
    },
    async add(
      name: string,
      given: string,
      key: string | null,
      { model, protocol }: { model?: string; protocol?: Protocol } = {},
    ): Promise<Provider> {
      const baseUrl = providerUrl(given, key !== null);
      const refused = refusalOfModel(rules(), baseUrl, model ?? null);
      if (refused) throw refused;
      const plain = cleanLine(name, 60) || new URL(baseUrl).host;
      const id = `provider-${Buffer.from(system.randomBytes(8)).toString('hex')}`;
      if (key !== null) await secrets.write(`model:${id}`, key);
      const more = { ...(model !== undefined && { typed: [model] }), ...(protocol && { protocol }) };
      const made = { id, name: plain, baseUrl, hasKey: key !== null, models: [], ...more };
      await change((kept) => {
        if (kept.providers.length >= MAX_PROVIDERS)
          throw invalid(`There are ${MAX_PROVIDERS} providers already.`);
        return { ...kept, providers: [...kept.providers, made] };
      });
      return made;
    },
    /** @param key null removes it; undefined keeps it, for the same origin only */
    async edit(
      id: string,
      {
        name,
        baseUrl: given,
        key,
        model,
      }: { name: string; baseUrl: string; key?: string | null; model?: string },
    ): Promise<Provider> {
      const before = find(id);
      const hasKey = key === undefined ? before.hasKey : key !== null;
      const baseUrl = providerUrl(given, hasKey);
      if (key === undefined && before.hasKey && !isSameOrigin(before.baseUrl, baseUrl))
        throw invalid(
          'Enter the API key again: the stored one is sent only to the address that it was entered for.',
        );
      if (key !== undefined) await secrets.write(`model:${id}`, key);
      await replace(id, (provider) => ({
        ...provider,
        ...{ baseUrl, hasKey, name: cleanLine(name, 60) || new URL(baseUrl).host },
        ...(model !== undefined && {
          typed: [...new Set([model, ...(provider.typed ?? [])])].slice(0, MAX_TYPED),
        }),
      }));
      return find(id);
    },
    async move(id: string, by: -1 | 1): Promise<void> {
      find(id);
      await change((kept) => {
        const at = kept.providers.findIndex((provider) => provider.id === id);
        const to = Math.min(kept.providers.length - 1, Math.max(0, at + by));
        const others = kept.providers.filter((provider) => provider.id !== id);
        return { ...kept, providers: others.toSpliced(to, 0, ...kept.providers.slice(at, at + 1)) };
      });
    },
    async remove(id: string): Promise<void> {
      find(id);
      await change((kept) => ({
        ...kept,
        providers: kept.providers.filter((provider) => provider.id !== id),
        default: kept.default?.provider === id ? null : kept.default,
      }));
      await secrets.write(`model:${id}`, null);
    },
    async showPictures(id: string, pictures: boolean): Promise<void> {
      find(id);
      await replace(id, (provider) => ({ ...provider, pictures }));
    },
    async choose(chosen: z.infer<typeof Ref>): Promise<void> {
      find(chosen.provider);
      await change((kept) => ({ ...kept, default: chosen }));
    },
    /** Whether models write the titles of conversations. */
    saveTitles: (titles: boolean) => change((kept) => ({ ...kept, titles })),
    /** Model servers that respond on this computer and are not configured yet. */
    async detect(signal: AbortSignal): Promise<{ name: string; baseUrl: string }[]> {
      const known = new Set(read().providers.map(({ baseUrl }) => baseUrl));
      const asked = local
        .filter(({ baseUrl }) => !known.has(baseUrl))
        .map(async (found) => {
          await listModels({ ...found, key: null }, signal);
          return found;
        });
      return (await Promise.allSettled(asked)).flatMap((result) =>
        result.status === 'fulfilled' ? [result.value] : [],
      );
    },
  };
}

async function answer(
  { list, server }: Providers,
  { system, messages, maxTokens }: ModelRequest,
  signal: AbortSignal,
): Promise<{ model: string; text: string }> {
  const chosen = list().default;
  if (!chosen) throw new RuntimeError('not-offered', 'The user has chosen no model.');
  const text = await askOnce({
    ...{ server: await server(chosen.provider, chosen.model), model: chosen.model, maxTokens, signal },
    instructions: system ?? '',
    messages: messages.map(({ role, text }) => ({ role, content: text })),
  });
  return { model: chosen.model, text };
}

/** Has the chosen model answer the servers of connectors (MCP sampling). */
export const sampleWith =
  (providers: Providers): NonNullable<ServerServices['sample']> =>
  (request, signal) =>
    answer(providers, request, signal).catch((error: unknown) => {
      // The words of a provider are for the user, not for the server of a connector.
      throw error instanceof ModelError
        ? new RuntimeError('not-offered', 'The model did not answer.')
        : error;
    });
