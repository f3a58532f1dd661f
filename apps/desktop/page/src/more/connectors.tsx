import { visible } from '@svc/text';
import { Button, Check, EmptyState, ErrorMessage, Loaded, Rows } from '@svc/ui';
import { useEffect, useId } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { ServerFault } from '../apps/apps.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { FirstApps } from '../store/first-apps.tsx';
import { useDesktopClient, useDesktopMutation, useDesktopQuery, useRefresh } from '../wire/use-desktop.ts';
import { Added, AddProgram, AddServer, isLocal, useAdd } from './add-connector.tsx';
import { Monogram } from './monogram.tsx';
import { type Adding, type PastedServer, readServers } from './read-servers.ts';

/** What is taken of an entry. No value of a header is shown. */
const takenText = (adding: Adding): string =>
  'url' in adding
    ? [adding.url, ...Object.keys(adding.headers ?? {}).map((name) => `header ${name}`)].join(', ')
    : [adding.command, ...adding.args].join(' ');

function Server({ server, isAllowed }: { server: PastedServer; isAllowed: boolean }) {
  const add = useAdd();
  const why = useId();
  const { name, adding, left } = server;
  const isOff = adding !== null && isLocal(adding) && !isAllowed;
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong>{' '}
        {adding ? <code>{visible(takenText(adding))}</code> : <span className="fault">cannot be added</span>}
        {left.length > 0 ? (
          <ul className="mild" aria-label={`Left out of ${visible(name)}`}>
            {left.map((what) => (
              <li key={what}>{visible(what)}</li>
            ))}
          </ul>
        ) : null}
        {isOff ? (
          <p className="mild" id={why}>
            Programs on this computer and servers on your network are not allowed yet. Allow them below.
          </p>
        ) : null}
        <Added add={add} />
      </div>
      {adding ? (
        <Button
          label={add.isSuccess ? 'Added' : add.isPending ? 'Adding…' : 'Add'}
          aria-label={`Add ${visible(name)}`}
          disabled={isOff || add.isPending || add.isSuccess}
          aria-describedby={isOff ? why : undefined}
          onClick={() => add.mutate(adding)}
        />
      ) : null}
    </li>
  );
}

/** The servers of a configuration of another client, each with a button of its own. */
function Pasted({ text, isAllowed }: { text: string; isAllowed: boolean }) {
  const servers = readServers(text);
  if (servers === null) return <p className="fault">This is not the JSON of MCP servers.</p>;
  if (servers.length === 0) return <p className="fault">There is no server in it.</p>;
  return (
    <Rows of={servers}>
      {(server) => <Server key={JSON.stringify(server)} server={server} isAllowed={isAllowed} />}
    </Rows>
  );
}

type Connector = AppView & { source: Extract<AppView['source'], { kind: 'connector' }> };

/** The URL of a connector with the names of its headers, or its command line. */
const locationOf = ({ source: { url, local, headers = [] } }: Connector): string =>
  local?.kind === 'command'
    ? [local.program, ...local.args].join(' ')
    : [url, ...headers.map((name) => `header ${name}`)].join(', ');

/** Allows connectors on this computer and the local network, with what that means. */
function Allow({ isAllowed, isGiven }: { isAllowed: boolean; isGiven: boolean }) {
  const allow = useDesktopMutation('connectors.allowLocal');
  const isOn = allow.variables?.on ?? isAllowed;
  return (
    <>
      <Check
        label="Allow programs of this computer and servers of your network"
        role="switch"
        className="switch"
        aria-checked={isOn}
        checked={isOn}
        disabled={allow.isPending || isGiven}
        choose={(on) => allow.mutate({ on })}
      />
      <p className={isOn ? 'soft' : 'mild'}>
        A program of a connector runs as you: it can read and change your files and use your network. Each is
        asked on a card first.
      </p>
      {isGiven ? (
        <p className="soft">
          svc desktop was started with --local-connectors: start it without, to choose here.
        </p>
      ) : null}
      <span role="status">{allow.isSuccess ? 'Saved.' : ''}</span>
      <ErrorMessage error={allow.error} />
    </>
  );
}

/** Asks each server once for its tools, so that one that does not respond shows. */
function useCheck(connectors: readonly Connector[]) {
  const desktop = useDesktopClient();
  const { id: project } = useProject();
  const refresh = useRefresh();
  // A program is not started to see whether it runs.
  const asked = connectors.filter(({ on, source }) => on && source.local?.kind !== 'command');
  const ids = asked.map(({ appId }) => appId).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each set of connectors
  useEffect(() => {
    const left = new AbortController();
    const checks = asked.map(({ appId }) =>
      desktop.request('tools.list', { appId, project }, left.signal).catch(() => undefined),
    );
    const refreshed = async () => {
      await Promise.all(checks);
      if (!left.signal.aborted) await refresh();
    };
    if (checks.length > 0) void refreshed();
    return () => left.abort();
  }, [ids, project]);
}

function List({ connectors }: { connectors: readonly Connector[] }) {
  useCheck(connectors);
  if (connectors.length === 0)
    return (
      <EmptyState icon="plug" title="No connectors yet">
        <p>
          Choose an app of the store, or add an MCP server that is in none. Its tools join those of your apps.
        </p>
      </EmptyState>
    );
  return (
    <Rows of={connectors}>
      {(app) => (
        <li key={app.appId} className="agent">
          <Monogram name={app.manifest.name} />
          <div>
            <a href={hashOf('apps', app.appId)}>{visible(app.manifest.name)}</a>{' '}
            {app.on ? null : <span className="badge">off</span>}
            <p className="soft">{visible(locationOf(app))}</p>
            <ServerFault app={app} />
          </div>
        </li>
      )}
    </Rows>
  );
}

const isConnector = (app: AppView): app is Connector => app.source.kind === 'connector';

/** MCP servers that the user added: hosted, on this computer or on the local network. */
export function Connectors() {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  const client = useDesktopQuery('client.show', {});
  const connectors = apps.data?.apps.filter(isConnector) ?? [];
  const offered = <FirstApps lead="Apps of the store: no URL to copy." browse="Browse all" />;
  return (
    <>
      <Heading>Connectors</Heading>
      <Loaded query={apps}>{() => <List connectors={connectors} />}</Loaded>
      {apps.data && connectors.length === 0 ? offered : null}
      <Loaded query={client}>
        {({ localConnectors: isAllowed, givenLocalConnectors: isGiven }) => (
          <>
            <Section title="Add a server">
              <AddServer
                isAllowed={isAllowed}
                pasted={(text) => <Pasted text={text} isAllowed={isAllowed} />}
              />
              <Allow {...{ isAllowed, isGiven }} />
            </Section>
            {isAllowed ? (
              <Section title="Add a program of this computer">
                <AddProgram />
              </Section>
            ) : null}
          </>
        )}
      </Loaded>
      {connectors.length > 0 ? offered : null}
    </>
  );
}
