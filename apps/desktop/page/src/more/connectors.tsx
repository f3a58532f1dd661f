import { visible } from '@svc/text';
import { ErrorMessage, Field, Loaded } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { RefusedError } from '../wire/desktop-client.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { LocalConnectors } from './local-connectors.tsx';

type Connector = Extract<AppView['source'], { kind: 'connector' }>;

/** Whether the runtime refused the address. Its own message is about addresses of apps, not about one that the user typed. */
const isRefusedAddress = (error: Error | null): boolean =>
  error instanceof RefusedError && error.code === 'address-refused';

function Add() {
  const add = useDesktopMutation('connectors.add');
  const [url, setUrl] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ url: url.trim() }, { onSuccess: () => setUrl('') });
  };
  return (
    <form className="fields card" onSubmit={submit}>
      <Field
        label="MCP server URL"
        hint="For example https://mcp.example.com/mcp"
        type="url"
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <div className="buttons">
        <button type="submit" className="main" disabled={add.isPending}>
          {add.isPending ? 'Connecting…' : 'Add'}
        </button>
        <span role="status" className="good">
          {add.data ? `${visible(add.data.app.manifest.name)} was added.` : ''}
        </span>
      </div>
      <ErrorMessage
        error={
          isRefusedAddress(add.error)
            ? new Error(
                'This URL cannot be added. Enter an https URL on the internet, not on this computer or a local network.',
              )
            : add.error
        }
      />
    </form>
  );
}

/** The URL of a connector, or its command line. */
const locationOf = ({ url, local }: Connector): string =>
  local?.kind === 'command' ? [local.program, ...local.args].join(' ') : url;

/** MCP servers that the user added: hosted, on this computer or on the local network. */
export function Connectors() {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  return (
    <>
      <Heading>Connectors</Heading>
      <p className="soft">
        Add a hosted MCP server by its URL. svc lists its tools, and opens the sign-in page if the server
        requires one.
      </p>
      <Add />
      <LocalConnectors />
      <Loaded query={apps}>
        {({ apps: all }) => {
          const added = all.flatMap(({ appId, manifest, source }) =>
            source.kind === 'connector' ? [{ appId, name: manifest.name, location: locationOf(source) }] : [],
          );
          if (added.length === 0) return <p>No connectors yet.</p>;
          return (
            <ul className="rows">
              {added.map(({ appId, name, location }) => (
                <li key={appId}>
                  <div>
                    <a href={hashOf('apps', appId)}>{visible(name)}</a>
                    <p className="soft">{visible(location)}</p>
                  </div>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}
