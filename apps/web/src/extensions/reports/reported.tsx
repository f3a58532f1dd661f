import type { ReportedVersion } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, EmptyState, Loaded, moment, Rows } from '@svc/ui';
import type { HTMLAttributes } from 'react';
import { Card, Named } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';
import { TakeDown } from '../../dashboard/yank.tsx';
import { DecisionForm } from '../../moderation/decision-form.tsx';
import { CASE_KEYS, KeysHelp, useKeys, useRows } from '../../moderation/keys.tsx';
import { stateWords } from '../../moderation/review/about.tsx';
import { iconOf, pathOf } from '../../moderation/version-path.ts';
import { CATEGORY_WORDS, idOf, REPORTED } from './cases.ts';

/** Decides on the reports of a version: the note goes to the users who sent them. */
const Decide = ({ appId, version }: ReportedVersion) => (
  <DecisionForm
    messages={{
      decide: 'Decide',
      outcome: 'The reports are',
      outcomes: { upheld: 'right', dismissed: 'wrong, or not a violation' },
      note: 'Note, for the users who reported it',
    }}
    outcomes={['upheld', 'dismissed']}
    action="Send the decision"
    request={(json) =>
      apiRequest('POST /api/moderation/apps/:appId/versions/:version/reports', {
        params: { appId, version },
        json,
      })
    }
  />
);

function Reported({ reported, row }: { reported: ReportedVersion; row: HTMLAttributes<HTMLLIElement> }) {
  const { appId, version, name, publisher, status, installs, reports, total, firstAt } = reported;
  const isPublished = status === 'published';
  return (
    <li {...row}>
      <div>
        <Named
          picture={
            <img className="app-icon" src={iconOf(reported)} alt="" width={44} height={44} loading="lazy" />
          }
        >
          <h2>
            <a href={pathOf(reported)}>
              <bdi>{visible(name)}</bdi> {visible(version)}
            </a>{' '}
            {isPublished ? null : <span className="badge fault">{stateWords(status)}</span>}
          </h2>
          <p className="soft">
            <code>{visible(appId)}</code> {publisher}, {count(installs, 'install')}, {count(total, 'report')}{' '}
            since {moment(firstAt)}
            {total > reports.length ? `; these ${reports.length} count for most` : ''}
          </p>
        </Named>
        <ul>
          {reports.map(({ id, category, evidence, record }) => (
            <li key={id}>
              <strong>{CATEGORY_WORDS[category]}</strong>{' '}
              <span className="soft">
                earlier reports: {record.upheld} upheld, {record.dismissed} dismissed
              </span>
              <p className="plain">{visible(evidence)}</p>
            </li>
          ))}
        </ul>
        {isPublished ? (
          <div className="buttons">
            <TakeDown own={{ slug: publisher, appId }} version={version} />
          </div>
        ) : (
          <p className="soft">
            It is {stateWords(status)}: users do not get it any more. Decide on the reports, so that those who
            sent them are notified.
          </p>
        )}
        <Decide {...reported} />
      </div>
    </li>
  );
}

function ReportedList({ versions }: { versions: readonly ReportedVersion[] }) {
  const rows = useRows(versions.map(idOf));
  useKeys(rows.keys);
  return (
    <Card>
      <Rows of={versions} list={rows.list}>
        {(reported, index) => (
          <Reported key={idOf(reported)} reported={reported} row={rows.rowProps(index)} />
        )}
      </Rows>
    </Card>
  );
}

/** The versions that users reported, the most serious first. */
export function Reports() {
  const query = useRead(REPORTED);
  return (
    <>
      <div className="cluster head">
        <h1>Reports</h1>
        <span className="buttons">
          <KeysHelp keys={CASE_KEYS} />
        </span>
      </div>
      <Loaded query={query}>
        {({ versions }) =>
          versions.length === 0 ? (
            <EmptyState icon="inbox" title="No reports waiting">
              <p>Apps that users report appear here.</p>
            </EmptyState>
          ) : (
            <ReportedList versions={versions} />
          )
        }
      </Loaded>
    </>
  );
}
