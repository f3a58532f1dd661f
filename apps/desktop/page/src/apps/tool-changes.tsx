import { visible } from '@svc/text';
import { Button, ButtonLink, ErrorMessage, moment } from '@svc/ui';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { Banner } from '../parts/parts.tsx';
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

function Change({
  change: { tool, path, kind, before, after, widens },
  recorded,
}: {
  change: ToolChange;
} & Pick<Waiting, 'recorded'>) {
  return (
    <li className={`change instructions ${widens ? 'changed' : 'removed'}`}>
      <strong>{KINDS[kind]}</strong> {path === '' ? null : <code>{visible(path)}</code>}
      <dl className="sides">
        <Side title={recorded.includes(tool) ? 'Recorded by the store' : 'Accepted'} value={before} />
        <Side title="Now" value={after} />
      </dl>
    </li>
  );
}

/** What happened, as one sentence without its end. */
const titleOf = ({ name, recorded }: Waiting): string =>
  recorded.length > 0
    ? `The server of ${visible(name)} differs from what the store recorded`
    : `The server changed what ${visible(name)} says`;

function WaitingChanges({ waiting }: { waiting: Waiting }) {
  const { appId, since, binding, recorded, rejected, changes } = waiting;
  const decide = useDesktopMutation('tools.decide');
  const tools = Map.groupBy(changes, ({ tool }) => tool);
  const buttons = rejected ? (['accept'] as const) : (['accept', 'reject'] as const);
  return (
    <section className="card" aria-label={titleOf(waiting)}>
      <h2>{titleOf(waiting)}</h2>
      {recorded.length > 0 ? (
        <p>
          The store listed the tools of this server itself, or the publisher did, and moderators read that
          list. The server says something else to you: it has changed since, or answers the store differently.
        </p>
      ) : null}
      <p className="soft">{`Seen ${moment(since)}. The texts are from the server, and models follow them. Until you accept, models read the earlier description and calls continue with it.`}</p>
      {rejected ? <p className="callout">You rejected these changes.</p> : null}
      {[...tools].map(([tool, own]) => (
        <div key={tool}>
          <h3>
            <code>{visible(tool)}</code>
          </h3>
          <ul className="changes instructions">
            {own.map((change) => (
              <Change key={change.path} change={change} recorded={recorded} />
            ))}
          </ul>
        </div>
      ))}
      <div className="buttons">
        {buttons.map((as) => (
          <Button
            key={as}
            label={as === 'accept' ? 'Accept changes' : 'Reject changes'}
            {...(as === 'accept' && { className: 'main' })}
            runs={decide}
            onClick={() => decide.mutate({ appId, binding, as })}
          />
        ))}
      </div>
      <ErrorMessage error={decide.error} />
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
  return data?.waiting
    .filter(({ rejected }) => !rejected)
    .map((waiting) => (
      <Banner key={waiting.appId}>
        <span role="status">{`${titleOf(waiting)} about its tools.`}</span>
        <ButtonLink label="Review changes" href={hashOf('apps', waiting.appId, 'tools')} />
      </Banner>
    ));
}
