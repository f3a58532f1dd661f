import { ErrorMessage, LoadError } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { ProviderView } from '../../../src/wire/chat.ts';
import { visible } from '../parts/visible.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery, useRefresh } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.models;

function Provider({ provider: { id, name, baseUrl, models } }: { provider: ProviderView }) {
  const test = useDesktopMutation('models.test');
  const remove = useDesktopMutation('models.remove');
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong> <span className="soft">{visible(baseUrl)}</span>
        <p role="status" className={test.data?.fault ? 'fault' : 'good'}>
          {test.data
            ? test.data.fault
              ? visible(test.data.fault.message)
              : MESSAGES.works(models.length)
            : ''}
        </p>
        <ErrorMessage error={test.error} />
      </div>
      <div className="buttons">
        <button type="button" disabled={test.isPending} onClick={() => test.mutate({ provider: id })}>
          {MESSAGES.test}
        </button>
        <button type="button" className="bad" onClick={() => remove.mutate({ provider: id })}>
          {MESSAGES.remove}
        </button>
      </div>
    </li>
  );
}

type New = { name: string; baseUrl: string; key: string | null };

/** Adds a provider, and requests its models immediately. */
function useAdd() {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  const [error, setError] = useState<Error | null>(null);
  const add = async (provider: New) => {
    setError(null);
    try {
      const added = await desktop.request('models.add', provider);
      const { fault } = await desktop.request('models.test', { provider: added.provider.id });
      if (fault) setError(new Error(fault.message));
    } catch (cause) {
      setError(cause as Error);
    }
    await refresh();
  };
  return { add, error };
}

function Prompt() {
  const project = useProject();
  const saved = useDesktopQuery('chats.prompt', { project: project.id });
  const save = useDesktopMutation('chats.savePrompt');
  if (!saved.data) return <LoadError query={saved} />;
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get('text'));
        save.mutate({ project: project.id, text });
      }}
    >
      <label className="field">
        {WORDS.chat.prompt}
        <textarea name="text" rows={4} defaultValue={saved.data.text} />
      </label>
      <button type="submit">{WORDS.chat.save}</button>{' '}
      <span role="status" className="good">
        {save.isSuccess ? WORDS.done : ''}
      </span>
      <ErrorMessage error={save.error} />
    </form>
  );
}

/** Model settings: providers, the default model, and the instructions of the project. */
export function Models() {
  const listed = useDesktopQuery('models.list', {});
  const detected = useDesktopQuery('models.detect', {}).data?.found ?? [];
  const choose = useDesktopMutation('models.choose');
  const { add, error } = useAdd();
  const providers = listed.data?.providers ?? [];
  const chosen = listed.data?.default;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = (name: string) => String(new FormData(event.currentTarget).get(name) ?? '').trim();
    void add({ name: text('name'), baseUrl: text('baseUrl'), key: text('key') || null });
    event.currentTarget.reset();
  };
  return (
    <>
      <LoadError query={listed} />
      {listed.data && providers.length === 0 ? <p>{MESSAGES.none}</p> : null}
      <ul className="rows">
        {providers.map((provider) => (
          <Provider key={provider.id} provider={provider} />
        ))}
        {detected.map(({ name, baseUrl }) => (
          <li key={baseUrl}>
            <div>{MESSAGES.found(name)}</div>
            <button type="button" onClick={() => add({ name, baseUrl, key: null })}>
              {MESSAGES.use}
            </button>
          </li>
        ))}
      </ul>
      {providers.some(({ models }) => models.length > 0) ? (
        <label className="field">
          {MESSAGES.default}
          <select
            value={chosen ? JSON.stringify(chosen) : ''}
            onChange={(event) => choose.mutate(JSON.parse(event.target.value))}
          >
            {providers.flatMap(({ id, name, models }) =>
              models.map((model) => (
                <option key={`${id} ${model}`} value={JSON.stringify({ provider: id, model })}>
                  {visible(name)}: {visible(model)}
                </option>
              )),
            )}
          </select>
        </label>
      ) : null}
      <form className="card" onSubmit={submit}>
        <h2>{MESSAGES.add}</h2>
        <label className="field">
          {MESSAGES.name}
          <input name="name" required />
        </label>
        <label className="field">
          {MESSAGES.baseUrl}
          <input name="baseUrl" type="url" required placeholder="https://api.example.com/v1" />
        </label>
        <label className="field">
          {MESSAGES.key}
          <input name="key" type="password" autoComplete="off" />
        </label>
        <p className="soft">{MESSAGES.keyHint}</p>
        <button type="submit" className="main">
          {MESSAGES.add}
        </button>
        <ErrorMessage error={error} />
      </form>
      <Prompt />
    </>
  );
}
