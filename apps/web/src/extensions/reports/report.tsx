import type { MyReports, Report, ReportCategory } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Check, day, Loaded, Rows, TextArea, textOf } from '@svc/ui';
import { Card, ChangeForm } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';
import { CATEGORY_WORDS } from './cases.ts';

function Row({
  report: { appId, version, category, evidence, state, note, reportedAt },
}: {
  report: Report;
}) {
  return (
    <li>
      <div>
        <code>{visible(appId)}</code> {visible(version)} <span className="badge">{state}</span>
        <p className="soft">
          {CATEGORY_WORDS[category]}, reported {day(reportedAt)}
        </p>
        <p className="plain">{visible(evidence)}</p>
        {note === null ? null : <p className="plain">Moderator: {visible(note)}</p>}
      </div>
    </li>
  );
}

function Reports({ reports }: MyReports) {
  return (
    <Rows of={reports} none="You have not reported anything.">
      {(report) => <Row key={report.id} report={report} />}
    </Rows>
  );
}

/** The reports of the signed-in user, with their states. */
export function ReportsView() {
  const mine = useRead(apiRequest('GET /api/people/me/reports'));
  return (
    <>
      <h1>Reports</h1>
      <Card title="Your reports">
        <p className="soft">Moderators see what you write. Publishers do not see who reports.</p>
        <Loaded query={mine}>{(all) => <Reports {...all} />}</Loaded>
      </Card>
    </>
  );
}

export function ReportView({ appId }: { appId: string }) {
  const app = useRead(apiRequest('GET /api/apps/:appId', { params: { appId } }));
  const mine = useRead(apiRequest('GET /api/people/me/reports'));
  const request = (data: FormData) =>
    apiRequest('POST /api/apps/:appId/reports', {
      params: { appId },
      json: { category: textOf(data, 'category') as ReportCategory, evidence: textOf(data, 'evidence') },
    });
  return (
    <>
      <h1>Report {visible(app.data?.name ?? appId)}</h1>
      <Card title="What is wrong?">
        <p className="soft">Moderators see what you write. The publisher does not see who reports.</p>
        <ChangeForm action="Report" request={request} status={() => 'Reported. Your reports are below.'}>
          <fieldset>
            <legend>Reason</legend>
            {Object.entries(CATEGORY_WORDS).map(([category, words], n) => (
              <Check
                key={category}
                label={words}
                type="radio"
                name="category"
                value={category}
                required
                defaultChecked={n === 0}
              />
            ))}
          </fieldset>
          <TextArea
            label="What happened, and how can a moderator see it?"
            name="evidence"
            required
            minLength={10}
            maxLength={2_000}
            rows={5}
          />
        </ChangeForm>
      </Card>
      <Card title="Your reports of this app">
        <Loaded query={mine}>
          {({ reports }) => <Reports reports={reports.filter((report) => report.appId === appId)} />}
        </Loaded>
      </Card>
    </>
  );
}
