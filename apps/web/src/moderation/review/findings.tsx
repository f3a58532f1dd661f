import type { Issue, Review } from '@svc/contracts';
import { visible } from '@svc/text';
import { count, Icon, Rows } from '@svc/ui';
import { Card } from '../../account/parts.tsx';

/** What differs between the tools of the manifest and those of the server. */
const SERVED_FINDINGS = {
  'not-served': () => 'is declared, but the server does not have it',
  'other-name': (name: string) => `is declared, but the server calls it ${name}`,
  'asks-for-secret': (name: string) => `asks for a secret: the parameter ${name}`,
} as const;

/** From so many findings on, the rest is folded. */
const MAX_OPEN = 6;

const IssueRow = ({ issue: { code, level, path, message, docs } }: { issue: Issue }) => (
  <li>
    <div>
      <span className={`badge ${level === 'error' ? 'fault' : 'mild'}`}>{level}</span>{' '}
      <code>{visible(path)}</code> {visible(message)}
      <p className="soft">
        <code>{code}</code>
        {docs === undefined ? null : (
          <>
            : <a href={new URL(docs, window.location.href).pathname}>what this means</a>
          </>
        )}
      </p>
    </div>
  </li>
);

type ServedFinding = NonNullable<Review['served']>['findings'][number];

const ServedRow = ({ finding: { tool, kind, detail } }: { finding: ServedFinding }) => (
  <li>
    <div>
      <span className="badge mild">server</span> <code>{visible(tool)}</code>{' '}
      {SERVED_FINDINGS[kind](visible(detail))}
      <p className="soft">
        <code>{kind}</code>
      </p>
    </div>
  </li>
);

/** What the checks and the list of the server's tools found, errors first. It is above the tabs: no finding is in a closed one. */
export function Findings({ issues, served }: Pick<Review, 'issues' | 'served'>) {
  const rows = [
    ...issues.filter(({ level }) => level === 'error'),
    ...issues.filter(({ level }) => level !== 'error'),
  ].map((issue) => <IssueRow key={`${issue.code} ${issue.path} ${issue.message}`} issue={issue} />);
  const all = [
    ...rows,
    ...(served?.findings ?? []).map((finding) => (
      <ServedRow key={`${finding.tool} ${finding.kind} ${finding.detail}`} finding={finding} />
    )),
  ];
  if (all.length === 0)
    return (
      <p className="good">
        <Icon name="check" /> The checks found no problems.
      </p>
    );
  return (
    <Card title="Findings">
      <Rows of={all.slice(0, MAX_OPEN)}>{(row) => row}</Rows>
      {all.length > MAX_OPEN ? (
        <details>
          <summary>{count(all.length - MAX_OPEN, 'more finding')}</summary>
          <Rows of={all.slice(MAX_OPEN)}>{(row) => row}</Rows>
        </details>
      ) : null}
    </Card>
  );
}
