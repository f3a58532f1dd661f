import { visible } from '@svc/text';
import {
  Button,
  Check,
  ConfirmButton,
  count,
  ErrorMessage,
  Form,
  LoadError,
  Select,
  TextArea,
} from '@svc/ui';
import { useState } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import { Section } from '../parts/parts.tsx';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { modelChoices } from './chat-head.tsx';
import { type Entered, ProviderForm, TestOutcome } from './provider-form.tsx';

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
            label="↑"
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

function Prompt() {
  const project = useProject();
  const saved = useDesktopQuery('chats.prompt', { project: project.id });
  const save = useDesktopMutation('chats.savePrompt');
  if (!saved.data) return <LoadError query={saved} />;
  return (
    <Form
      className="card fields"
      action="Save"
      tone="plain"
      submit={(data) => save.mutate({ project: project.id, text: String(data.get('text')) })}
      status={save.isSuccess ? 'Done.' : ''}
      error={save.error}
    >
      <TextArea
        label="Instructions for all conversations in this project"
        name="text"
        rows={4}
        defaultValue={saved.data.text}
      />
    </Form>
  );
}

/** Model settings: providers, the default model, and the instructions of the project. */
export function Models() {
  const listed = useDesktopQuery('models.list', {});
  const detected = useDesktopQuery('models.detect', {}).data?.found ?? [];
  const choose = useDesktopMutation('models.choose');
  const saveTitles = useDesktopMutation('models.saveTitles');
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
              <Button label="Use" onClick={() => setFound({ name, baseUrl })} />
            </li>
          ))}
        </ul>
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
