import { footprintOf } from '@svc/permissions';
import { visible } from '@svc/text';
import {
  Button,
  ConfirmButton,
  Copyable,
  ErrorMessage,
  Facts,
  Loaded,
  moment,
  OutsideLink,
  Rows,
  sizeText,
  TabNav,
} from '@svc/ui';
import { type ReactNode, useState } from 'react';
import type { AppView, FileView } from '../../../src/wire/views.ts';
import { localAccess } from '../cards/local-access.tsx';
import { AppIcon } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { PublisherName } from '../permissions/card-head.tsx';
import { Permissions } from '../permissions/permissions.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { InstalledDeprecation } from '../store/deprecation-note.tsx';
import { ResultFile } from '../tools/result-file.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { Accounts } from './accounts.tsx';
import { AppContent } from './app-content.tsx';
import { AppPanels, AppTools, Requirements, SOURCES, SURE_REMOVE } from './app-parts.tsx';
import { Obstacle, Switch } from './apps.tsx';
import { RemovedNote } from './removed-note.tsx';
import { AppSettings } from './settings.tsx';

type StoredFile = { id: string; name: string; bytes: number; keptAt: string };

/** One file: opens in place, or is deleted. */
function FileRow({ appId, project, file }: { appId: string; project: string; file: StoredFile }) {
  const open = useDesktopMutation('files.open');
  const remove = useDesktopMutation('files.remove');
  const which = { appId, project, id: file.id };
  const opened: FileView | undefined = open.data?.file;
  const name = visible(file.name);
  return (
    <li>
      <div>
        {name} <span className="soft">{`${sizeText(file.bytes)}, ${moment(file.keptAt)}`}</span>
        <ErrorMessage error={open.error ?? remove.error} />
      </div>
      <div className="buttons">
        {opened ? (
          <Button label="Close" aria-label={`Close ${name}`} onClick={open.reset} />
        ) : (
          <Button label="Open" aria-label={`Open ${name}`} onClick={() => open.mutate(which)} />
        )}
        <ConfirmButton label="Delete" sure="Delete this file?" act={() => remove.mutate(which)} />
      </div>
      {opened ? <ResultFile appId={appId} file={opened} isNamed={false} /> : null}
    </li>
  );
}

/** The files of an app in the project, including those of earlier sessions. */
function AppFiles({ app: { appId } }: { app: AppView }) {
  const project = useProject();
  const files = useDesktopQuery('files.list', { appId, project: project.id });
  return (
    <Loaded query={files}>
      {({ files: all }) => (
        <Rows none="This app has no files in this project." of={all}>
          {(file) => <FileRow key={file.id} appId={appId} project={project.id} file={file} />}
        </Rows>
      )}
    </Loaded>
  );
}

function originOf({ source }: AppView): string {
  if (source.kind === 'developer') return source.folder;
  if (source.kind === 'built-in') return 'built in';
  if (source.kind !== 'connector') return source.store;
  return source.local?.kind === 'command' ? `the program ${source.local.program}` : source.url;
}

/** What was verified at install. Folders and connectors have no signature. */
function Verified({ app: { source } }: { app: AppView }) {
  if (source.kind === 'built-in')
    return (
      <p className="soft">Built into svc desktop. Its tools run on this computer and contact no server.</p>
    );
  if (source.kind !== 'store')
    return <p className="mild">Not signed: you added this folder or server yourself.</p>;
  const { sha256, keyId, publishedAt, installedAt } = source;
  return (
    <>
      <Facts
        facts={[
          ['SHA-256', <Copyable key="hash" name="SHA-256" text={sha256} />],
          ['Signed with', <Copyable key="key" name="Signed with" text={keyId} />],
          ['Published', moment(publishedAt)],
          ['Installed', installedAt === undefined ? 'not recorded' : moment(installedAt)],
        ]}
      />
      <p className="soft">
        Recorded at install, when the signature was verified on this computer. The bundle is checked against
        its SHA-256 each time it is read.
      </p>
    </>
  );
}

/** A link to the form of the store that reports an app to its moderators. */
function Report({ app: { appId, source } }: { app: AppView }) {
  if (source.kind !== 'store' || !/^https?:/.test(source.store)) return null;
  const { href } = new URL(`/account/apps/${encodeURIComponent(appId)}/report`, source.store);
  return (
    <p>
      <OutsideLink label="Report this app" href={href} />{' '}
      <span className="soft">
        to the moderators of its store: malware, impersonation, or permissions that it does not need
      </span>
    </p>
  );
}

