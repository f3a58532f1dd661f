import { lazy, type ReactNode } from 'react';
import { ChatPage } from '../chat/chat-page.tsx';
import type { PageName } from '../routes.ts';
import { sectionOf } from '../settings/sections.ts';

// The first view is a conversation. The script of every other page is loaded with it.
const Activity = lazy(async () => ({ default: (await import('../more/activity.tsx')).Activity }));
const Agents = lazy(async () => ({ default: (await import('../more/agents.tsx')).Agents }));
const AppPage = lazy(async () => ({ default: (await import('../apps/app-page.tsx')).AppPage }));
const Apps = lazy(async () => ({ default: (await import('../apps/apps.tsx')).Apps }));
const Catalog = lazy(async () => ({ default: (await import('../store/catalog.tsx')).Catalog }));
const Connectors = lazy(async () => ({ default: (await import('../more/connectors.tsx')).Connectors }));
const Folders = lazy(async () => ({ default: (await import('../more/folders.tsx')).Folders }));
const Settings = lazy(async () => ({ default: (await import('../settings/settings-page.tsx')).Settings }));
const StoreApp = lazy(async () => ({ default: (await import('../store/store-app.tsx')).StoreApp }));
const ToolRunner = lazy(async () => ({ default: (await import('../tools/tool-runner.tsx')).ToolRunner }));
const Updates = lazy(async () => ({ default: (await import('../more/updates.tsx')).Updates }));

/** The cards that wait, of which most pages have none. */
export const CardQueue = lazy(async () => ({ default: (await import('../cards/card-queue.tsx')).CardQueue }));

/** The dialog in which files are chosen for a panel. */
export const PickQueue = lazy(async () => ({ default: (await import('../panels/pick.tsx')).PickQueue }));

/** The open panels, loaded with the first one. */
export const PanelsPage = lazy(async () => ({ default: (await import('../panels/panels.tsx')).PanelsPage }));

/** Views by page. Panels are rendered apart, because they stay mounted on other pages. */
export const VIEWS: Readonly<
  Record<PageName, (first?: string, second?: string, third?: string) => ReactNode>
> = {
  chat: (chat, message, words) =>
    chat === 'new' ? (
      <ChatPage id={null} installed={message} />
    ) : (
      <ChatPage id={chat ?? null} {...{ message, words }} />
    ),
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
