import type { Protocol } from '../../../src/wire/chat.ts';

const HERE = 'It runs on this computer and needs no key. Start it first.';

export type Provided = {
  baseUrl: string;
  protocol?: Protocol;
  /** The page that makes its keys; none if it runs on this computer. */
  keys?: string;
  /** The field that it needs besides its key. */
  asks?: 'resource';
  needs: string;
};

/** Providers by name: the base URL of each, the page that makes its keys, and what it needs. */
export const PRESETS = {
  OpenAI: {
    baseUrl: 'https://api.openai.com/v1',
    keys: 'https://platform.openai.com/api-keys',
    needs: 'It needs an API key, and credit in its account: a ChatGPT subscription has none.',
  },
  Anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    protocol: 'anthropic',
    keys: 'https://console.anthropic.com/settings/keys',
    needs: 'It needs an API key, and credit in its account: a Claude subscription has none.',
  },
  Google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    protocol: 'google',
    keys: 'https://aistudio.google.com/apikey',
    needs: 'It needs an API key of Google AI Studio.',
  },
  OpenRouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    keys: 'https://openrouter.ai/settings/keys',
    needs: 'It needs an API key. Its models have prices and sizes of contexts in the list.',
  },
  Azure: {
    baseUrl: 'https://YOUR-RESOURCE.openai.azure.com/openai/v1',
    keys: 'https://portal.azure.com/',
    asks: 'resource',
    needs:
      'Put the name of your resource into the URL. It needs a key of the resource, and the name of a deployment as the model: the models that it lists may not be deployed.',
  },
  Ollama: { baseUrl: 'http://127.0.0.1:11434/v1', needs: HERE },
  'LM Studio': { baseUrl: 'http://127.0.0.1:1234/v1', needs: HERE },
} satisfies Record<string, Provided>;

export type Preset = keyof typeof PRESETS;
