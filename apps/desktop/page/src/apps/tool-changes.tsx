import { visible } from '@svc/text';
import { Button, ErrorMessage, ModelText, moment } from '@svc/ui';
import { shortJson } from '../parts/short-json.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { titleOf, type Waiting } from './tool-changes-banner.tsx';

/** What a server lists, as titles and sentences name it. */
const THINGS = {
  tool: 'Tool',
  resource: 'Resource',
  template: 'Resource template',
  prompt: 'Prompt',
  page: 'Page',
} satisfies Record<Change['of'], string>;

const KINDS = {
  new: 'New',
  parameter: 'Parameter',
  words: 'Text',
  hint: 'What the server says about its effects and readers',
  schema: 'Allowed values',
  visibility: 'Who can use it: models (model), pages of the server (app)',
  page: 'Page that the tool shows',
  icons: 'Icons',
  origins: 'Servers that the page connects to',
  meta: 'Other data that agents can read',
} satisfies Record<Change['kind'], string>;

type Change = Waiting['changes'][number];

/** A value of a server: a text as it is, anything else as JSON. */
const shown = (value: Change['before']): string => (typeof value === 'string' ? value : shortJson(value));

function Side({ title, value }: { title: string; value: Change['before'] }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <pre dir="auto">
          <ModelText text={shown(value)} />
        </pre>
      </dd>
    </div>
  );
}

function ChangeItem({
  change: { of, tool, path, kind, before, after, widens },
  recorded,
}: {
  change: Change;
} & Pick<Waiting, 'recorded'>) {
  return (
    <li className={`change instructions ${widens ? 'changed' : 'removed'}`}>
      <strong>{KINDS[kind]}</strong> {path === '' ? null : <code>{visible(path)}</code>}
      <dl className="sides">
        <Side
          title={of === 'tool' && recorded.includes(tool) ? 'Recorded by the store' : 'Accepted'}
          value={before}
        />
        <Side title="Now" value={after} />
      </dl>
    </li>
  );
}

function WaitingChanges({ waiting }: { waiting: Waiting }) {
  const { appId, since, binding, recorded, rejected, changes } = waiting;
  const decide = useDesktopMutation('tools.decide');
  const things = Map.groupBy(changes, ({ of, tool }) => `${of} ${tool}`);
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
      <p className="soft">{`Seen ${moment(since)}. The texts are from the server, and models follow them. Until you accept, models and pages use the earlier descriptions, and nothing new.`}</p>
      {rejected ? <p className="callout">You rejected these changes.</p> : null}
      {[...things].map(([key, own]) => (
        <div key={key}>
          {own.slice(0, 1).map(({ of, tool }) => (
            <h3 key={key}>
              {THINGS[of]} <code>{visible(tool)}</code>
            </h3>
          ))}
          <ul className="changes instructions">
            {own.map((change) => (
              <ChangeItem key={`${change.kind} ${change.path}`} change={change} recorded={recorded} />
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

/** What the server of an app changed in what it lists, until the user accepts it. */
export function ToolChanges({ appId }: { appId: string }) {
  const { data } = useDesktopQuery('tools.changes', {});
  const own = data?.waiting.filter((waiting) => waiting.appId === appId) ?? [];
  return own.map((waiting) => <WaitingChanges key={waiting.appId} waiting={waiting} />);
}
