import { visible } from '@svc/text';
import { Boundary, Button, count, Fault, Icon, Loaded, Options, useSecondsTo } from '@svc/ui';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { Project } from '../../../src/wire/views.ts';
import { ToolChangesBanner } from '../apps/tool-changes-banner.tsx';
import { Docked, useDockOf } from '../panels/use-dock.ts';
import { Banner } from '../parts/parts.tsx';
import { hashOf, PAGE_TITLES, type Route } from '../routes.ts';
import { useNotifications } from '../settings/notifications.ts';
import { LinksNotice } from '../store/links-notice.tsx';
import { LogNotice } from '../store/log-notice.tsx';
import { storeCommand } from '../wire/session.ts';
import { useDesktopEvents, useDesktopQuery, useLive, useLiveState, useRefresh } from '../wire/use-desktop.ts';
import { type Command, Commands } from './commands.ts';
import { Menu } from './menu.tsx';
import { CardQueue, PanelsPage, PickQueue, VIEWS } from './pages.tsx';
import { PaletteHost } from './palette-host.tsx';
import { SignInBanner, WithSignIns } from './sign-ins.tsx';
import { InProject } from './use-project.ts';
import { useRoute } from './use-route.ts';

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

function useCurrentProject(projects: Project[]) {
  const [id, setId] = useState(() => localStorage.getItem(STORAGE_KEY));
  const choose = (chosen: string) => {
    localStorage.setItem(STORAGE_KEY, chosen);
    setId(chosen);
  };
  return [projects.find((project) => project.id === id) ?? projects[0] ?? NO_PROJECT, choose] as const;
}

/** The panels, from the first one on. They stay mounted on other pages. */
function Panels({ route, isDocked }: { route: Route; isDocked: boolean }) {
  const [wasShown, setShown] = useState(false);
  const isShown = route.page === 'panels' || (route.page === 'chat' && isDocked);
  if (isShown && !wasShown) setShown(true);
  return <Suspense>{isShown || wasShown ? <PanelsPage route={route} /> : null}</Suspense>;
}

/** How many questions wait, for screen readers, the questions, and the files that a panel asks for. */
function Questions() {
  const { cards, picks } = useLiveState();
  return (
    <>
      <p className="unseen" role="status">
        {cards.length > 0 ? count(cards.length, 'question') : ''}
      </p>
      <Suspense>
        {cards.length > 0 ? <CardQueue /> : null}
        {picks.length > 0 ? <PickQueue /> : null}
      </Suspense>
    </>
  );
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
      <WithSignIns>
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
                  <LogNotice />
                  <LinksNotice />
                  <ToolChangesBanner />
                </Boundary>
                <Boundary key={route.page}>
                  <Suspense>{VIEWS[route.page](...route.rest)}</Suspense>
                </Boundary>
                <Boundary
                  key={project.id}
                  of={route.page}
                  instead={() => <Fault>The panels could not be drawn.</Fault>}
                >
                  <Panels route={route} isDocked={dock.shown !== null} />
                </Boundary>
              </main>
            </div>
            <Questions />
          </Commands>
        </Docked>
      </WithSignIns>
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
