import { visible } from '@svc/text';
import { ErrorMessage, moment } from '@svc/ui';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { hashOf } from '../routes.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

const KINDS = {
  tool: 'New tool',
  parameter: 'Parameter',
  words: 'Text',
  hint: 'What the server says about the effects of the tool',
  schema: 'Allowed values',
} satisfies Record<ToolChange['kind'], string>;

type Waiting = DesktopCalls['tools.changes']['out']['waiting'][number];
type ToolChange = Waiting['changes'][number];

/** A value of a server: a text as it is, anything else as JSON. */
const shown = (value: ToolChange['before']): string =>
  visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function Side({ title, value }: { title: string; value: ToolChange['before'] }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <pre dir="auto">{shown(value)}</pre>
      </dd>
    </div>
  );
}

function Change({ change: { path, kind, before, after, widens } }: { change: ToolChange }) {
  return (
    <li className={widens ? 'changed' : 'removed'}>
      <strong>{KINDS[kind]}</strong> {path === '' ? null : <code>{visible(path)}</code>}
      <dl className="sides long">
        <Side title="Accepted" value={before} />
        <Side title="Now" value={after} />
      </dl>
    </li>
  );
}

function WaitingChanges({ waiting: { appId, name, since, binding, changes } }: { waiting: Waiting }) {
  const accept = useDesktopMutation('tools.acceptChanges');
  const tools = Map.groupBy(changes, ({ tool }) => tool);
  return (
    <section className="card" aria-label={`The server changed what ${visible(name)} says`}>
      <h2>{`The server changed what ${visible(name)} says`}</h2>
      <p className="soft">{`Changed ${moment(since)}. The texts are from the server, and models follow them. Until you accept, models read the earlier description and calls continue with it.`}</p>
      {[...tools].map(([tool, own]) => (
        <div key={tool}>
          <h3>
            <code>{visible(tool)}</code>
          </h3>
          <ul className="changes instructions">
            {own.map((change) => (
              <Change key={change.path} change={change} />
            ))}
          </ul>
        </div>
      ))}
      <button
        type="button"
        className="main"
        disabled={accept.isPending}
        onClick={() => accept.mutate({ appId, binding })}
      >
        Accept changes
      </button>
      <ErrorMessage error={accept.error} />
    </section>
  );
}

/** What the server of an app changed in what it says of its tools, until the user accepts it. */
export function ToolChanges({ appId }: { appId: string }) {
  const { data } = useDesktopQuery('tools.changes', {});
  const own = data?.waiting.filter((waiting) => waiting.appId === appId) ?? [];
  return own.map((waiting) => <WaitingChanges key={waiting.appId} waiting={waiting} />);
}

/** Links to each app whose server changed what it says of its tools. */
export function ToolChangesBanner() {
  const { data } = useDesktopQuery('tools.changes', {});
  return data?.waiting.map(({ appId, name }) => (
    <div key={appId} className="banner">
      <span role="status">{`The server changed what ${visible(name)} says about its tools.`}</span>
      <a className="button" href={hashOf('apps', appId, 'tools')}>
        Review changes
      </a>
    </div>
  ));
}
