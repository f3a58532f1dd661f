import type { Decision } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { EmptyState, Loaded, moment, Rows, TextArea, textOf } from '@svc/ui';
import type { HTMLAttributes, ReactNode } from 'react';
import { Card, ChangeForm, Named } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';
import { Lines } from '../../dashboard/parts.tsx';
import { DECISION_WORDS } from './cases.ts';

const STATES: Readonly<Record<NonNullable<Decision['appeal']>['state'], string>> = {
  open: 'appeal open',
  upheld: 'appeal: upheld',
  reversed: 'appeal: reversed',
};

const SIDES = { publisher: 'Publisher', store: 'Moderator' } as const;

/** A decision of the store: what it did, the rule it cites, and the messages of its appeal. */
export function DecisionItem({
  decision,
  row,
  picture,
  children,
}: {
  decision: Decision;
  /** The app, for those who do not know it by its id. */
  picture?: ReactNode;
  row?: HTMLAttributes<HTMLLIElement>;
  children: ReactNode;
}) {
  const { kind, appId, appName, version, rule, policy, note, at, appeal, messages } = decision;
  const head = (
    <>
      <strong>
        {DECISION_WORDS[kind]}
        {appName === null ? null : (
          <>
            : <bdi>{visible(appName)}</bdi> {version}
          </>
        )}
      </strong>{' '}
      {appeal ? (
        <span className={appeal.state === 'open' ? 'badge mild' : 'badge'}>{STATES[appeal.state]}</span>
      ) : null}
      <p className="soft">
        {appId === null ? null : (
          <>
            <code>{visible(appId)}</code>,{' '}
          </>
        )}
        {moment(at)}, rule <a href={`/policy?version=${policy}#${rule.id}`}>{visible(rule.title)}</a>
      </p>
    </>
  );
  return (
    <li {...row}>
      <div>
        {picture === undefined ? head : <Named picture={picture}>{head}</Named>}
        {note === '' ? null : <Lines text={note} />}
        {messages.map((message) => (
          <div key={`${message.at} ${message.text}`} className="plain">
            <p className="soft">
              {SIDES[message.side]} {message.name === null ? null : <bdi>{visible(message.name)}</bdi>},{' '}
              {moment(message.at)}
            </p>
            <Lines text={message.text} />
          </div>
        ))}
        {appeal?.answer ? (
          <div className="plain">
            <p className="soft">
              {STATES[appeal.state]}
              {appeal.answeredAt === null ? null : `, ${moment(appeal.answeredAt)}`}
            </p>
            <Lines text={appeal.answer} />
          </div>
        ) : null}
        {children}
      </div>
    </li>
  );
}

function Appeal({ slug, decision }: { slug: string; decision: Decision }) {
  const request = (data: FormData) =>
    apiRequest('POST /api/publishers/:slug/decisions/:id/messages', {
      params: { slug, id: decision.id },
      json: { text: textOf(data, 'text') },
    });
  const isFirst = decision.appeal === null;
  return (
    <details>
      <summary>{isFirst ? 'Appeal this decision' : 'Write to the moderators'}</summary>
      <ChangeForm action={isFirst ? 'Appeal' : 'Send'} request={request}>
        <TextArea
          label={isFirst ? 'Why the decision is wrong' : 'Message'}
          name="text"
          required
          maxLength={2_000}
          rows={4}
        />
      </ChangeForm>
    </details>
  );
}

/** The decisions of the store about a publisher and its apps, which its members can appeal. */
export function Decisions({ slug }: { slug: string }) {
  const query = useRead(apiRequest('GET /api/publishers/:slug/decisions', { params: { slug } }));
  return (
    <Loaded query={query}>
      {({ decisions }) =>
        decisions.length === 0 ? (
          <EmptyState icon="inbox" title="No decisions against this publisher">
            <p>
              Rejections, yanks and suspensions by the store appear here. See the <a href="/policy">policy</a>
              .
            </p>
          </EmptyState>
        ) : (
          <Card>
            <p className="soft">
              You can appeal a decision for 90 days: another moderator than the first decides. See the{' '}
              <a href="/policy">policy</a>.
            </p>
            <Rows of={decisions}>
              {(decision) => (
                <DecisionItem key={decision.id} decision={decision}>
                  {decision.canAppeal ? <Appeal slug={slug} decision={decision} /> : null}
                </DecisionItem>
              )}
            </Rows>
          </Card>
        )
      }
    </Loaded>
  );
}
