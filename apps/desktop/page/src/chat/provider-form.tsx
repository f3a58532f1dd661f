import { ErrorMessage, Field } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { ProviderView } from '../../../src/wire/chat.ts';
import { visible } from '../parts/visible.ts';
import { useDesktopClient, useFetch, useRefresh } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.models;

/** Providers by name: the address of each, whether it needs a key, and what else the user must know. */
const PRESETS = {
  OpenAI: { baseUrl: 'https://api.openai.com/v1', needs: 'key' },
  Anthropic: { baseUrl: 'https://api.anthropic.com/v1', needs: 'model' },
  Google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', needs: 'key' },
  OpenRouter: { baseUrl: 'https://openrouter.ai/api/v1', needs: 'key' },
  Ollama: { baseUrl: 'http://127.0.0.1:11434/v1', needs: 'nothing' },
  'LM Studio': { baseUrl: 'http://127.0.0.1:1234/v1', needs: 'nothing' },
  Azure: { baseUrl: 'https://YOUR-RESOURCE.openai.azure.com/openai/v1', needs: 'deployment' },
} as const;

type Preset = keyof typeof PRESETS;

/** What the form starts with. */
export type Entered = { name: string; baseUrl: string };

const EMPTY = { name: '', baseUrl: '', key: '', model: '' };

/** Saves the provider of the form, and requests its models. */
function useSave(edited: ProviderView | null) {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  return async ({ key, model, ...rest }: typeof EMPTY): Promise<void> => {
    const given = { ...rest, ...(model !== '' && { model }) };
    const { provider } =
      edited === null
        ? await desktop.request('models.add', { ...given, key: key || null })
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
  const change = (field: keyof typeof EMPTY) => (event: { target: { value: string } }) => {
    check.reset();
    setValues({ ...values, [field]: event.target.value });
  };
  const choose = (chosen: Preset | '') => {
    setPreset(chosen);
    if (chosen !== '') setValues({ ...values, name: chosen, baseUrl: PRESETS[chosen].baseUrl });
  };
  const trimmed = { name, baseUrl: baseUrl.trim(), key: key.trim(), model: model.trim() };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    save(trimmed).then(() => {
      setValues(EMPTY);
      done();
    }, setError);
  };
  const test = () =>
    check.mutate({
      ...{ baseUrl: trimmed.baseUrl, key: trimmed.key || null },
      ...(edited && { provider: edited.id }),
      ...(trimmed.model !== '' && { model: trimmed.model }),
    });
  return (
    <form className="card fields" onSubmit={submit}>
      <h2>{edited ? MESSAGES.editOne(visible(edited.name)) : MESSAGES.add}</h2>
      {edited ? null : (
        <label className="field">
          {MESSAGES.preset}
          <select value={preset} onChange={({ target }) => choose(target.value as Preset | '')}>
            <option value="">{MESSAGES.other}</option>
            {Object.keys(PRESETS).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
      {preset === '' ? null : <p className="soft">{MESSAGES.needs[PRESETS[preset].needs]}</p>}
      <Field label={MESSAGES.name} required value={name} onChange={change('name')} />
      <Field
        label={MESSAGES.baseUrl}
        type="url"
        required
        placeholder="https://api.example.com/v1"
        value={baseUrl}
        onChange={change('baseUrl')}
      />
      <Field
        label={MESSAGES.key}
        hint={edited?.hasKey ? MESSAGES.keyKept : MESSAGES.keyHint}
        type="password"
        autoComplete="off"
        value={key}
        onChange={change('key')}
      />
      <Field label={MESSAGES.model} hint={MESSAGES.modelHint} value={model} onChange={change('model')} />
      <div className="buttons">
        <button type="submit" className="main">
          {edited ? WORDS.chat.save : MESSAGES.add}
        </button>
        <button type="button" disabled={check.isPending || trimmed.baseUrl === ''} onClick={test}>
          {MESSAGES.test}
        </button>
        {edited || found ? (
          <button type="button" onClick={done}>
            {WORDS.cancel}
          </button>
        ) : null}
        <span role="status" className={check.data?.fault ? 'fault' : 'good'}>
          {check.data
            ? check.data.fault
              ? visible(check.data.fault.message)
              : MESSAGES.works(check.data.models.length)
            : ''}
        </span>
      </div>
      <ErrorMessage error={error ?? check.error} />
    </form>
  );
}
