import { visible } from '@svc/text';
import { ErrorMessage, Loaded } from '@svc/ui';
import { useEffect } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { ServerFault } from '../apps/apps.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery, useRefresh } from '../wire/use-desktop.ts';
import { AddProgram, AddServer } from './add-connector.tsx';
import { PasteServers } from './pasted-servers.tsx';

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
      <label className="choice">
        <input
          type="checkbox"
          role="switch"
          className="switch"
          aria-checked={isOn}
          checked={isOn}
          disabled={allow.isPending || isGiven}
          onChange={({ target }) => allow.mutate({ on: target.checked })}
        />
        Allow programs of this computer and servers of your network
      </label>
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
  if (connectors.length === 0) return <p>No connectors yet.</p>;
  return (
    <ul className="rows">
      {connectors.map((app) => (
        <li key={app.appId}>
          <div>
            <a href={hashOf('apps', app.appId)}>{visible(app.manifest.name)}</a>{' '}
            {app.on ? null : <span className="badge">off</span>}
            <p className="soft">{visible(locationOf(app))}</p>
            <ServerFault app={app} />
          </div>
        </li>
      ))}
    </ul>
  );
}

const isConnector = (app: AppView): app is Connector => app.source.kind === 'connector';

/** MCP servers that the user added: hosted, on this computer or on the local network. */
export function Connectors() {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  const client = useDesktopQuery('client.show', {});
  return (
    <>
      <Heading>Connectors</Heading>
      <p className="soft">
        An MCP server that is in no store. svc lists its tools, and asks you to sign in if the server requires
        it.
      </p>
      <Loaded query={apps}>{({ apps: all }) => <List connectors={all.filter(isConnector)} />}</Loaded>
      <Loaded query={client}>
        {({ localConnectors: isAllowed, givenLocalConnectors: isGiven }) => (
          <>
            <Section title="Add a server by its address">
              <AddServer isAllowed={isAllowed} />
            </Section>
            <PasteServers isAllowed={isAllowed} />
            <Section title="Programs of this computer">
              {isAllowed ? <AddProgram /> : null}
              <Allow {...{ isAllowed, isGiven }} />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}
