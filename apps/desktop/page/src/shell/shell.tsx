import { visible } from '@svc/text';
import {
  Boundary,
  Button,
  ErrorMessage,
  Fault,
  Icon,
  Loaded,
  Options,
  OutsideLink,
  useSecondsTo,
} from '@svc/ui';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { Project, SignInView } from '../../../src/wire/views.ts';
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
import { Banner } from '../parts/parts.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { hashOf, PAGE_TITLES, type PageName } from '../routes.ts';
import { useNotifications } from '../settings/notifications.ts';
import { sectionOf } from '../settings/sections.ts';
import { Settings } from '../settings/settings-page.tsx';
import { Catalog } from '../store/catalog.tsx';
import { LinksNotice } from '../store/links.tsx';
import { StoreApp } from '../store/store-app.tsx';
import { ToolRunner } from '../tools/tool-runner.tsx';
import { storeCommand } from '../wire/session.ts';
import {
  useDesktopEvents,
  useDesktopMutation,
  useDesktopQuery,
  useLive,
  useLiveState,
  useRefresh,
} from '../wire/use-desktop.ts';
import { type Command, Commands } from './commands.ts';
import { Menu } from './menu.tsx';
import { PaletteHost } from './palette-host.tsx';
import { InProject } from './use-project.ts';
import { useRoute } from './use-route.ts';

/** A sign-in in progress, with buttons that reopen its page or cancel it. */
function WaitingSignIn({ signIn, url }: { signIn: SignInView; url: string | null }) {
  const { appId, accountId, app, label, digits } = signIn;
  const reopen = useDesktopMutation('accounts.reopen');
  const cancel = useDesktopMutation('accounts.cancel');
  return (
    <Banner ref={useFocusBack<HTMLDivElement>()}>
      <span role="status">
        {label === app
          ? `Finish signing in to ${visible(app)}.`
          : `Finish signing in to ${visible(label)} for ${visible(app)}.`}
        {digits === null ? null : ` If the page in your browser asks for three digits, type ${digits}.`}
      </span>
      {url === null ? (
        <Button label="Reopen sign-in page" onClick={() => reopen.mutate({ appId, accountId })} />
      ) : (
        <OutsideLink label="Open sign-in page" className="button" href={url} />
      )}
      <Button label="Cancel" onClick={() => cancel.mutate({ appId, accountId })} />
      <ErrorMessage error={reopen.error} />
    </Banner>
  );
}

type SignInKey = Pick<SignInView, 'appId' | 'accountId'>;

const keyOf = ({ appId, accountId }: SignInKey): string => `${appId} ${accountId}`;

/** The sign-ins in progress. If the desktop cannot open a browser itself, it sends the URL to this page. */
function SignInBanner() {
  const [urls, setUrls] = useState<ReadonlyMap<string, string | null>>(new Map());
  const waiting = useDesktopQuery('accounts.signIns', {});
  useDesktopEvents((event) => {
    const set = (signIn: SignInKey, url: string | null) =>
      setUrls((before) => new Map(before).set(keyOf(signIn), url));
    if (event.type === 'open-page') set(event, webAddress(event.url));
  });
  const signIns = waiting.data?.signIns;
  // With its banner, not before it: the link may have the focus.
  useEffect(() => {
    const keys = new Set(signIns?.map(keyOf));
    if (signIns) setUrls((before) => new Map([...before].filter(([key]) => keys.has(key))));
  }, [signIns]);
  return signIns?.map((signIn) => (
    <WaitingSignIn key={keyOf(signIn)} signIn={signIn} url={urls.get(keyOf(signIn)) ?? null} />
  ));
}

/** Says, until closed, that the key of the new vault is in a file beside it. */
function KeyNotice() {
  const [file, setFile] = useState<string | null>(null);
  useDesktopEvents((event) => {
    if (event.type === 'runtime' && event.event.type === 'vault-key-in-file') setFile(event.event.file);
  });
  if (file === null) return null;
  return (
    <Banner>
      <span role="status">{`No keyring is available, so the key of your accounts is in the file ${visible(file)}, beside them. A program that reads that folder can use your accounts.`}</span>
      <Button label="Close" onClick={() => setFile(null)} />
    </Banner>
  );
}

/** The URL if it is http or https; null for schemes such as `javascript:`. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  return url && ['https:', 'http:'].includes(url.protocol) ? url.href : null;
}

/** Says that the connection to the desktop is lost, and when the page reconnects. */
function ConnectionBanner() {
  const live = useLive();
  const { connection, retryAt } = useLiveState();
  const seconds = useSecondsTo(retryAt);
  if (connection !== 'lost') return null;
  return (
    <Banner>
      <span role="status">Connection to svc desktop lost. This page may be out of date.</span>
      <span>{retryAt === null ? 'Retrying…' : `Retrying in ${seconds} s.`}</span>
      <Button label="Retry now" onClick={() => live.retry()} disabled={retryAt === null} />
    </Banner>
  );
}

/** How long to collect events before queries are refetched, in milliseconds. */
const SETTLE_MS = 150;

/** Events after which queries are refetched. */
const REFRESHING: readonly DesktopEvent['type'][] = [
  'runtime',
  'folder',
  'call-begun',
  'call-log',
  'agents',
  'store-session',
];

/** Refetches the queries about this computer after events, and all queries after a lost connection. */
function useEvents(): void {
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { opened } = useLiveState();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useDesktopEvents((event) => {
    if (!REFRESHING.includes(event.type)) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void refresh(), SETTLE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (opened > 1) void queries.invalidateQueries();
  }, [opened, queries]);
}

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
        <Options of={all.map(({ id, name }) => [id, name])} />
      </select>
    </label>
  );
}

/** Views by page. Panels are rendered apart, because they stay mounted on other pages. */
const VIEWS: Readonly<Record<PageName, (first?: string, second?: string, third?: string) => ReactNode>> = {
  chat: (chat, message, words) => <ChatPage id={chat ?? null} {...{ message, words }} />,
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
          <header className="cluster top">
            <a className="name" href={hashOf('store')}>
              <Icon name="seal-vouched" /> svc desktop
            </a>
            <PaletteHost projects={projects} choose={choose} />
            {projects.length > 0 ? <ProjectChoice all={projects} chosen={project} choose={choose} /> : null}
          </header>
          <div className="frame">
            <Menu current={route.page} />
            <main id="main">
              <Boundary of={route.page} instead={() => <Fault>A notice could not be drawn.</Fault>}>
                <ConnectionBanner />
                <SignInBanner />
                <KeyNotice />
                <LinksNotice />
                <ToolChangesBanner />
              </Boundary>
              <Boundary key={route.page}>{VIEWS[route.page](...route.rest)}</Boundary>
              <Boundary
                key={project.id}
                of={route.page}
                instead={() => <Fault>The panels could not be drawn.</Fault>}
              >
                <PanelsPage route={route} />
              </Boundary>
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
  const command = client.data?.command;
  // Kept for the page that asks for a new link when this desktop has quit.
  useEffect(() => {
    if (command !== undefined) storeCommand(command);
  }, [command]);
  return (
    <>
      <Loaded query={client}>{({ projects, store }) => <Frame projects={projects} store={store} />}</Loaded>
      {client.data === undefined ? <ConnectionBanner /> : null}
    </>
  );
}
