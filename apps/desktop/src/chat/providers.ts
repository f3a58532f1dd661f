import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '@svc/runtime';
import { type ClientSecrets, withLock, writeDurable } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { invalid, notFound } from '../http/exchange.ts';
import type { ModelRef, ProviderView } from '../wire/chat.ts';
import { listModels, type ModelServer } from './model-server.ts';

const MAX_PROVIDERS = 30;
const MAX_MODELS = 2_000;

const Ref = z.object({ provider: z.string().max(100), model: z.string().max(300) });
const Provider = z.object({
  id: z.string().max(100),
  name: z.string().max(100),
  baseUrl: z.string().max(2_000),
  hasKey: z.boolean(),
  models: z.array(z.string().max(300)).max(MAX_MODELS),
});
const Kept = z.object({ providers: z.array(Provider).max(MAX_PROVIDERS), default: Ref.nullable() });
type Kept = z.infer<typeof Kept>;

/** Model servers that are detected on this computer, at their default ports. */
const LOCAL = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
] as const;

function read(file: string): Kept {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { providers: [], default: null };
    throw error;
  }
  try {
    return Kept.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`The model providers in ${file} cannot be read. Fix or delete the file.`, { cause });
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Normalises the URL of a provider. With a key, plain HTTP is allowed for this computer only. */
function providerUrl(text: string, hasKey: boolean): string {
  const url = URL.parse(text.trim());
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search)
    throw invalid('Enter the base URL of the provider, such as https://api.example.com/v1.');
  if (hasKey && url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    throw invalid('A key is only sent over https or to this computer. Use an https:// URL.');
  let end = url.href.length;
  while (url.href[end - 1] === '/') end -= 1;
  return url.href.slice(0, end);
}

type Deps = {
  folder: string;
  system: Pick<System, 'sleep' | 'randomBytes'>;
  secrets: ClientSecrets;
  local?: readonly { name: string; baseUrl: string }[];
};

export type Providers = ReturnType<typeof openProviders>;

/** The model providers of a folder. They are stored in `models.json`, and their keys in the vault. */
export function openProviders({ folder, system, secrets, local = LOCAL }: Deps) {
  const file = join(folder, 'models.json');
  read(file);
  const change = (next: (kept: Kept) => Kept): Promise<void> =>
    withLock(system, `${file}.lock`, async () => {
      await writeDurable(file, Buffer.from(`${JSON.stringify(Kept.parse(next(read(file))), null, 2)}\n`));
    });
  function find(id: string): ProviderView {
    const found = read(file).providers.find((provider) => provider.id === id);
    if (!found) throw notFound('Model provider not found.');
    return found;
  }
  /** The URL and key of a provider, for a request. */
  async function server(id: string): Promise<ModelServer> {
    const { baseUrl, hasKey, name } = find(id);
    return { name, baseUrl, key: hasKey ? await secrets.read(`model:${id}`) : null };
  }
  async function refresh(id: string, signal: AbortSignal): Promise<ProviderView> {
    const models = (await listModels(await server(id), signal)).slice(0, MAX_MODELS);
    await change((kept) => {
      const providers = kept.providers.map((provider) =>
        provider.id === id ? { ...provider, models } : provider,
      );
      const [model] = models;
      const first = kept.default === null && model !== undefined ? { provider: id, model } : kept.default;
      return { providers, default: first };
    });
    return find(id);
  }
  return {
    find,
    server,
    refresh,
    list: () => read(file),
    async add(name: string, given: string, key: string | null): Promise<ProviderView> {
      const baseUrl = providerUrl(given, key !== null);
      const plain = cleanLine(name, 60) || new URL(baseUrl).host;
      const id = `provider-${Buffer.from(system.randomBytes(8)).toString('hex')}`;
      if (key !== null) await secrets.write(`model:${id}`, key);
      const made = { id, name: plain, baseUrl, hasKey: key !== null, models: [] };
      await change((kept) => {
        if (kept.providers.length >= MAX_PROVIDERS)
          throw invalid(`There are ${MAX_PROVIDERS} providers already.`);
        return { ...kept, providers: [...kept.providers, made] };
      });
      return made;
    },
    async remove(id: string): Promise<void> {
      find(id);
      await change((kept) => ({
        providers: kept.providers.filter((provider) => provider.id !== id),
        default: kept.default?.provider === id ? null : kept.default,
      }));
      await secrets.write(`model:${id}`, null);
    },
    async choose(chosen: ModelRef): Promise<void> {
      find(chosen.provider);
      await change((kept) => ({ ...kept, default: chosen }));
    },
    /** Model servers that respond on this computer and are not configured yet. */
    async detect(signal: AbortSignal): Promise<{ name: string; baseUrl: string }[]> {
      const known = new Set(read(file).providers.map(({ baseUrl }) => baseUrl));
      const asked = local
        .filter(({ baseUrl }) => !known.has(baseUrl))
        .map(async (candidate) => {
          await listModels({ ...candidate, key: null }, signal);
          return candidate;
        });
      return (await Promise.allSettled(asked)).flatMap((result) =>
        result.status === 'fulfilled' ? [result.value] : [],
      );
    },
  };
}
