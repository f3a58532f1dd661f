import { ErrorMessage, moment } from '@svc/ui';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.toolChanges;

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
      <strong>{MESSAGES.kinds[kind]}</strong> {path === '' ? null : <code>{visible(path)}</code>}
      <dl className="sides long">
        <Side title={MESSAGES.before} value={before} />
        <Side title={MESSAGES.after} value={after} />
      </dl>
    </li>
  );
}

function WaitingChanges({ waiting: { appId, name, since, binding, changes } }: { waiting: Waiting }) {
  const accept = useDesktopMutation('tools.acceptChanges');
  const tools = Map.groupBy(changes, ({ tool }) => tool);
  return (
    <section className="card" aria-label={MESSAGES.title(visible(name))}>
      <h2>{MESSAGES.title(visible(name))}</h2>
      <p className="soft">{MESSAGES.hint(moment(since))}</p>
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
        {MESSAGES.accept}
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
      <span role="status">{MESSAGES.banner(visible(name))}</span>
      <a className="button" href={hashOf('apps', appId, 'tools')}>
        {MESSAGES.review}
      </a>
    </div>
  ));
}
