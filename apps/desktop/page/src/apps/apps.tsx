import { visible } from '@svc/text';
import { Button, ButtonLink, ConfirmButton, EmptyState, ErrorMessage, Loaded, When } from '@svc/ui';
import { useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { AppTabs } from '../shell/menu.tsx';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery, useFetch, useRefresh } from '../wire/use-desktop.ts';
import { SOURCES, SURE_REMOVE } from './app-parts.tsx';
import { RemovedNote } from './removed-note.tsx';

/** Switches an app on and off in the current project. */
export function Switch({ app }: { app: AppView }) {
  const project = useProject();
  const change = useDesktopMutation('apps.switch');
  // Optimistic value until the desktop has answered, so that the switch does not flicker.
  const [wanted, setWanted] = useState<boolean | null>(null);
  const isOn = wanted ?? app.on;
  return (
    <div className="switch-field">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        className="switch"
        aria-label={`${visible(app.manifest.name)}, in ${project.name}`}
        checked={isOn}
        disabled={change.isPending || app.yanked !== null}
        onChange={({ target: { checked: on } }) => {
          setWanted(on);
          change.mutate({ appId: app.appId, on, project: project.id }, { onSettled: () => setWanted(null) });
        }}
      />
      <ErrorMessage error={change.error} />
    </div>
  );
}

/** What the user can do about a server that does not respond. */
function adviceOn({ source }: AppView): string {
  const local = source.kind === 'connector' ? source.local : undefined;
  if (local?.kind === 'command')
    return 'It starts again at its next use. The log of svc desktop has its errors.';
  if (local) return 'Start it, or check its address.';
  return 'Check your network, or try again later.';
}

/** Says that the server of an app does not respond, and tries again. */
export function ServerFault({ app }: { app: AppView }) {
  const project = useProject();
  const refresh = useRefresh();
  const check = useFetch('tools.list');
  const fault = check.data?.fault ?? app.serverFault;
  if (fault === null) return null;
  return (
    <p className="fault" role="status">
      {`Does not respond: ${visible(fault)} ${adviceOn(app)}`}{' '}
      <Button
        label="Retry"
        busy="Trying…"
        runs={check}
        aria-label={`Retry ${visible(app.manifest.name)}`}
        onClick={() => check.mutate({ appId: app.appId, project: project.id }, { onSettled: refresh })}
      />
    </p>
  );
}

/** Says that a version was yanked, and what happens when the store undoes that, or has undone it. */
function Yank({ app: { appId, manifest, yanked, restoredAt } }: { app: AppView }) {
  const project = useProject();
  const change = useDesktopMutation('apps.switch');
  const keepOff = () => change.mutate({ appId, on: false, project: project.id });
  if (!yanked)
    return restoredAt === null ? null : (
      <p className="good" role="status">
        On again since <When at={restoredAt} />: the store undid the yank of this version.
      </p>
    );
  return (
    <>
      <p className="fault">{`This version was yanked: ${visible(yanked.reason)}`}</p>
      <p className="soft">
        {yanked.comesBack
          ? 'If the store undoes the yank, the app is switched on again. '
          : 'It stays off, also if the store undoes the yank.'}
        {yanked.comesBack ? (
          <Button
            label="Keep off"
            runs={change}
            aria-label={`Keep off ${visible(manifest.name)}`}
            onClick={keepOff}
          />
        ) : null}
      </p>
      <ErrorMessage error={change.error} />
    </>
  );
}

/** Why an app cannot be used, and that it can be used again. */
export function Obstacle({ app }: { app: AppView }) {
  const { yanked, obstacle } = app;
  return (
    <>
      <Yank app={app} />
      {obstacle !== null && !yanked ? <p className="mild">{`Cannot be used: ${visible(obstacle)}`}</p> : null}
      <ServerFault app={app} />
    </>
  );
}

function Row({ app, remove }: { app: AppView; remove(app: AppView): void }) {
  const { appId, version, manifest, source } = app;
  return (
    <li className={app.yanked ? 'card app-row yanked' : 'card app-row'}>
      <AppIcon appId={appId} version={version} name={manifest.name} />
      <div>
        <h2>
          <a href={hashOf('apps', appId)}>{visible(manifest.name)}</a>
        </h2>
        <p className="soft">
          {visible(version)} <span className="badge">{SOURCES[source.kind]}</span>
        </p>
        <Obstacle app={app} />
        {app.yanked ? <ConfirmButton label="Remove" sure={SURE_REMOVE} act={() => remove(app)} /> : null}
      </div>
      <Switch app={app} />
    </li>
  );
}

/** The installed apps, each with its switch in the current project. */
export function Apps() {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  const removal = useDesktopMutation('apps.remove');
  const [removedName, setRemovedName] = useState('');
  const remove = ({ appId, manifest }: AppView) =>
    removal.mutate({ appId }, { onSuccess: () => setRemovedName(manifest.name) });
  return (
    <>
      <Heading>Apps</Heading>
      <AppTabs current="apps" />
      <ErrorMessage error={removal.error} />
      {removal.data ? <RemovedNote name={removedName} removed={removal.data} /> : null}
      <Loaded query={apps}>
        {({ apps: all }) => (
          <>
            <ul className="app-rows">
              {all.map((app) => (
                <Row key={app.appId} app={app} remove={remove} />
              ))}
            </ul>
            {all.some(({ source }) => source.kind !== 'built-in') ? null : (
              <EmptyState icon="store" title="No apps installed yet">
                <p>Apps give the model tools. You see what an app may do before you install it.</p>
                <ButtonLink label="Browse the store" className="main" href={hashOf('store')} />
              </EmptyState>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
