import { ErrorMessage, LoadError, moment } from '@svc/ui';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { Changes } from '../permissions/changes.tsx';
import { AppTabs } from '../shell/menu.tsx';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.updates;

type Check<Name extends 'apps.update' | 'apps.checkRevocations'> = {
  check: ReturnType<typeof useDesktopMutation<Name>>;
  begin(): void;
};

type Outcome = DesktopCalls['apps.update']['out']['outcomes'][number];

/** An installed app, and what the last check found for it. */
function UpdateRow({ appId, app, outcome }: { appId: string; app?: AppView; outcome?: Outcome }) {
  return (
    <li className="app-row">
      {app ? <AppIcon appId={appId} version={app.version} name={app.manifest.name} /> : null}
      <div>
        {app ? <strong>{visible(app.manifest.name)}</strong> : null}{' '}
        {app ? <span className="soft">{app.version}</span> : <code>{visible(appId)}</code>}
        {outcome ? (
          <p className={outcome.outcome === 'refused' ? 'fault' : 'soft'}>
            {visible(MESSAGES.outcome(outcome))}
          </p>
        ) : null}
        {outcome?.outcome === 'updated' && outcome.instructions.length > 0 ? (
          <Changes changes={outcome.instructions} pictures={null} />
        ) : null}
      </div>
    </li>
  );
}

/** The apps of the store that are installed, in every project. */
function useInstalled() {
  const { id: project } = useProject();
  const query = useDesktopQuery('apps.list', { project });
  const apps = query.data?.apps.filter(({ source }) => source.kind === 'store') ?? [];
  return { query, installed: new Map(apps.map((app) => [app.appId, app])) };
}

function AppUpdates({ check: update, begin }: Check<'apps.update'>) {
  const { query, installed } = useInstalled();
  const outcomes = new Map((update.data?.outcomes ?? []).map((outcome) => [outcome.appId, outcome]));
  return (
    <Section title={MESSAGES.updates}>
      <p className="soft">{MESSAGES.updatesHint}</p>
      <button type="button" className="main" disabled={update.isPending} onClick={begin}>
        {update.isPending ? MESSAGES.checking : MESSAGES.check}
      </button>
      <ErrorMessage error={update.error} />
      <LoadError query={query} />
      <div role="status">
        {update.data?.outcomes.length === 0 ? <p>{MESSAGES.none}</p> : null}
        <ul className="rows">
          {[...new Set([...installed.keys(), ...outcomes.keys()])].map((appId) => {
            const [app, outcome] = [installed.get(appId), outcomes.get(appId)];
            return (
              <UpdateRow key={appId} appId={appId} {...(app && { app })} {...(outcome && { outcome })} />
            );
          })}
        </ul>
      </div>
    </Section>
  );
}

/** The apps that the store yanked, with the reason and what to do. */
function SwitchedOff() {
  const { installed } = useInstalled();
  const off = [...installed.values()].flatMap((app) => (app.withdrawn ? [{ app, ...app.withdrawn }] : []));
  if (off.length === 0) return null;
  return (
    <Section title={MESSAGES.off}>
      <p className="soft">{MESSAGES.offHint}</p>
      <ul className="rows">
        {off.map(({ app: { appId, version, manifest }, reason, at }) => (
          <li key={appId} className="app-row withdrawn">
            <AppIcon appId={appId} version={version} name={manifest.name} />
            <div>
              <strong>{visible(manifest.name)}</strong> <span className="soft">{version}</span>
              <p className="fault">{visible(reason)}</p>
              <p className="soft">{MESSAGES.yankedAt(moment(at))}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Checked = DesktopCalls['apps.checkRevocations']['out'];

/** The status of the list of yanked versions, as one statement: the most serious one that is true. */
function statusOf({ refused, signedAt, stale, ahead }: Checked): { className: string; text: string } {
  if (refused === 'store-unreachable') {
    const text = stale || signedAt === null ? MESSAGES.awayStale : MESSAGES.away;
    return { className: stale ? 'fault' : 'mild', text };
  }
  if (refused !== null) return { className: 'fault', text: MESSAGES.refused(visible(refused)) };
  if (ahead) return { className: 'fault', text: MESSAGES.ahead };
  return stale ? { className: 'fault', text: MESSAGES.stale } : { className: 'good', text: MESSAGES.fresh };
}

function ListStatus({ checked }: { checked: Checked }) {
  const { className, text } = statusOf(checked);
  return (
    <>
      <p className={className}>{text}</p>
      <p className="soft">
        {checked.signedAt === null ? MESSAGES.noList : MESSAGES.signedAt(moment(checked.signedAt))}
      </p>
    </>
  );
}

function Revocations({ check, begin }: Check<'apps.checkRevocations'>) {
  const { data } = check;
  return (
    <Section title={MESSAGES.revocations}>
      <p className="soft">{MESSAGES.revocationsHint}</p>
      <button type="button" className="main" disabled={check.isPending} onClick={begin}>
        {check.isPending ? MESSAGES.checking : MESSAGES.check}
      </button>
      <ErrorMessage error={check.error} />
      <div role="status">{data ? <ListStatus checked={data} /> : null}</div>
    </Section>
  );
}

/**
 * Updates, and the list of yanked versions. Only the result of the last check is shown: the two results could otherwise contradict
 * each other about whether the store can be reached.
 */
export function Updates() {
  const update = useDesktopMutation('apps.update');
  const revocations = useDesktopMutation('apps.checkRevocations');
  const begin = {
    update() {
      revocations.reset();
      update.mutate({});
    },
    revocations() {
      update.reset();
      revocations.mutate({});
    },
  };
  return (
    <>
      <Heading>{WORDS.pages.updates}</Heading>
      <AppTabs current="updates" />
      <SwitchedOff />
      <AppUpdates check={update} begin={begin.update} />
      <Revocations check={revocations} begin={begin.revocations} />
    </>
  );
}
