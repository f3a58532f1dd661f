import type { PastDecision, Review, VersionMove } from '@svc/contracts';
import { sealsOf } from '@svc/permissions';
import { visible, visibleLines } from '@svc/text';
import { count, type FactList, Facts, ModelText, moment, Rows, SealRow, sizeText, When } from '@svc/ui';
import type { ReactNode } from 'react';
import { Card } from '../../account/parts.tsx';
import { useSignedIn } from '../../account/use-store.ts';
import { originsOf } from '../../changes/origins.tsx';
import { useWho } from '../who.ts';
import { dueWords } from '../words.ts';

const SERVED_BY = { publisher: 'As the publisher listed them', store: 'As the store listed them' } as const;

const STATES: Readonly<Record<string, string>> = { in_review: 'in review' };

export const stateWords = (state: string): string => STATES[state] ?? state;

/** When it was published; null before. */
const publishedAt = ({ moves }: Review): string | null =>
  moves.findLast(({ from, to }) => from === 'approved' && to === 'published')?.at ?? null;

/** The store that a carried version comes from, and what that store says of it. */
const carriedFrom = (origin: Review['origin']): FactList =>
  origin === null
    ? []
    : [
        [
          'From',
          <>
            <a href={origin.store} rel="noreferrer">
              {new URL(origin.store).host}
            </a>
            , signed there {moment(origin.publishedAt)} with <code>{origin.keyId}</code>
          </>,
        ],
        [
          'That store says',
          <>
            by <bdi>{visible(origin.said.publisherName)}</bdi>
            {origin.said.verified ? ', whom it verified' : ', whom it did not verify'}
            {origin.said.reviewed === null
              ? ''
              : origin.said.reviewed
                ? '; a moderator reviewed it'
                : '; published without a review'}
            {`; ${count(origin.said.installs, 'install')}`}
          </>,
        ],
      ];

/** The facts that the store has about the version. */
export function Details({ review }: { review: Review }) {
  const who = useWho(review.names);
  const { role } = useSignedIn();
  const { publisher, review: position } = review;
  return (
    <Card title="Details">
      <SealRow
        seals={sealsOf({
          ...review.reach,
          accounts: review.reach.endpoints,
          publisher,
          publishedAt: publishedAt(review),
          reviewed: review.reasons.length > 0,
        })}
      />
      <Facts
        facts={[
          ['State', stateWords(review.status)],
          [
            'Due',
            position && (
              <>
                <When at={position.dueAt} />, {dueWords(position.dueAt, Date.now())},{' '}
                {`${position.position} of ${position.of} in the queue`}
              </>
            ),
          ],
          ...originsOf(review),
          ...carriedFrom(review.origin),
          [
            'Suspend',
            role === 'administrator' && (
              <>
                <a href={`/admin/apps?${new URLSearchParams({ q: review.appId })}`}>the app</a>,{' '}
                <a href={`/admin/publishers?${new URLSearchParams({ q: publisher.slug })}`}>the publisher</a>
              </>
            ),
          ],
          ['Submitted', `${moment(review.submittedAt)} by ${who(review.submittedBy)}`],
          ['SHA-256 of the bundle', <code key="hash">{review.sha256}</code>],
          [
            'Size',
            <>
              {sizeText(review.size)}, <a href={new URL(review.bundleUrl).pathname}>Download the bundle</a>
            </>,
          ],
        ]}
      />
    </Card>
  );
}

/** The tools that the server has. */
export function Served({ served }: Pick<Review, 'served'>) {
  return (
    <Card title="Tools of the server">
      {!served ? (
        <p>They have not been listed yet. The store lists servers that need no sign-in.</p>
      ) : (
        <>
          <p className="soft">
            {SERVED_BY[served.source]}, {moment(served.recordedAt)}
          </p>
          <ul className="rows">
            {served.tools.map(({ name, description, inputSchema }) => (
              <li key={name}>
                <details>
                  <summary>
                    <code>{visible(name)}</code>
                  </summary>
                  <p>
                    <ModelText text={description ?? ''} />
                  </p>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
                  <pre className="plain" tabIndex={0}>
                    {visibleLines(JSON.stringify(inputSchema, null, 2))}
                  </pre>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

type MovesProps = {
  title: string;
  moves: readonly (VersionMove & Partial<PastDecision>)[];
  names: Review['names'];
};

function Moves({ title, moves, names }: MovesProps) {
  const who = useWho(names);
  return (
    <>
      <h3>{title}</h3>
      <Rows of={moves} none="No decisions yet.">
        {(move): ReactNode => {
          const { appId, version, from, to, by, first, at, note } = move;
          return (
            <li key={`${appId} ${version} ${at} ${to}`}>
              <div>
                {version === undefined ? null : (
                  <>
                    <code>{visible(appId ?? '')}</code> {visible(version)}:{' '}
                  </>
                )}
                {`${stateWords(from)} → ${stateWords(to)}`}{' '}
                <span className="soft">
                  by {first === undefined ? '' : `${who(first)} and `}
                  {who(by)}, {moment(at)}
                </span>
                {note === '' ? null : <pre className="plain">{visibleLines(note)}</pre>}
              </div>
            </li>
          );
        }}
      </Rows>
    </>
  );
}

/** Past decisions on this version, its app and its publisher. */
export function History({ review }: { review: Review }) {
  const { moves, decisions, appId, names } = review;
  return (
    <Card title="History">
      <Moves title="Other versions of this app" moves={decisions.app} names={names} />
      <Moves
        title="Other apps of this publisher"
        moves={decisions.publisher.filter((decision) => decision.appId !== appId)}
        names={names}
      />
      <Moves title="This version" moves={moves} names={names} />
    </Card>
  );
}
