import type { AppDetail } from '@svc/contracts';
import type { UpdateOutcome, UpdateWait, WaitingUpdate } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, ChangeList, Check, ErrorMessage, LoadError, moment } from '@svc/ui';
import { useEffect, useState } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { Allowed } from '../permissions/permissions.tsx';
import { AppTabs } from '../shell/menu.tsx';
import { useProject } from '../shell/use-project.ts';
import { InstalledDeprecation } from '../store/deprecation-note.tsx';
import { InstallDialog } from '../store/install-dialog.tsx';
import { addedChanges } from '../store/listed-changes.ts';
import { WhatChanged } from '../store/what-changed.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** What an update waits for. */
const WAITS: Readonly<Record<UpdateWait, string>> = {
  asks: 'It asks for your agreement.',
  'in-use': 'It is installed once no call, sign-in or panel of the app is open.',
  metered: 'It is installed in a network that is not paid by volume.',
  off: 'Updates are not installed by themselves.',
};

const waitText = ({ to, why }: WaitingUpdate): string => `${to} is available. ${WAITS[why]}`;

const outcomeText = (of: UpdateOutcome): string => {
  if (of.outcome === 'waiting') return waitText(of);
  if (of.outcome === 'refused') return `Stays at ${of.version}: ${of.message}`;
  if (of.outcome === 'current') return `${of.version} is the latest.`;
  if (of.outcome === 'updated') {
    const again = of.switchedOn ? ' It was switched on again: the old version was yanked.' : '';
    return `Updated from ${of.version} to ${of.to}.${again}`;
  }
  return `Stays at ${of.version}: you declined ${of.to}.`;
};

type Checking<Name extends 'apps.update' | 'apps.checkRevocations'> = {
  check: ReturnType<typeof useDesktopMutation<Name>>;
  begin(): void;
};

type Outcome = DesktopCalls['apps.update']['out']['outcomes'][number];

type Stale = DesktopCalls['apps.stale']['out']['stale'][number];

/** That the store's list of versions of an app is too old, since when, and what that means. */
function StaleList({ stale: { store, signedAt, receivedAt } }: { stale: Stale }) {
  return (
    <p className="callout" role="note">
      <strong>{`${visible(store)} offered an old list of versions.`}</strong>{' '}
      {`It was signed ${moment(signedAt)}, and came ${moment(receivedAt)}; it should be an hour old at most. The store, or a proxy or mirror in between, may hold back updates. The installed version goes on working. Check again later; if this stays, contact the operator of the store.`}
    </p>
  );
}

type Found = {
  app: AppView;
  /** The page of the app in its store; undefined while that cannot be reached. */
  detail: AppDetail | undefined;
  /** The version that can be installed, as far as is known. */
  listed: string | undefined;
};

/** What the listed version asks for beyond the installed one, and what its publisher says about each version in between. */
function Changes({ app: { manifest, version: installed }, detail, listed }: Found) {
  if (detail === undefined || detail.version !== listed || listed === installed) return null;
  const added = addedChanges(detail, manifest);
  const at = detail.versions.findIndex(({ version }) => version === installed);
  return (
    <>
      {added.length === 0 ? null : (
        <>
          <p className="mild">{`Asks for more than ${installed}:`}</p>
          <Allowed changes={added} />
        </>
      )}
      {detail.versions.slice(0, at < 0 ? 1 : at).map((version) => (
        <WhatChanged key={version.version} version={version} isOpen />
      ))}
    </>
  );
}

/** The button of an update, or that there is none. */
function Update({ app: { appId, version, yanked }, listed }: Omit<Found, 'detail'>) {
  const [isAsked, setAsked] = useState(false);
  if (listed === undefined) return null;
  if (listed === version) return yanked ? null : <span className="badge">up to date</span>;
  return (
    <>
      <Button label={`Update to ${visible(listed)}`} className="main" onClick={() => setAsked(true)} />
      {isAsked ? <InstallDialog appId={appId} version={listed} close={() => setAsked(false)} /> : null}
    </>
  );
}

/** The page of an app in its store, and the version to install: what it listed before does not contradict a later one that was found. */
function useListed(appId: string, found: string | undefined): Omit<Found, 'app'> {
  const { data, refetch } = useDesktopQuery('store.app', { appId });
  const isOld = found !== undefined && data !== undefined && data.version !== found;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each version that was found
  useEffect(() => {
    if (isOld) void refetch();
  }, [isOld, found]);
  return { detail: data, listed: found ?? data?.version };
}