/** @param remove removes the app. The parent shows the result, because this component is unmounted with the app. */
function Remove({ app: { source }, remove }: { app: AppView; remove(): void }) {
  const close = useDesktopMutation('folders.close');
  if (source.kind === 'built-in') return null;
  if (source.kind !== 'developer') return <ConfirmButton label="Remove" sure={SURE_REMOVE} act={remove} />;
  const after = { onSuccess: () => go(hashOf('apps')) };
  return (
    <p>
      <Button label="Close" onClick={() => close.mutate({ folder: source.folder }, after)} />
      <ErrorMessage error={close.error} />
    </p>
  );
}

/** Permissions and origin of an app, and its removal. */
function About({ app, remove }: { app: AppView; remove(): void }) {
  const { manifest, requirements } = app;
  const listed = { appId: app.appId, publisher: manifest.publisher };
  const isOfStore = app.source.kind === 'store';
  return (
    <>
      <Facts
        facts={[
          ['ID', <code key="id">{app.appId}</code>],
          ['Version', visible(app.version)],
          [
            'Publisher',
            isOfStore ? <PublisherName key="publisher" {...listed} /> : visible(manifest.publisher),
          ],
          ['From', visible(originOf(app))],
          ['Author', manifest.author && visible(manifest.author)],
        ]}
      />
      {app.source.kind === 'connector' && app.source.local?.kind === 'command'
        ? localAccess({ ...app.source.local, environment: app.source.local.variables })
        : null}
      <h2>Signature</h2>
      <Verified app={app} />
      <Permissions
        sentences={manifest.permissions}
        publisher={manifest.publisher}
        appId={isOfStore ? app.appId : undefined}
        footprint={footprintOf(manifest)}
        heading="h2"
      />
      <Requirements requirements={requirements} heading="h2" />
      <Report app={app} />
      <Remove app={app} remove={remove} />
    </>
  );
}

const APPS_TABS = {
  accounts: 'Accounts',
  settings: 'Settings',
  tools: 'Tools',
  panels: 'Panels',
  content: 'Resources and prompts',
  files: 'Files',
  about: 'About',
};

type Tab = keyof typeof APPS_TABS;

const TABS: Readonly<Record<Tab, (app: AppView, remove: () => void) => ReactNode>> = {
  accounts: (app) => <Accounts app={app} />,
  settings: (app) => <AppSettings app={app} />,
  tools: (app) => <AppTools app={app} />,
  panels: (app) => <AppPanels app={app} />,
  content: (app) => <AppContent app={app} />,
  files: (app) => <AppFiles app={app} />,
  about: (app, remove) => <About app={app} remove={remove} />,
};

const isTab = (name: string): name is Tab => Object.hasOwn(TABS, name);

function Shown({ app, tab, remove }: { app: AppView; tab: Tab; remove(): void }) {
  const { appId, version, manifest } = app;
  const isShown = ([id]: [string, string]) => id !== 'content' || app.source.kind === 'connector';
  const tabs = Object.entries(APPS_TABS)
    .filter(isShown)
    .map(([id, label]) => ({
      label,
      path: hashOf('apps', appId, id),
    }));
  return (
    <>
      <div className="cluster apart app-top">
        <AppIcon appId={appId} version={version} name={manifest.name} />
        <div>
          <Heading>{visible(manifest.name)}</Heading>
          <p className="soft">
            {visible(version)} <span className="badge">{SOURCES[app.source.kind]}</span>
          </p>
        </div>
        <Switch app={app} />
      </div>
      <Obstacle app={app} />
      <InstalledDeprecation app={app} />
      <p>{visible(manifest.description)}</p>
      <TabNav label={visible(manifest.name)} tabs={tabs} current={hashOf('apps', appId, tab)} />
      {TABS[tab](app, remove)}
    </>
  );
}

export function AppPage({ appId, tab }: { appId: string; tab: string }) {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id });
  const remove = useDesktopMutation('apps.remove');
  /** The name, kept for the note after the app is removed. */
  const [name, setName] = useState<string | null>(null);
  const removeApp = ({ manifest }: AppView) => {
    setName(manifest.name);
    remove.mutate({ appId });
  };
  const shown = (all: readonly AppView[]) => {
    const app = all.find((listed) => listed.appId === appId);
    if (remove.data)
      return (
        <>
          <Heading>{visible(name ?? appId)}</Heading>
          <RemovedNote name={name ?? appId} removed={remove.data} />
        </>
      );
    if (!app)
      return (
        <>
          <Heading>{visible(appId)}</Heading>
          <p>Page not found.</p>
        </>
      );
    return <Shown app={app} tab={isTab(tab) ? tab : 'accounts'} remove={() => removeApp(app)} />;
  };
  return (
    <>
      <p>
        <a href={hashOf('apps')}>Back to Apps</a>
      </p>
      <Loaded query={apps}>{({ apps: all }) => shown(all)}</Loaded>
      <ErrorMessage error={remove.error} />
    </>
  );
}
