import { Icon, Loaded } from '@svc/ui';
import { type ReactNode, useEffect, useState } from 'react';
import type { Project } from '../../../src/wire/views.ts';
import { AppPage } from '../apps/app-page.tsx';
import { Apps } from '../apps/apps.tsx';
import { ToolChangesBanner } from '../apps/tool-changes.tsx';
import { CardQueue } from '../cards/card-queue.tsx';
import { ChatPage } from '../chat/chat-page.tsx';
import { Activity } from '../more/activity.tsx';
import { Agents } from '../more/agents.tsx';
import { Connectors } from '../more/connectors.tsx';
import { Folders } from '../more/folders.tsx';
import { Updates } from '../more/updates.tsx';
import { PanelsPage } from '../panels/panels.tsx';
import { PickQueue } from '../panels/pick.tsx';
import { Docked, useDockOf } from '../panels/use-dock.ts';
import { hashOf, PAGE_TITLES, type PageName } from '../routes.ts';
import { useNotifications } from '../settings/notifications.ts';
import { sectionOf } from '../settings/sections.ts';
import { Settings } from '../settings/settings-page.tsx';
import { Catalog } from '../store/catalog.tsx';
import { LinksNotice } from '../store/links.tsx';
import { StoreApp } from '../store/store-app.tsx';
import { ToolRunner } from '../tools/tool-runner.tsx';
import { useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { ConnectionBanner, KeyNotice, SignInBanner } from './banners.tsx';
import { type Command, Commands } from './commands.ts';
import { Menu } from './menu.tsx';
import { PaletteHost } from './palette-host.tsx';
import { useEvents } from './use-events.ts';
import { InProject } from './use-project.ts';
import { useRoute } from './use-route.ts';

/** Storage key of the current project, in this browser only. */
const STORAGE_KEY = 'svc.project';

function ProjectChoice({
  all,
  chosen,
  choose,
}: {
  all: Project[];
  chosen: Project;
  choose(id: string): void;
}) {
  return (
    <label className="project">
      <span>Project</span>
      <select value={chosen.id} onChange={(event) => choose(event.target.value)}>
        {all.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Views by page. Panels are rendered apart, because they stay mounted on other pages. */
const VIEWS: Readonly<Record<PageName, (first?: string, second?: string, third?: string) => ReactNode>> = {
  chat: (chat) => <ChatPage id={chat ?? null} />,
  store: (appId, action, store) =>
    appId === undefined ? (
      <Catalog />
    ) : (
      <StoreApp key={`${appId} ${action}`} appId={appId} action={action} from={store} />
    ),
  apps: (appId, tab = 'accounts') =>
    appId === undefined ? <Apps /> : <AppPage key={appId} appId={appId} tab={tab} />,
  tools: (appId, tool) => <ToolRunner appId={appId ?? null} tool={tool ?? null} />,
  panels: () => null,
  activity: () => <Activity />,
  updates: () => <Updates />,
  connectors: () => <Connectors />,
  dev: (appId) => <Folders appId={appId ?? null} />,
  agents: () => <Agents />,
  settings: (section) => <Settings section={sectionOf(section)} />,
};

function useCurrentProject(projects: Project[]) {
  const [id, setId] = useState(() => localStorage.getItem(STORAGE_KEY));
  const choose = (chosen: string) => {
    localStorage.setItem(STORAGE_KEY, chosen);
    setId(chosen);
  };
  return [projects.find((project) => project.id === id) ?? projects[0] ?? NO_PROJECT, choose] as const;
}

/** The project that is used while none exists. */
const NO_PROJECT: Project = { id: 'default', name: '–', folder: null };

function Frame({ projects, store }: { projects: Project[]; store: string }) {
  const route = useRoute();
  const [project, choose] = useCurrentProject(projects);
  const dock = useDockOf(project.id);
  const [commands] = useState(() => new Map<string, readonly Command[]>());
  useEvents();
  useNotifications();
  const waiting = useLiveState().cards.length;
  useEffect(() => {
    const title = `${PAGE_TITLES[route.page]}: svc desktop`;
    document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
  }, [route.page, waiting]);
  return (
    <InProject value={{ project, store }}>
      <Docked value={dock}>
        <Commands value={commands}>
          <header className="top">
            <a className="name" href={hashOf('store')}>
              <Icon name="seal-vouched" /> svc desktop
            </a>
            <PaletteHost projects={projects} choose={choose} />
            {projects.length > 0 ? <ProjectChoice all={projects} chosen={project} choose={choose} /> : null}
          </header>
          <div className="frame">
            <Menu current={route.page} />
            <main id="main">
              <ConnectionBanner />
              <SignInBanner />
              <KeyNotice />
              <LinksNotice />
              <ToolChangesBanner />
              {VIEWS[route.page](...route.rest)}
              <PanelsPage key={project.id} route={route} />
            </main>
          </div>
          <CardQueue />
          <PickQueue />
        </Commands>
      </Docked>
    </InProject>
  );
}

/** The page of a user with a session. */
export function Shell() {
  const client = useDesktopQuery('client.show', {});
  return (
    <>
      <Loaded query={client}>{({ projects, store }) => <Frame projects={projects} store={store} />}</Loaded>
      {client.data === undefined ? <ConnectionBanner /> : null}
    </>
  );
}
