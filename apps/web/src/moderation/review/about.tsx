import type { PastDecision, Review, VersionMove } from '@svc/contracts';
import { sourceName } from '@svc/contracts/vocabulary';
import { sealsOf } from '@svc/permissions';
import { moment, SealRow, When } from '@svc/ui';
import type { ReactNode } from 'react';
import { Card } from '../../account/parts.tsx';
import { useSignedIn } from '../../account/use-store.ts';
import { ModelText } from '../../changes/model-text.tsx';
import { sizeText } from '../../check/words.ts';
import { visible, visibleLines } from '../visible.ts';
import { useWho } from '../who.ts';
import { dueWords, reasonWords, WORDS } from '../words.ts';

const MESSAGES = WORDS.review;

const STATES: Readonly<Record<string, string>> = { in_review: 'in review' };

/** A state in words. */
export const stateWords = (state: string): string => STATES[state] ?? state;

/** When it was published; null before. */
const publishedAt = ({ moves }: Review): string | null =>
  moves.findLast(({ from, to }) => from === 'approved' && to === 'published')?.at ?? null;

/** The facts that the store has about the version. */
export function Facts({ review }: { review: Review }) {
  const who = useWho(review.names);
  const { role } = useSignedIn();
  const { publisher, review: position } = review;
  return (
    <Card title={MESSAGES.facts}>
      <SealRow
        seals={sealsOf({
          ...review.reach,
          accounts: review.reach.endpoints,
          publisher,
          publishedAt: publishedAt(review),
          reviewed: review.reasons.length > 0,
        })}
      />
      <dl className="facts">
        <dt>{MESSAGES.state}</dt>
        <dd>{stateWords(review.status)}</dd>
        {position ? (
          <>
            <dt>{MESSAGES.due}</dt>
            <dd>
              <When at={position.dueAt} />, {dueWords(position.dueAt, Date.now())},{' '}
              {MESSAGES.place(position.position, position.of)}
            </dd>
          </>
        ) : null}
        <dt>{MESSAGES.reasons}</dt>
        <dd>{review.reasons.map(reasonWords).join(', ') || MESSAGES.none}</dd>
        {review.source === null ? null : (
          <>
            <dt>{MESSAGES.source}</dt>
            <dd>
              <bdi>{sourceName(review.source)}</bdi> <code>{review.source.commit}</code>
            </dd>
          </>
        )}
        {role === 'administrator' ? (
          <>
            <dt>{MESSAGES.administer}</dt>
            <dd>
              <a href={`/admin/apps?${new URLSearchParams({ q: review.appId })}`}>{MESSAGES.theApp}</a>,{' '}
              <a href={`/admin/publishers?${new URLSearchParams({ q: publisher.slug })}`}>
                {MESSAGES.thePublisher}
              </a>
            </dd>
          </>
        ) : null}
        <dt>{MESSAGES.submitted}</dt>
        <dd>
          {moment(review.submittedAt)} {MESSAGES.by} {who(review.submittedBy)}
        </dd>
        <dt>{MESSAGES.hash}</dt>
        <dd>
          <code>{review.sha256}</code>
        </dd>
        <dt>{MESSAGES.size}</dt>
        <dd>
          {sizeText(review.size)}, <a href={new URL(review.bundleUrl).pathname}>{MESSAGES.download}</a>
        </dd>
      </dl>
    </Card>
  );
}

/** The findings of the checks, each with a link to its documentation. */
export function Findings({ issues }: Pick<Review, 'issues'>) {
  return (
    <Card title={MESSAGES.findings}>
      {issues.length === 0 ? <p>{MESSAGES.noFindings}</p> : null}
      <ul className="rows">
        {issues.map(({ code, level, path, message, docs }) => (
          <li key={`${code} ${path} ${message}`}>
            <div>
              <span className={`badge ${level === 'error' ? 'fault' : 'mild'}`}>{level}</span>{' '}
              <code>{visible(path)}</code> {visible(message)}
              <p className="soft">
                <code>{code}</code>
                {docs === undefined ? null : (
                  <>
                    : <a href={new URL(docs, window.location.href).pathname}>{MESSAGES.findingPage}</a>
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The tools that the server has, and what to know about them beside the manifest. */
export function Served({ served }: Pick<Review, 'served'>) {
  return (
    <Card title={MESSAGES.served}>
      {!served ? (
        <p>{MESSAGES.notListed}</p>
      ) : (
        <>
          <p className="soft">
            {MESSAGES.servedBy[served.source]}, {moment(served.recordedAt)}
          </p>
          <ul className="rows">
            {served.findings.map(({ tool, kind, detail }) => (
              <li key={`${tool} ${kind} ${detail}`}>
                <div>
                  <span className="badge mild">{kind}</span> <code>{visible(tool)}</code>{' '}
                  {MESSAGES.servedFindings[kind](visible(detail))}
                </div>
              </li>
            ))}
            {served.tools.map(({ name, description, inputSchema }) => (
              <li key={name}>
                <details>
                  <summary>
                    <code>{visible(name)}</code>
                  </summary>
                  <p>
                    <ModelText text={description ?? ''} />
                  </p>
                  <pre className="served">{visibleLines(JSON.stringify(inputSchema, null, 2))}</pre>
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
      {moves.length === 0 ? <p className="soft">{MESSAGES.noDecisions}</p> : null}
      <ul className="rows">
        {moves.map((move): ReactNode => {
          const { appId, version, from, to, by, at, note } = move;
          return (
            <li key={`${appId} ${version} ${at} ${to}`}>
              <div>
                {version === undefined ? null : (
                  <>
                    <code>{visible(appId ?? '')}</code> {visible(version)}:{' '}
                  </>
                )}
                {MESSAGES.move(stateWords(from), stateWords(to))}{' '}
                <span className="soft">
                  {MESSAGES.by} {who(by)}, {moment(at)}
                </span>
                {note === '' ? null : <pre className="plain">{visibleLines(note)}</pre>}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Past decisions on this version, its app and its publisher. */
export function History({ review }: { review: Review }) {
  const { moves, decisions, appId, names } = review;
  return (
    <Card title={MESSAGES.history}>
      <Moves title={MESSAGES.ofApp} moves={decisions.app} names={names} />
      <Moves
        title={MESSAGES.ofPublisher}
        moves={decisions.publisher.filter((decision) => decision.appId !== appId)}
        names={names}
      />
      <Moves title={MESSAGES.ofVersion} moves={moves} names={names} />
    </Card>
  );
}
