import { isObject } from '@svc/contracts/is-object';
import { visible } from '@svc/text';
import { ErrorMessage, Field } from '@svc/ui';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { useDesktopClient, useDesktopMutation, useDesktopQuery, useRefresh } from '../wire/use-desktop.ts';

/** A server of an `mcpServers` object, as other clients write it. */
type PastedServer = {
  name: string;
  request:
    | { kind: 'remote'; url: string }
    | { kind: 'local-address'; url: string }
    | { kind: 'program'; command: string; args: string[]; variables: string[] };
  /** What of the entry is not taken over: values of variables, and headers, which are secrets in plain text. */
  left: ('values' | 'headers')[];
};

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

/** Whether an address is of this computer or the local network, which the desktop checks again. */
const isLocal = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' || /^(?:localhost|127\.|10\.|192\.168\.|\[)|\.local$/.test(hostname);

function serverOf(name: string, entry: unknown): PastedServer | null {
  if (!isObject(entry)) return null;
  const address = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url) {
    const left: PastedServer['left'] = keysOf(entry.headers).length > 0 ? ['headers'] : [];
    return { name, request: { kind: isLocal(url) ? 'local-address' : 'remote', url: url.href }, left };
  }
  if (typeof entry.command !== 'string') return null;
  const variables = keysOf(entry.env);
  return {
    name,
    request: { kind: 'program', command: entry.command, args: textsIn(entry.args), variables },
    left: variables.length > 0 ? ['values'] : [],
  };
}

/**
 * Reads servers that were pasted as JSON: `{ "mcpServers": { … } }` of Claude Desktop, Cursor and others, `{ "servers": { … } }` of VS Code,
 * or the inner object alone.
 * @returns null if the text is no such JSON
 */
function readServers(text: string): PastedServer[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const servers = [value.mcpServers, value.servers, value].find(isObject) ?? {};
  return Object.entries(servers).flatMap(([name, entry]) => serverOf(name, entry) ?? []);
}

const STATES = { new: 'Add', adding: 'Adding…', added: 'Added' };

const LEFT = {
  values:
    'The values of its environment variables are not taken over. Start svc desktop with these variables set.',
  headers:
    'Its headers are not taken over. The server is added without them, and asks to sign in if it needs to.',
};

/** Adds one pasted server. A program and a local address are asked on a card first. */
function useAdd() {
  const desktop = useDesktopClient();
  return ({ name, request }: PastedServer) => {
    if (request.kind === 'remote') return desktop.request('connectors.add', { url: request.url });
    if (request.kind === 'local-address') return desktop.request('connectors.addLocal', { url: request.url });
    const { command, args, variables } = request;
    return desktop.request('connectors.addLocal', {
      ...{ command, args, name },
      ...(variables.length > 0 && { variables }),
    });
  };
}

function Server({ server, isAllowed }: { server: PastedServer; isAllowed: boolean }) {
  const add = useAdd();
  const refresh = useRefresh();
  const [state, setState] = useState<'new' | 'adding' | 'added'>('new');
  const [error, setError] = useState<Error | null>(null);
  const { name, request, left } = server;
  const isOff = request.kind !== 'remote' && !isAllowed;
  const submit = async () => {
    setState('adding');
    setError(null);
    try {
      await add(server);
      setState('added');
      await refresh();
    } catch (cause) {
      setState('new');
      setError(cause as Error);
    }
  };
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong>{' '}
        <code>
          {visible(request.kind === 'program' ? [request.command, ...request.args].join(' ') : request.url)}
        </code>
        {left.map((what) => (
          <p key={what} className="mild">
            {LEFT[what]}
          </p>
        ))}
        {isOff ? (
          <p className="mild">
            Programs on this computer and servers on your network are not allowed yet. Allow them below.
          </p>
        ) : null}
        <ErrorMessage error={error} />
      </div>
      <button
        type="button"
        aria-label={`Add ${visible(name)}`}
        disabled={isOff || state !== 'new'}
        onClick={() => void submit()}
      >
        {STATES[state]}
      </button>
    </li>
  );
}

/** Adds the servers of a configuration of another client, each with a button of its own. */
function PasteServers({ isAllowed }: { isAllowed: boolean }) {
  const [text, setText] = useState('');
  const servers = text.trim() === '' ? [] : readServers(text);
  return (
    <Section title="Add from another client">
      <label className="field">
        Its mcpServers JSON
        <textarea
          className="code"
          rows={4}
          spellCheck={false}
          placeholder={'{ "mcpServers": { "notes": { "url": "https://mcp.example.com" } } }'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      {servers === null ? <p className="fault">This is not the JSON of MCP servers.</p> : null}
      <ul className="rows">
        {(servers ?? []).map((server) => (
          <Server key={server.name} server={server} isAllowed={isAllowed} />
        ))}
      </ul>
    </Section>
  );
}

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
