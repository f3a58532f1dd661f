import type { AppDetail } from '@svc/contracts';
import type { UpdateOutcome, UpdateWait, WaitingUpdate } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, ChangeList, Check, count, ErrorMessage, LoadError, moment } from '@svc/ui';
import { useEffect, useState } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { Allowed } from '../permissions/permissions.tsx';
import { AppTabs } from '../shell/menu.tsx';
import { InstalledDeprecation } from '../store/deprecation-note.tsx';
import { InstallDialog } from '../store/install-dialog.tsx';
import { addedChanges } from '../store/listed-changes.ts';
import { WhatChanged } from '../store/what-changed.tsx';
import { useDesktopMutation, useDesktopQueries, useDesktopQuery } from '../wire/use-desktop.ts';
import { type Checking, Revocations, SwitchedOff, useInstalled } from './yanked.tsx';

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
function Update({
  app: { version, yanked },
  listed,
  ask,
}: Omit<Found, 'detail'> & { ask(version: string): void }) {
  if (listed === undefined) return null;
  if (listed === version) return yanked ? null : <span className="badge">up to date</span>;
  return <Button label={`Update to ${visible(listed)}`} className="main" onClick={() => ask(listed)} />;
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
  ask,
}: {
  appId: string;
  app: AppView | undefined;
  outcome: Outcome | undefined;
  stale: Stale | undefined;
  waits: WaitingUpdate | undefined;
  ask(version: string): void;
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
      {app && outcome?.outcome !== 'refused' ? <Update app={app} listed={found.listed} ask={ask} /> : null}
    </li>
  );
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

const byApp = <Of extends { appId: string }>(all: readonly Of[] = []) =>
  new Map(all.map((one) => [one.appId, one]));

/** The rows of the apps: those with something to do or to read first, those that are up to date folded. */
function useRows(checked: readonly Outcome[]) {
  const { query, installed } = useInstalled();
  const { data: old } = useDesktopQuery('apps.stale', {});
  const { data: found } = useDesktopQuery('apps.updates', {});
  const deprecated = new Set(useDesktopQuery('store.deprecations', {}).data?.apps.map(({ appId }) => appId));
  const [stale, waiting, outcomes] = [byApp(old?.stale), byApp(found?.waiting), byApp(checked)];
  const ids = [...new Set([...waiting.keys(), ...installed.keys(), ...outcomes.keys()])];
  const details = useDesktopQueries(
    'store.app',
    ids.map((appId) => ({ appId })),
  );
  const rows = ids.map((appId, at) => {
    const [app, outcome, waits] = [installed.get(appId), outcomes.get(appId), waiting.get(appId)];
    const isCurrent =
      app !== undefined && !app.yanked && waits === undefined && app.version === details[at]?.data?.version;
    const isQuiet =
      (outcome?.outcome ?? 'current') === 'current' && !stale.has(appId) && !deprecated.has(appId);
    return { appId, app, outcome, waits, stale: stale.get(appId), isFolded: isCurrent && isQuiet };
  });
  return { query, found, rows };
}

function AppUpdates({ check: update, begin }: Checking<'apps.update'>) {
  const { query, found, rows } = useRows(update.data?.outcomes ?? []);
  const [asked, ask] = useState<{ appId: string; version: string } | null>(null);
  const [folded, open] = [rows.filter(({ isFolded }) => isFolded), rows.filter(({ isFolded }) => !isFolded)];
  const listOf = (shown: typeof rows) => (
    <ul className="app-rows">
      {shown.map(({ isFolded: _, ...row }) => (
        <UpdateRow key={row.appId} {...row} ask={(version) => ask({ appId: row.appId, version })} />
      ))}
    </ul>
  );
  return (
    <Section title="Updates">
      <p className="soft">
        An update that changes permissions, or the name, publisher, icon or texts that you agreed to, asks you
        first.
      </p>
      <LoadError query={query} />
      <div role="status">
        {update.data?.outcomes.length === 0 ? <p>No apps from the store are installed.</p> : null}
        {listOf(open)}
        {folded.length === 0 ? null : (
          <details open={open.length === 0}>
            <summary>{`${count(folded.length, 'app')} up to date`}</summary>
            {listOf(folded)}
          </details>
        )}
      </div>
      {found ? <Unasked found={found} /> : null}
      <Button label="Check for updates" busy="Checking…" runs={update} onClick={begin} />
      <ErrorMessage error={update.error} />
      {/* Not in its row, which moves when the app is up to date. */}
      {asked ? <InstallDialog {...asked} close={() => ask(null)} /> : null}
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
      <Heading>Updates</Heading>
      <AppTabs current="updates" />
      <SwitchedOff />
      <AppUpdates check={update} begin={begin.update} />
      <Revocations check={revocations} begin={begin.revocations} />
    </>
  );
}