/** An installed app, and what the last check found for it. */
function UpdateRow({
  appId,
  app,
  outcome,
  stale,
  waits,
}: {
  appId: string;
  app: AppView | undefined;
  outcome: Outcome | undefined;
  stale: Stale | undefined;
  waits: WaitingUpdate | undefined;
}) {
  const found = useListed(appId, waits?.to);
  return (
    <li className="card app-row update">
      {app ? <AppIcon appId={appId} version={app.version} name={app.manifest.name} /> : null}
      <div>
        {app ? <strong>{visible(app.manifest.name)}</strong> : null}{' '}
        {app ? <span className="soft">{app.version}</span> : <code>{visible(appId)}</code>}
        {outcome ? (
          <p className={outcome.outcome === 'refused' ? 'fault' : 'soft'}>{visible(outcomeText(outcome))}</p>
        ) : null}
        {waits && !outcome ? <p className="soft">{visible(waitText(waits))}</p> : null}
        {app ? <Changes app={app} {...found} /> : null}
        {stale ? <StaleList stale={stale} /> : null}
        {app ? <InstalledDeprecation app={app} /> : null}
        {outcome?.outcome === 'updated' && outcome.instructions.length > 0 ? (
          <ChangeList changes={outcome.instructions} heading="h3" />
        ) : null}
      </div>
      {app && outcome?.outcome !== 'refused' ? <Update app={app} listed={found.listed} /> : null}
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

/** Whether updates are installed without the user, and when they were last looked for. */
function Unasked({ found: { installs, checkedAt } }: { found: DesktopCalls['apps.updates']['out'] }) {
  const save = useDesktopMutation('apps.installUpdates');
  return (
    <>
      <Check
        label="Install updates by themselves when they ask for nothing new"
        checked={installs}
        disabled={save.isPending}
        choose={(on) => save.mutate({ on })}
      />
      <ErrorMessage error={save.error} />
      <p className="soft">
        {checkedAt === null
          ? 'svc looks for updates within ten minutes after it starts, then every few hours.'
          : `Last checked ${moment(checkedAt)}. svc looks again every few hours.`}
      </p>
    </>
  );
}

function AppUpdates({ check: update, begin }: Checking<'apps.update'>) {
  const { query, installed } = useInstalled();
  const { data } = useDesktopQuery('apps.stale', {});
  const { data: found } = useDesktopQuery('apps.updates', {});
  const waiting = new Map(found?.waiting.map((one) => [one.appId, one]));
  const old = new Map(data?.stale.map((stale) => [stale.appId, stale]));
  const outcomes = new Map((update.data?.outcomes ?? []).map((outcome) => [outcome.appId, outcome]));
  return (
    <Section title="Updates">
      <p className="soft">
        An update that changes permissions, or the name, publisher, icon or texts that you agreed to, asks you
        first.
      </p>
      <LoadError query={query} />
      <div role="status">
        {update.data?.outcomes.length === 0 ? <p>No apps from the store are installed.</p> : null}
        <ul className="app-rows">
          {[...new Set([...waiting.keys(), ...installed.keys(), ...outcomes.keys()])].map((appId) => (
            <UpdateRow
              key={appId}
              appId={appId}
              app={installed.get(appId)}
              outcome={outcomes.get(appId)}
              stale={old.get(appId)}
              waits={waiting.get(appId)}
            />
          ))}
        </ul>
      </div>
      {found ? <Unasked found={found} /> : null}
      <Button label="Check for updates" busy="Checking…" runs={update} onClick={begin} />
      <ErrorMessage error={update.error} />
    </Section>
  );
}

/** The apps that the store yanked, with the reason and what to do. */
function SwitchedOff() {
  const { installed } = useInstalled();
  const off = [...installed.values()].flatMap((app) => (app.yanked ? [{ app, ...app.yanked }] : []));
  if (off.length === 0) return null;
  return (
    <Section title="Switched off">
      <p className="soft">
        The store yanked these versions. They stay off until an update or the store brings them back.
      </p>
      <ul className="app-rows">
        {off.map(({ app: { appId, version, manifest }, reason, at }) => (
          <li key={appId} className="card app-row yanked">
            <AppIcon appId={appId} version={version} name={manifest.name} />
            <div>
              <strong>{visible(manifest.name)}</strong> <span className="soft">{version}</span>
              <p className="fault">{visible(reason)}</p>
              <p className="soft">{`Yanked ${moment(at)}`}</p>
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
    const text =
      stale || signedAt === null
        ? 'The store cannot be reached, and there is no recent list. Check again later.'
        : 'The store cannot be reached. The current list is recent enough.';
    return { className: stale ? 'fault' : 'mild', text };
  }
  if (refused !== null)
    return {
      className: 'fault',
      text: `The new list was not accepted: ${visible(refused)}. Still using the previous list.`,
    };
  if (ahead)
    return {
      className: 'fault',
      text: 'The list is signed in the future: the clock of the store or of this computer is wrong. Check this computer’s clock. If it is right, contact the store.',
    };
  return stale
    ? {
        className: 'fault',
        text: 'The list is too old to rely on. Check again when the store can be reached.',
      }
    : { className: 'good', text: 'The list is up to date.' };
}

function ListStatus({ checked }: { checked: Checked }) {
  const { className, text } = statusOf(checked);
  return (
    <>
      <p className={className}>{text}</p>
      <p className="soft">
        {checked.signedAt === null
          ? 'No list yet.'
          : `The current list was signed ${moment(checked.signedAt)}.`}
      </p>
    </>
  );
}

function Revocations({ check, begin }: Checking<'apps.checkRevocations'>) {
  const { data } = check;
  return (
    <section className="card" aria-label="Yanked versions">
      <details>
        <summary>Yanked versions</summary>
        <p className="soft">
          Yanked versions must not run. The store signs a list of them, and svc fetches it every few minutes.
        </p>
        <Button label="Check for yanked versions" busy="Checking…" runs={check} onClick={begin} />
        <ErrorMessage error={check.error} />
        <div role="status">{data ? <ListStatus checked={data} /> : null}</div>
      </details>
    </section>
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
      <Heading>Updates</Heading>
      <AppTabs current="updates" />
      <SwitchedOff />
      <AppUpdates check={update} begin={begin.update} />
      <Revocations check={revocations} begin={begin.revocations} />
    </>
  );
}
