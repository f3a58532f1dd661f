import type { AppRecord, AppRecords, RevocationEntry, RevocationList } from '@svc/contracts';
import { Card, Fault, Field, Fields, Loaded, moment, SureButton, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { Choice, More, Narrow, narrowedBy, YES_OR_NO } from './list.tsx';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const SAY = WORDS.apps;
const PATH = '/api/admin/apps';

const wayTo = (appId: string): string => `${PATH}/${encodeURIComponent(appId)}`;

function Row({ app: { appId, publisher, suspended } }: { app: AppRecord }) {
  const change = useChange((isSuspended: boolean) => ({
    method: 'PATCH',
    path: wayTo(appId),
    json: { suspended: isSuspended },
  }));
  return (
    <li>
      <div>
        <code>{appId}</code> {suspended ? <span className="badge fault">{WORDS.suspended}</span> : null}
        <p className="soft">{publisher}</p>
        <Fault error={change.error} />
      </div>
      {suspended ? (
        <button type="button" onClick={() => change.mutate(false)}>
          {WORDS.unsuspend}
        </button>
      ) : (
        <SureButton label={WORDS.suspend} sure={SAY.suspendSure(appId)} act={() => change.mutate(true)} />
      )}
    </li>
  );
}

function Yanked({ entry: { appId, version, reason, at } }: { entry: RevocationEntry }) {
  const undo = useChange((why: string) => ({
    method: 'POST',
    path: `${wayTo(appId)}/versions/${encodeURIComponent(version)}/unyank`,
    json: { reason: why },
  }));
  return (
    <li>
      <div>
        <code>{appId}</code> {version} <span className="soft">{moment(at)}</span>
        <p className="said">{reason}</p>
        <details>
          <summary>{SAY.undo}</summary>
          <Fields
            action={SAY.undoIt}
            busy={undo.isPending}
            submit={(data) => undo.mutateAsync(textOf(data, 'reason'))}
          >
            <Field label={SAY.undoReason} name="reason" required maxLength={2_000} />
          </Fields>
        </details>
        <p role="status" className="good">
          {undo.isSuccess ? SAY.undone : ''}
        </p>
        <Fault error={undo.error} />
      </div>
    </li>
  );
}

function Withdrawn() {
  const list = useRead<RevocationList>('/api/apps/revocations');
  return (
    <Card title={SAY.yanked}>
      <p className="soft">{SAY.yankedHint}</p>
      <Loaded query={list}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p>{SAY.noneYanked}</p>
          ) : (
            <ul className="rows">
              {entries.map((entry) => (
                <Yanked key={`${entry.appId} ${entry.version}`} entry={entry} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Every app, and what was withdrawn of them. */
export function Apps() {
  const narrowed = narrowedBy(['q', 'publisher', 'suspended']);
  const apps = usePages<AppRecords>(PATH, narrowed);
  return (
    <>
      <h1>{SAY.title}</h1>
      <Narrow>
        <label>
          {SAY.q}
          <input type="search" name="q" defaultValue={narrowed.q} maxLength={80} />
        </label>
        <label>
          {SAY.publisher}
          <input name="publisher" defaultValue={narrowed.publisher} maxLength={40} />
        </label>
        <Choice label={WORDS.isSuspended} name="suspended" value={narrowed.suspended} options={YES_OR_NO} />
      </Narrow>
      <Card title={SAY.title}>
        <Loaded query={apps}>
          {(pages) => (
            <ul className="rows">
              {pages
                .flatMap((page) => page.apps)
                .map((app) => (
                  <Row key={app.appId} app={app} />
                ))}
            </ul>
          )}
        </Loaded>
        <More more={apps.more} />
      </Card>
      <Withdrawn />
    </>
  );
}
