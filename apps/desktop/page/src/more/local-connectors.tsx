import { visible } from '@svc/text';
import { ErrorMessage, Field } from '@svc/ui';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { PasteServers } from './paste-servers.tsx';

const EMPTY = { command: '', args: '', folder: '', variables: '', name: '' };

/** Builds the request from the form, without empty fields and empty argument lines. */
function requestOf({ command, args, folder, variables, name }: typeof EMPTY) {
  const names = variables.split(/\s+/).filter((variable) => variable !== '');
  return {
    command: command.trim(),
    args: args.split(/\r?\n/).filter((line) => line !== ''),
    ...(folder.trim() !== '' && { folder: folder.trim() }),
    ...(names.length > 0 && { variables: names }),
    ...(name.trim() !== '' && { name: name.trim() }),
  };
}

type Adding = ReturnType<typeof useDesktopMutation<'connectors.addLocal'>>;

/** A form with its button, and the result. */
function AddForm({
  add,
  label,
  submit,
  children,
}: {
  add: Adding;
  label: string;
  submit(): void;
  children: ReactNode;
}) {
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="fields" onSubmit={onSubmit}>
      {children}
      <div className="buttons">
        <button type="submit" disabled={add.isPending}>
          {add.isPending ? 'Waiting for your approval and the server…' : label}
        </button>
        <span role="status" className="good">
          {add.data ? `${visible(add.data.app.manifest.name)} was added.` : ''}
        </span>
      </div>
      <ErrorMessage error={add.error} />
    </form>
  );
}

function AddProgram() {
  const add = useDesktopMutation('connectors.addLocal');
  const [values, setValues] = useState(EMPTY);
  const change =
    (field: keyof typeof EMPTY) =>
    ({ target: { value } }: { target: { value: string } }) =>
      setValues((now) => ({ ...now, [field]: value }));
  const submit = () => add.mutate(requestOf(values), { onSuccess: () => setValues(EMPTY) });
  return (
    <AddForm add={add} label="Add program" submit={submit}>
      <Field
        label="Program"
        hint="Full path or name, such as npx"
        required
        value={values.command}
        onChange={change('command')}
      />
      <label className="field">
        Arguments
        <small>One per line</small>
        <textarea rows={3} value={values.args} onChange={change('args')} />
      </label>
      <Field
        label="Working folder"
        hint="Full path. Leave empty for your home folder."
        value={values.folder}
        onChange={change('folder')}
      />
      <Field
        label="Environment variables"
        hint="Names separated by spaces, such as GITHUB_TOKEN. The values are those svc desktop was started with."
        value={values.variables}
        onChange={change('variables')}
      />
      <Field label="Name" value={values.name} onChange={change('name')} />
    </AddForm>
  );
}

function AddAddress() {
  const add = useDesktopMutation('connectors.addLocal');
  const [url, setUrl] = useState('');
  const submit = () => add.mutate({ url: url.trim() }, { onSuccess: () => setUrl('') });
  return (
    <AddForm add={add} label="Add server" submit={submit}>
      <Field
        label="Address"
        hint="For example http://localhost:3000/mcp"
        type="url"
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
    </AddForm>
  );
}

/** Allows connectors on this computer and the local network, with what that means. */
function Allow({ isAllowed }: { isAllowed: boolean }) {
  const allow = useDesktopMutation('connectors.allowLocal');
  const isOn = allow.variables?.on ?? isAllowed;
  return (
    <>
      <p className={isOn ? 'soft' : 'mild'}>
        A program of a connector runs as you: it can read and change your files and use your network. Each is
        asked on a card first.
      </p>
      <button type="button" disabled={allow.isPending} onClick={() => allow.mutate({ on: !isOn })}>
        {isOn ? 'No longer allow them' : 'Allow programs and local servers'}
      </button>{' '}
      <span role="status">
        {allow.isSuccess ? 'Saved. It applies from the next start of svc desktop.' : ''}
      </span>
      <ErrorMessage error={allow.error} />
    </>
  );
}

/** Servers of other clients, and forms that add programs on this computer and servers on it or the local network, if the user allows them. */
export function LocalConnectors() {
  const client = useDesktopQuery('client.show', {});
  if (client.data === undefined) return null;
  const { localConnectors: isAllowed } = client.data;
  return (
    <>
      <PasteServers isAllowed={isAllowed} />
      <Section title="On this computer or your network">
        {isAllowed ? (
          <>
            <AddProgram />
            <AddAddress />
          </>
        ) : null}
        <Allow isAllowed={isAllowed} />
      </Section>
    </>
  );
}
