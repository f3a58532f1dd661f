import { visible } from '@svc/text';
import { ConfirmButton, ErrorMessage, LoadError } from '@svc/ui';
import { count } from '@svc/ui/text';
import { useState } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import { Section } from '../parts/parts.tsx';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { type Entered, ProviderForm } from './provider-form.tsx';

const factsText = ({ context, price }: { context?: number; price?: { input: number; output: number } }) =>
  [
    context === undefined ? '' : `${context.toLocaleString('en')} tokens of context`,
    price === undefined
      ? ''
      : `$${price.input.toFixed(2)} in, $${price.output.toFixed(2)} out for a million tokens`,
  ]
    .filter((text) => text !== '')
    .join(', ');

/** A provider of the list: its state, and what can be done with it. */
function Provider({ provider, isFirst, edit }: { provider: ProviderView; isFirst: boolean; edit(): void }) {
  const { id, name, baseUrl, models, facts = {} } = provider;
  const test = useDesktopMutation('models.test');
  const remove = useDesktopMutation('models.remove');
  const move = useDesktopMutation('models.move');
  const described = models.filter((model) => facts[model]);
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong> <span className="soft">{visible(baseUrl)}</span>
        {described.length > 0 ? (
          <details>
            <summary>{count(models.length, 'model')}</summary>
            <ul>
              {described.map((model) => (
                <li key={model}>
                  {visible(model)} <span className="soft">{factsText(facts[model] ?? {})}</span>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
        <p role="status" className={test.data?.fault ? 'fault' : 'good'}>
          {test.data
            ? test.data.fault
              ? visible(test.data.fault.message)
              : `Connected: ${count(models.length, 'model')}.`
            : ''}
        </p>
        <ErrorMessage error={test.error} />
      </div>
      <div className="buttons">
        <button type="button" disabled={test.isPending} onClick={() => test.mutate({ provider: id })}>
          Test
        </button>
        <button type="button" onClick={edit}>
          Edit
        </button>
        {isFirst ? null : (
          <button
            type="button"
            aria-label={`Move ${visible(name)} up`}
            onClick={() => move.mutate({ provider: id, by: -1 })}
          >
            ↑
          </button>
        )}
        <ConfirmButton
          label="Remove"
          sure={`Remove ${visible(name)}? Its API key is deleted.`}
          act={() => remove.mutate({ provider: id })}
        />
      </div>
    </li>
  );
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
        Instructions for all conversations in this project
        <textarea name="text" rows={4} defaultValue={saved.data.text} />
      </label>
      <button type="submit">Save</button>{' '}
      <span role="status" className="good">
        {save.isSuccess ? 'Done.' : ''}
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
  const [edited, setEdited] = useState<ProviderView | null>(null);
  const [found, setFound] = useState<Entered | null>(null);
  const providers = listed.data?.providers ?? [];
  const chosen = listed.data?.default;
  return (
    <>
      <LoadError query={listed} />
      <Section title="Providers">
        {listed.data && providers.length === 0 ? (
          <p>No provider yet. Choose one below, or start Ollama or LM Studio.</p>
        ) : null}
        <ul className="rows">
          {providers.map((provider, at) => (
            <Provider
              key={provider.id}
              provider={provider}
              isFirst={at === 0}
              edit={() => setEdited(provider)}
            />
          ))}
          {detected.map(({ name, baseUrl }) => (
            <li key={baseUrl}>
              <div>{`${name} runs on this computer.`}</div>
              <button type="button" onClick={() => setFound({ name, baseUrl })}>
                Use
              </button>
            </li>
          ))}
        </ul>
        {providers.some(({ models }) => models.length > 0) ? (
          <label className="field">
            Default for new conversations
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
      </Section>
      <ProviderForm
        key={edited?.id ?? found?.baseUrl ?? 'new'}
        edited={edited}
        found={found}
        done={() => {
          setEdited(null);
          setFound(null);
        }}
      />
      <Prompt />
    </>
  );
}
