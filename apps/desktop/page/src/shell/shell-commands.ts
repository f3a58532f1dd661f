import { useContext } from 'react';
import type { AppView, Project } from '../../../src/wire/views.ts';
import { offeredPanels } from '../panels/offered-panels.ts';
import { useDock } from '../panels/use-dock.ts';
import { visible } from '../parts/visible.ts';
import { hashOf, PAGES } from '../routes.ts';
import { SECTIONS } from '../settings/sections.ts';
import { useDesk, useDesktopQuery, useRefresh } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { type Command, Commands, command } from './commands.ts';
import { GLOBAL_KEYS } from './keys.ts';
import { useProject } from './use-project.ts';
import { go, useRoute } from './use-route.ts';

const MESSAGES = WORDS.palette;

/** What the shell can do for its palette. */
export type ShellActs = { projects: readonly Project[]; choose(project: string): void; help(): void };

const actions = ({ help }: ShellActs): Command[] => [
  command('action', 'new chat', {
    ...{ label: WORDS.chat.newChat, keys: GLOBAL_KEYS.newChat },
    run: () => go(hashOf('chat')),
  }),
  command('action', 'keys', { label: WORDS.keys.title, keys: GLOBAL_KEYS.help, run: help }),
];

const pages = (): Command[] => [
  ...PAGES.map((page) => command('page', page, { label: WORDS.pages[page], run: () => go(hashOf(page)) })),
  ...SECTIONS.map((section) =>
    command('page', `settings ${section}`, {
      ...{ label: WORDS.settingsPage.sections[section], hint: WORDS.pages.settings },
      run: () => go(hashOf('settings', section)),
    }),
  ),
];

const appCommands = (apps: readonly AppView[]): Command[] =>
  apps.map(({ appId, manifest }) =>
    command('app', appId, { label: visible(manifest.name), run: () => go(hashOf('apps', appId)) }),
  );

/** The tools of the apps that are on: those that manifests declare, and those that servers of connectors listed. */
function useToolCommands(project: string, apps: readonly AppView[]): Command[] {
  const named = useDesktopQuery('tools.names', { project }).data?.apps ?? [];
  const names = new Map(apps.map(({ appId, manifest }) => [appId, visible(manifest.name)]));
  return named.flatMap(({ appId, tools }) =>
    tools.map(({ id, name }) =>
      command('tool', `${appId} ${id}`, {
        ...{ label: visible(name), hint: names.get(appId) ?? visible(appId) },
        run: () => go(hashOf('tools', appId, id)),
      }),
    ),
  );
}

/** Beside a conversation a panel opens there, elsewhere on its page. */
function usePanelCommands(apps: readonly AppView[]): Command[] {
  const dock = useDock();
  const { page } = useRoute();
  return offeredPanels(apps).map(({ app: { appId, manifest }, id, title }) =>
    command('panel', `${appId} ${id}`, {
      ...{ label: visible(title), hint: visible(manifest.name) },
      run: () => (page === 'chat' ? dock.show({ appId, panelId: id }) : go(hashOf('panels', appId, id))),
    }),
  );
}

/** In a conversation a model is chosen for that one, elsewhere for those that are begun from now on. */
function useModelCommands(): Command[] {
  const desk = useDesk();
  const refresh = useRefresh();
  const { page, rest } = useRoute();
  const chat = page === 'chat' ? rest[0] : undefined;
  const providers = useDesktopQuery('models.list', {}).data?.providers ?? [];
  const choose = async (provider: string, model: string) => {
    const chosen = { provider, model };
    if (chat === undefined) await desk.ask('models.choose', chosen);
    else await desk.ask('chats.change', { chat, model: chosen });
    await refresh();
  };
  const hintOf = chat === undefined ? MESSAGES.forNew : MESSAGES.forThis;
  const offered = providers.flatMap(({ id, name, models }) =>
    models.map((model) =>
      command('model', `${id} ${model}`, {
        ...{ label: visible(model), hint: hintOf(visible(name)) },
        run: () => void choose(id, model),
      }),
    ),
  );
  const add = { label: MESSAGES.addModel, run: () => go(hashOf('settings', 'models')) };
  return [...offered, command('model', 'add', add)];
}

/** Conversations by their titles, and those that a query is found in. @param query what was typed a moment ago */
function useChatCommands(query: string): { commands: Command[]; given: ReadonlySet<string> } {
  const project = useProject();
  const q = query.trim().slice(0, 200);
  const newest = useDesktopQuery('chats.list', { project: project.id }).data?.chats ?? [];
  const found = useDesktopQuery('chats.list', { project: project.id, ...(q && { q }) }).data?.chats ?? [];
  const made = (chats: typeof found) =>
    chats.map(({ id, title }) =>
      command('chat', id, {
        ...{ label: visible(title) || WORDS.chat.untitled },
        run: () => go(hashOf('chat', id)),
      }),
    );
  const given = q ? made(found) : [];
  const byId = new Map([...made(newest), ...given].map((one) => [one.id, one]));
  return { commands: [...byId.values()], given: new Set(given.map(({ id }) => id)) };
}

const projectCommands = ({ projects, choose }: ShellActs, chosen: string): Command[] =>
  projects
    .filter(({ id }) => id !== chosen)
    .map(({ id, name }) =>
      command('project', id, {
        ...{ label: visible(name), hint: MESSAGES.switchProject },
        run: () => choose(id),
      }),
    );

/** Everything that the palette can find now. @param query what was typed a moment ago: conversations are searched for it */
export function useAllCommands(acts: ShellActs, query: string) {
  const project = useProject();
  const shown = useContext(Commands);
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps ?? [];
  const chats = useChatCommands(query);
  const panels = usePanelCommands(apps);
  const tools = useToolCommands(project.id, apps);
  const models = useModelCommands();
  const ofShown = [...shown.values()].flat();
  const commands = [
    ...[...actions(acts), ...ofShown, ...pages(), ...chats.commands, ...appCommands(apps)],
    ...[...panels, ...tools, ...models, ...projectCommands(acts, project.id)],
  ];
  return { commands, given: chats.given };
}
