import { visible } from '@svc/text';
import { Button, Check, ConfirmButton, count, ErrorMessage, Icon, LoadError, Select } from '@svc/ui';
import { useState } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { AddModel } from './add-model.tsx';
import { modelChoices } from './chat-head.tsx';
import { ProviderForm, TestOutcome } from './provider-form.tsx';

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
  const { id, name, baseUrl, models, facts = {}, pictures = true } = provider;
  const show = useDesktopMutation('models.showPictures');
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
        <Check
          label="Show pictures that apps return to its models"
          checked={pictures}
          choose={(on) => show.mutate({ provider: id, on })}
        />
        <p>
          <TestOutcome tested={test.data} models={models.length} />
        </p>
        <ErrorMessage error={test.error} />
      </div>
      <div className="buttons">
        <Button label="Test" busy="Testing…" runs={test} onClick={() => test.mutate({ provider: id })} />
        <Button label="Edit" onClick={edit} />
        {isFirst ? null : (
          <Button
            label={<Icon name="arrow-up" />}
            className="quiet icon-button"
            aria-label={`Move ${visible(name)} up`}
            onClick={() => move.mutate({ provider: id, by: -1 })}
          />
        )}
        <ConfirmButton
          label="Remove"
          sure={`Remove ${visible(name)}?${provider.hasKey ? ' Its API key is deleted.' : ''}`}
          act={() => remove.mutate({ provider: id })}
        />
      </div>
    </li>
  );
}

/** Model settings: the providers, the default model, and tiles that add a provider. */
export function Models() {
  const listed = useDesktopQuery('models.list', {});
  const choose = useDesktopMutation('models.choose');
  const saveTitles = useDesktopMutation('models.saveTitles');
  const [edited, setEdited] = useState<ProviderView | null>(null);
  const providers = listed.data?.providers ?? [];
  const chosen = listed.data?.default;
  const isEmpty = listed.data !== undefined && providers.length === 0;
  return (
    <>
      <LoadError query={listed} />
      {isEmpty ? <p>No provider yet. Choose one, or start Ollama or LM Studio.</p> : null}
      <ul className="rows">
        {providers.map((provider, at) => (
          <Provider
            key={provider.id}
            provider={provider}
            isFirst={at === 0}
            edit={() => setEdited(provider)}
          />
        ))}
      </ul>
      {edited ? (
        <ProviderForm key={edited.id} edited={edited} preset="" done={() => setEdited(null)} />
      ) : null}
      {providers.some(({ models }) => models.length > 0) ? (
        <Select
          label="Default for new conversations"
          of={modelChoices(providers)}
          value={chosen ? JSON.stringify(chosen) : ''}
          choose={(model) => choose.mutate(JSON.parse(model))}
        />
      ) : null}
      {listed.data && providers.length > 0 ? (
        <Check
          label="The model writes the title of a conversation: one short request after the first answer"
          checked={saveTitles.variables?.on ?? listed.data.titles !== false}
          choose={(on) => saveTitles.mutate({ on })}
        />
      ) : null}
      <h3>Add a provider</h3>
      <AddModel />
    </>
  );
}
