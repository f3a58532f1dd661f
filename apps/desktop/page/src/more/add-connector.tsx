import { isThisMachine } from '@svc/contracts/this-machine';
import { visible } from '@svc/text';
import { ErrorMessage, Field, Form, TextArea } from '@svc/ui';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { ConnectButton } from '../apps/accounts.tsx';
import { RefusedError } from '../wire/desktop-client.ts';
import { useDesktopClient, useRefresh } from '../wire/use-desktop.ts';
import type { Adding } from './read-servers.ts';

/** Whether a connector is of this computer or the local network, which the desktop checks again and asks about on a card. */
export function isLocal(adding: Adding): boolean {
  if (!('url' in adding)) return true;
  const url = URL.parse(adding.url);
  if (url === null) return false;
  return (
    url.protocol === 'http:' ||
    isThisMachine(url.hostname) ||
    /^(?:10\.|192\.168\.|\[)|\.local$/.test(url.hostname)
  );
}

/** Adds connectors of every kind. */
export function useAdd() {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  return useMutation<{ app: AppView }, Error, Adding>({
    mutationFn: (adding) =>
      'url' in adding && !isLocal(adding)
        ? desktop.request('connectors.add', adding)
        : desktop.request('connectors.addLocal', adding),
    onSettled: refresh,
  });
}

/** The message of the runtime for a refused public address is about those of apps, not about one that the user typed. */
const REFUSED_ADDRESS =
  'This URL cannot be added. Enter an https URL on the internet, or http for this computer and your local network.';

/** What became of adding a connector, with its sign-in where its server requires one. */
export function Added({ add }: { add: ReturnType<typeof useAdd> }) {
  const app = add.data?.app;
  const isRefused = add.error instanceof RefusedError && add.error.code === 'address-refused';
  const isHosted = add.variables !== undefined && !isLocal(add.variables);
  return (
    <>
      <span role="status" className="good">
        {app ? `${visible(app.manifest.name)} was added.` : ''}
      </span>
      {app?.manifest.accounts?.map(({ id, label }) => (
        <ConnectButton key={id} appId={app.appId} accountId={id} label={label} />
      ))}
      <ErrorMessage error={isRefused && isHosted ? new Error(REFUSED_ADDRESS) : add.error} />
    </>
  );
}

const WAITING = 'Waiting for your approval and the server…';

/** A form that adds one connector. It is empty again once the connector is there. */
function AddForm<Values extends Record<string, string>>({
  empty,
  label,
  adding,
  why = () => null,
  children,
}: {
  empty: Values;
  label: string;
  adding(values: Values): Adding;
  /** What is missing for its button to act. */
  why?(values: NoInfer<Values>): string | null;
  children(
    values: Values,
    field: (name: keyof Values) => {
      value: string;
      onChange(event: { target: { value: string } }): void;
    },
  ): ReactNode;
}) {
  const add = useAdd();
  const [values, setValues] = useState(empty);
  return (
    <>
      <Form
        action={add.isPending ? (isLocal(add.variables) ? WAITING : 'Connecting…') : label}
        busy={add.isPending}
        why={why(values)}
        submit={() => add.mutate(adding(values), { onSuccess: () => setValues(empty) })}
      >
        {children(values, (name) => ({
          value: values[name] ?? '',
          onChange: ({ target: { value } }) => setValues((now) => ({ ...now, [name]: value })),
        }))}
      </Form>
      <Added add={add} />
    </>
  );
}

const isJson = (text: string): boolean => text.trim().startsWith('{');

/** What keeps a text from being added; null for an empty field, whose browser says that it is required. */
const whyNot = ({ url }: { url: string }): string | null =>
  isJson(url)
    ? 'Add each server of the JSON.'
    : url.trim() === '' || URL.canParse(url.trim())
      ? null
      : 'A server URL begins with https:// or http://.';

type AddServerProps = {
  /** Whether it may be of this computer or network. */
  isAllowed: boolean;
  /** The servers of a configuration of another client, each with a button of its own. */
  pasted(text: string): ReactNode;
};

/** Adds a server by its address, with a header if it needs one, or those of another client's JSON, pasted into the same field. */
export function AddServer({ isAllowed, pasted }: AddServerProps) {
  return (
    <AddForm
      empty={{ url: '', name: '', value: '' }}
      label="Add server"
      why={whyNot}
      adding={({ url, name, value }) => ({
        url: url.trim(),
        ...(name.trim() !== '' && { headers: { [name.trim()]: value.trim() } }),
      })}
    >
      {({ url, name }, field) => (
        <>
          <Field
            label="MCP server URL, or the mcpServers JSON of another client"
            hint="For example https://mcp.example.com/mcp, or http://localhost:3000/mcp"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            required
            {...field('url')}
          />
          {isAllowed || !isLocal({ url: url.trim() }) ? null : (
            <p className="mild">
              Servers of this computer and your network are not allowed yet. Allow them below.
            </p>
          )}
          {isJson(url) ? (
            pasted(url)
          ) : (
            <details>
              <summary>Send a header, such as an API key</summary>
              <Field label="Header name" hint="For example Authorization or X-Api-Key" {...field('name')} />
              <Field
                label="Header value"
                hint="Stored in the vault, sent only to this server, and never shown again. For Authorization often: Bearer, a space, and the key."
                type="password"
                autoComplete="off"
                required={name.trim() !== ''}
                {...field('value')}
              />
            </details>
          )}
        </>
      )}
    </AddForm>
  );
}

export function AddProgram() {
  return (
    <AddForm
      empty={{ command: '', args: '', folder: '', variables: '', name: '' }}
      label="Add program"
      adding={({ command, args, folder, variables, name }) => {
        const names = variables.split(/\s+/).filter((variable) => variable !== '');
        return {
          command: command.trim(),
          args: args.split(/\r?\n/).filter((line) => line !== ''),
          ...(folder.trim() !== '' && { folder: folder.trim() }),
          ...(names.length > 0 && { variables: names }),
          ...(name.trim() !== '' && { name: name.trim() }),
        };
      }}
    >
      {(_, field) => (
        <>
          <Field label="Program" hint="Full path or name, such as npx" required {...field('command')} />
          <TextArea label="Arguments" hint="One per line" rows={3} {...field('args')} />
          <Field
            label="Working folder"
            hint="Full path. Leave empty for your home folder."
            {...field('folder')}
          />
          <Field
            label="Environment variables"
            hint="Names separated by spaces, such as GITHUB_TOKEN. The values are those svc desktop was started with."
            {...field('variables')}
          />
          <Field label="Name" {...field('name')} />
        </>
      )}
    </AddForm>
  );
}
