import type { ReportedVersion } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, EmptyState, Loaded, moment } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { CATEGORY_WORDS } from '../account/report.tsx';
import { useRead } from '../account/use-store.ts';
import { TakeDown } from '../dashboard/yank.tsx';
import { DecisionForm } from './decision-form.tsx';

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

function Reported({ reported }: { reported: ReportedVersion }) {
  const { appId, version, name, publisher, installs, reports, firstAt } = reported;
  const address = `/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;
  return (
    <li>
      <div>
        <a href={address}>
          <bdi>{visible(name)}</bdi> {visible(version)}
        </a>{' '}
        <code className="soft">{visible(appId)}</code>
        <p className="soft">
          {publisher}, {installs.toLocaleString('en')} installs, {count(reports.length, 'report')} since{' '}
          {moment(firstAt)}
        </p>
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
        <div className="buttons">
          <TakeDown own={{ slug: publisher, appId }} version={version} />
        </div>
        <Decide {...reported} />
      </div>
    </li>
  );
}

/** The versions that users reported, the most serious first. */
export function Reports() {
  const query = useRead(apiRequest('GET /api/moderation/reports'));
  return (
    <>
      <h1>Reports</h1>
      <Loaded query={query}>
        {({ versions }) =>
          versions.length === 0 ? (
            <EmptyState icon="inbox" title="No reports waiting">
              <p>Apps that users report appear here.</p>
            </EmptyState>
          ) : (
            <Card>
              <ul className="rows">
                {versions.map((reported) => (
                  <Reported key={`${reported.appId} ${reported.version}`} reported={reported} />
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
    </>
  );
}
