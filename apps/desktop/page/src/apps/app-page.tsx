import { visible } from '@svc/text';
import { ErrorMessage, Loaded, TabNav } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { About } from './about.tsx';
import { Accounts } from './accounts.tsx';
import { AppContent } from './app-content.tsx';
import { AppFiles } from './app-files.tsx';
import { AppPanels, AppTools, SOURCES } from './app-parts.tsx';
import { Obstacle, Switch } from './apps.tsx';
import { RemovedNote } from './removed-note.tsx';
import { AppSettings } from './settings.tsx';

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
      <div className="app-top">
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
      <p>{visible(manifest.description)}</p>
      <TabNav label={visible(manifest.name)} tabs={tabs} current={hashOf('apps', appId, tab)} />
      {TABS[tab](app, remove)}
    </>
  );
}

/** An installed app. */
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
