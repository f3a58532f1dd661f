import { visible } from '@svc/text';
import { ActionButton, Button, count, Field, Form, OutsideLink, Select } from '@svc/ui';
import { useState } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import type { Protocol } from '../../../src/wire/chat.ts';
import { useDesktopClient, useFetch, useRefresh } from '../wire/use-desktop.ts';

const HERE = 'It runs on this computer and needs no key. Start it first.';

type Provided = { baseUrl: string; protocol?: Protocol; keys?: string; needs: string };

/** Providers by name: the base URL of each, the page that makes its keys, and what it needs. */
const PRESETS = {
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
    needs:
      'Put the name of your resource into the URL. It needs a key of the resource, and the name of a deployment as the model: the models that it lists may not be deployed.',
  },
  Ollama: { baseUrl: 'http://127.0.0.1:11434/v1', needs: HERE },
  'LM Studio': { baseUrl: 'http://127.0.0.1:1234/v1', needs: HERE },
} satisfies Record<string, Provided>;

type Preset = keyof typeof PRESETS;

const CHOICES = [
  ['', 'Another, with an OpenAI-compatible URL'],
  ...(Object.keys(PRESETS) as Preset[]).map((one) => [one, one] as const),
] as const;

type TestOutcomeProps = {
  /** Undefined before a test. */
  tested: { fault: { message: string } | null } | undefined;
  models: number;
};

/** What a test of a provider found. */
export function TestOutcome({ tested, models }: TestOutcomeProps) {
  const fault = tested?.fault;
  const connected = tested && `Connected: ${count(models, 'model')}.`;
  return (
    <span role="status" className={fault ? 'fault' : 'good'}>
      {fault ? visible(fault.message) : connected}
    </span>
  );
}

/** What a provider needs, and where its keys are made. */
function Needs({ preset }: { preset: Preset }) {
  const { needs, keys }: Provided = PRESETS[preset];
  return (
    <p className="soft">
      {needs} {keys === undefined ? null : <OutsideLink label="Get a key" href={keys} />}
    </p>
  );
}

export type Entered = { name: string; baseUrl: string };

const busyText = ({ isPending }: { isPending: boolean }): string | null => (isPending ? 'Testing…' : null);

const EMPTY = { name: '', baseUrl: '', key: '', model: '' };

type Given = typeof EMPTY & { protocol?: Protocol };

/** The protocol of a chosen provider at its own address; any other address speaks that of OpenAI. */
function protocolOf(preset: Preset | '', baseUrl: string): { protocol?: Protocol } {
  const provided: Provided | null = preset === '' ? null : PRESETS[preset];
  return provided?.protocol && provided.baseUrl === baseUrl.replace(/\/$/, '')
    ? { protocol: provided.protocol }
    : {};
}

/** Saves the provider of the form, and requests its models. */
function useSave(edited: ProviderView | null) {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  return async ({ key, model, protocol, ...rest }: Given): Promise<void> => {
    const given = { ...rest, ...(model !== '' && { model }) };
    const { provider } =
      edited === null
        ? await desktop.request('models.add', { ...given, ...(protocol && { protocol }), key: key || null })
        : await desktop.request('models.edit', { provider: edited.id, ...given, ...(key !== '' && { key }) });
    const { fault } = await desktop.request('models.test', { provider: provider.id });
    await refresh();
    if (fault) throw new Error(fault.message);
  };
}

/**
 * Adds or edits a provider. It can be tested before it is saved, which tells a wrong address from a wrong key and a wrong model.
 * @param found a provider that runs on this computer
 */
export function ProviderForm({
  edited,
  found,
  done,
}: {
  edited: ProviderView | null;
  found: Entered | null;
  done(): void;
}) {
  const [values, setValues] = useState({ ...EMPTY, ...(edited ?? found), key: '', model: '' });
  const [preset, setPreset] = useState<Preset | ''>('');
  const [error, setError] = useState<Error | null>(null);
  const check = useFetch('models.check');
  const save = useSave(edited);
  const { name, baseUrl, key, model } = values;
  const change =
    (field: keyof typeof EMPTY) =>
    ({ target: { value } }: { target: { value: string } }) => {
      check.reset();
      setValues((now) => ({ ...now, [field]: value }));
    };
  const choose = (chosen: Preset | '') => {
    setPreset(chosen);
    if (chosen !== '') setValues((now) => ({ ...now, name: chosen, baseUrl: PRESETS[chosen].baseUrl }));
  };
  const trimmed = {
    name,
    baseUrl: baseUrl.trim(),
    key: key.trim(),
    model: model.trim(),
    ...protocolOf(preset, baseUrl.trim()),
  };
  const submit = () => {
    setError(null);
    save(trimmed).then(() => {
      setValues(EMPTY);
      done();
    }, setError);
  };
  const test = () =>
    check.mutate({
      ...{ baseUrl: trimmed.baseUrl, key: trimmed.key || null },
      ...(trimmed.protocol && { protocol: trimmed.protocol }),
      ...(edited && { provider: edited.id }),
      ...(trimmed.model !== '' && { model: trimmed.model }),
    });
  return (
    <Form
      className="card fields"
      action={edited ? 'Save' : 'Add a provider'}
      submit={submit}
      more={
        <>
          <ActionButton
            why={trimmed.baseUrl === '' ? 'Enter a base URL to test it.' : busyText(check)}
            onClick={test}
          >
            Test
          </ActionButton>
          {edited || found ? <Button label="Cancel" onClick={done} /> : null}
          <TestOutcome tested={check.data} models={check.data?.models.length ?? 0} />
        </>
      }
      error={error ?? check.error}
    >
      <h2>{edited ? `Edit ${visible(edited.name)}` : 'Add a provider'}</h2>
      {edited ? null : <Select label="Provider" of={CHOICES} value={preset} choose={choose} />}
      {preset === '' ? null : <Needs preset={preset} />}
      <Field label="Name" required value={name} onChange={change('name')} />
      <Field
        label="Base URL"
        type="url"
        required
        placeholder="https://api.example.com/v1"
        value={baseUrl}
        onChange={change('baseUrl')}
      />
      <Field
        label="API key"
        hint={
          edited?.hasKey
            ? 'Empty keeps the stored key.'
            : 'Stored in the vault and sent only to this provider.'
        }
        type="password"
        autoComplete="off"
        value={key}
        onChange={change('key')}
      />
      <Field
        label="Model"
        hint="Only if the provider lists no models, or to test one."
        value={model}
        onChange={change('model')}
      />
    </Form>
  );
}
