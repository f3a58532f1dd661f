import type { Removed } from '@svc/runtime';
import { type ReactNode, useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Fault, Heading, Loaded, Tabs } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useAsk, useDo } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { About } from './about.tsx';
import { Accounts } from './accounts.tsx';
import { AppFiles } from './app-files.tsx';
import { AppPanels, AppTools } from './app-parts.tsx';
import { Obstacle, Switch } from './apps.tsx';
import { AppSettings } from './settings.tsx';

const SAY = WORDS.apps;

type Tab = keyof typeof SAY.tabs;

const TABS: Readonly<Record<Tab, (app: AppView, remove: () => void) => ReactNode>> = {
  accounts: (app) => <Accounts app={app} />,
  settings: (app) => <AppSettings app={app} />,
  tools: (app) => <AppTools app={app} />,
  panels: (app) => <AppPanels app={app} />,
  files: (app) => <AppFiles app={app} />,
  about: (app, remove) => <About app={app} remove={remove} />,
};

const isTab = (name: string): name is Tab => Object.hasOwn(TABS, name);

function Shown({ app, tab, remove }: { app: AppView; tab: Tab; remove(): void }) {
  const { appId, version, manifest } = app;
  const tabs = Object.entries(SAY.tabs).map(([id, label]) => ({
    id,
    label,
    href: hashOf('apps', appId, id),
  }));
  return (
    <>
      <div className="app-top">
        <AppIcon appId={appId} version={version} name={manifest.name} />
        <div>
          <Heading>{visible(manifest.name)}</Heading>
          <p className="soft">
            {visible(version)} <span className="badge">{SAY.source[app.source.kind]}</span>
          </p>
        </div>
        <Switch app={app} />
      </div>
      <Obstacle app={app} />
      <p>{visible(manifest.description)}</p>
      <Tabs label={visible(manifest.name)} tabs={tabs} current={tab} />
      {TABS[tab](app, remove)}
    </>
  );
}

/** That an app is gone, and which of its sign-ins its servers did not take back. */
function Gone({ name, removed: { accounts } }: { name: string; removed: Removed }) {
  return (
    <>
      <Heading>{visible(name)}</Heading>
      <p role="status">{SAY.removed(visible(name))}</p>
      {accounts
        .filter(({ revoked }) => !revoked)
        .map(({ id, reason = '' }) => (
          <p key={id} className="mild">
            {SAY.accountOf(visible(id))} {WORDS.accounts.notRevoked(visible(reason))}
          </p>
        ))}
    </>
  );
}

/** An installed app. */
export function AppPage({ appId, tab }: { appId: string; tab: string }) {
  const project = useProject();
  const apps = useAsk('apps.list', { project: project.id });
  const remove = useDo('apps.remove');
  /** Said once the app is gone, and its name with it. */
  const [name, setName] = useState<string | null>(null);
  const takeAway = ({ manifest }: AppView) => {
    setName(manifest.name);
    remove.mutate({ appId });
  };
  const shown = (all: readonly AppView[]) => {
    const app = all.find((one) => one.appId === appId);
    if (remove.data) return <Gone name={name ?? appId} removed={remove.data} />;
    if (!app)
      return (
        <>
          <Heading>{visible(appId)}</Heading>
          <p>{WORDS.nothingHere}</p>
        </>
      );
    return <Shown app={app} tab={isTab(tab) ? tab : 'accounts'} remove={() => takeAway(app)} />;
  };
  return (
    <>
      <p>
        <a href={hashOf('apps')}>{WORDS.back(WORDS.pages.apps)}</a>
      </p>
      <Loaded query={apps}>{({ apps: all }) => shown(all)}</Loaded>
      <Fault error={remove.error} />
    </>
  );
}
