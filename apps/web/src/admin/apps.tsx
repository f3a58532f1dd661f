import type { AppRecords, RevocationEntry, RevocationList } from '@svc/contracts';
import {
  Card,
  ConfirmButton,
  ErrorMessage,
  Field,
  Fields,
  Loaded,
  moment,
  textOf,
} from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { visible } from '../check/words.ts';
import { Choice, Filters, More, narrowedBy, YES_OR_NO } from './list.tsx';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.apps;
const PATH = '/api/admin/apps';

const appPath = (appId: string): string => `${PATH}/${encodeURIComponent(appId)}`;

function Row({ app: { appId, name, publisher, suspended } }: { app: AppRecords['apps'][number] }) {
  const change = useChange((isSuspended: boolean) => ({
    method: 'PATCH',
    path: appPath(appId),
    json: { suspended: isSuspended },
  }));
  return (
    <li>
      <div>
        <strong>
          <bdi>{visible(name)}</bdi>
        </strong>{' '}
        {suspended ? <span className="badge fault">{WORDS.suspended}</span> : null}
        <p className="soft">
          <code>{appId}</code>,{' '}
          <a href={`/admin/publishers?${new URLSearchParams({ q: publisher })}`}>{publisher}</a>
        </p>
        <ErrorMessage error={change.error} />
      </div>
      {suspended ? (
        <button type="button" onClick={() => change.mutate(false)}>
          {WORDS.unsuspend}
        </button>
      ) : (
        <ConfirmButton
          tone="quiet"
          label={WORDS.suspend}
          sure={MESSAGES.suspendSure(appId)}
          act={() => change.mutate(true)}
        />
      )}
    </li>
  );
}

function Yanked({ entry: { appId, version, reason, at } }: { entry: RevocationEntry }) {
  const undo = useChange((why: string) => ({
    method: 'POST',
    path: `${appPath(appId)}/versions/${encodeURIComponent(version)}/unyank`,
    json: { reason: why },
  }));
  return (
    <li>
      <div>
        <code>{appId}</code> {version} <span className="soft">{moment(at)}</span>
        <p className="said">{reason}</p>
        <details>
          <summary>{MESSAGES.undo}</summary>
          <Fields
            action={MESSAGES.undoIt}
            busy={undo.isPending}
            submit={(data) => undo.mutateAsync(textOf(data, 'reason'))}
          >
            <Field label={MESSAGES.undoReason} name="reason" required maxLength={2_000} />
          </Fields>
        </details>
        <p role="status" className="good">
          {undo.isSuccess ? MESSAGES.undone : ''}
        </p>
        <ErrorMessage error={undo.error} />
      </div>
    </li>
  );
}

function Withdrawn() {
  const list = useRead<RevocationList>('/api/apps/revocations');
  return (
    <Card title={MESSAGES.yanked}>
      <p className="soft">{MESSAGES.yankedHint}</p>
      <Loaded query={list}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p>{MESSAGES.noneYanked}</p>
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
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <label>
          {MESSAGES.q}
          <input type="search" name="q" defaultValue={narrowed.q} maxLength={80} />
        </label>
        <label>
          {MESSAGES.publisher}
          <input name="publisher" defaultValue={narrowed.publisher} maxLength={40} />
        </label>
        <Choice label={WORDS.isSuspended} name="suspended" value={narrowed.suspended} options={YES_OR_NO} />
      </Filters>
      <Card title={MESSAGES.title}>
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
