import { visible } from '@svc/text';
import { ActionButton, Button, count, Field, Form, OutsideLink } from '@svc/ui';
import { useState } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import type { Protocol } from '../../../src/wire/chat.ts';
import { useDesktopClient, useFetch, useRefresh } from '../wire/use-desktop.ts';
import { PRESETS, type Preset, type Provided } from './presets.ts';

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

const busyText = ({ isPending }: { isPending: boolean }): string | null => (isPending ? 'Testing…' : null);

const EMPTY = { name: '', baseUrl: '', key: '', model: '' };

const presetOf = (preset: Preset | ''): Provided | null => (preset === '' ? null : PRESETS[preset]);

type Given = typeof EMPTY & { protocol?: Protocol };

/** The protocol of a chosen provider at its own address; any other address speaks that of OpenAI. */
function protocolOf(preset: Preset | '', baseUrl: string): { protocol?: Protocol } {
  const provided = presetOf(preset);
  return provided?.protocol && provided.baseUrl === baseUrl.replace(/\/$/, '')
    ? { protocol: provided.protocol }
    : {};
}

/** Saves the provider of the form, and requests its models. */
export function useSave(edited: ProviderView | null) {
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

/** The fields of a provider: those that a preset asks for, and the rest folded. */
function Fields({
  values,
  change,
  preset,
  edited,
}: {
  values: typeof EMPTY;
  change(field: keyof typeof EMPTY): (event: { target: { value: string } }) => void;
  preset: Preset | '';
  edited: ProviderView | null;
}) {
  const provided = presetOf(preset);
  const key = (
    <Field
      label="API key"
      hint={
        edited?.hasKey ? 'Empty keeps the stored key.' : 'Stored in the vault and sent only to this provider.'
      }
      type="password"
      autoComplete="off"
      required={provided?.keys !== undefined}
      value={values.key}
      onChange={change('key')}
    />
  );
  const name = <Field label="Name" required value={values.name} onChange={change('name')} />;
  const address = (
    <Field
      label="Base URL"
      type="url"
      required
      placeholder="https://api.example.com/v1"
      value={values.baseUrl}
      onChange={change('baseUrl')}
    />
  );
  const model = (
    <Field
      label="Model"
      hint={
        provided?.asks
          ? 'The name of your deployment.'
          : 'Only if the provider lists no models, or to test one.'
      }
      value={values.model}
      onChange={change('model')}
    />
  );
  if (provided === null)
    return (
      <>
        {name}
        {address}
        {key}
        {model}
      </>
    );
  const isResource = provided.asks === 'resource';
  return (
    <>
      {isResource ? address : null}
      {provided.keys === undefined ? null : key}
      {isResource ? model : null}
      <details>
        <summary>{isResource ? 'Name' : 'Name, address and model'}</summary>
        <div className="fields">
          {name}
          {isResource ? null : address}
          {isResource ? null : model}
        </div>
      </details>
    </>
  );
}

/**
 * Adds or edits a provider. It can be tested before it is saved, which tells a wrong address from a wrong key and a wrong model.
 * @param preset what the user chose; empty for another provider
 */
export function ProviderForm({
  edited,
  preset,
  done,
}: {
  edited: ProviderView | null;
  preset: Preset | '';
  done(): void;
}) {
  const provided = presetOf(preset);
  const [values, setValues] = useState({
    ...EMPTY,
    ...(provided && { name: preset, baseUrl: provided.baseUrl }),
    ...(edited && { name: edited.name, baseUrl: edited.baseUrl }),
  });
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
  const trimmed = {
    name,
    baseUrl: baseUrl.trim(),
    key: key.trim(),
    model: model.trim(),
    ...protocolOf(preset, baseUrl.trim()),
  };
  const submit = () => {
    setError(null);
    save(trimmed).then(done, setError);
  };
  const test = () =>
    check.mutate({
      ...{ baseUrl: trimmed.baseUrl, key: trimmed.key || null },
      ...(trimmed.protocol && { protocol: trimmed.protocol }),
      ...(edited && { provider: edited.id }),
      ...(trimmed.model !== '' && { model: trimmed.model }),
    });
  const title = edited ? `Edit ${visible(edited.name)}` : `Add ${preset || 'a provider'}`;
  return (
    <Form
      className="fields provider-form"
      action={edited ? 'Save' : title}
      submit={submit}
      more={
        <>
          <ActionButton
            why={trimmed.baseUrl === '' ? 'Enter a base URL to test it.' : busyText(check)}
            onClick={test}
          >
            Test
          </ActionButton>
          <Button label="Cancel" onClick={done} />
          <TestOutcome tested={check.data} models={check.data?.models.length ?? 0} />
        </>
      }
      error={error ?? check.error}
    >
      <h3 tabIndex={-1}>{title}</h3>
      {preset === '' ? null : <Needs preset={preset} />}
      <Fields {...{ values, change, preset, edited }} />
    </Form>
  );
}
