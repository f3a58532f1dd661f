import { visible } from '@svc/text';
import { useDebounced } from '@svc/ui';
import { useContext } from 'react';
import type { AppView, Project } from '../../../src/wire/views.ts';
import { hashOfChat } from '../chat/use-found.ts';
import { offeredPanels, useDock } from '../panels/use-dock.ts';
import { hashOf, PAGE_TITLES, PAGES } from '../routes.ts';
import { SECTION_TITLES, SECTIONS } from '../settings/sections.ts';
import { useDesktopClient, useDesktopQuery, useRefresh } from '../wire/use-desktop.ts';
import { type Command, Commands, command } from './commands.ts';
import { GLOBAL_KEYS } from './keys.ts';
import { useApps, useProject } from './use-project.ts';
import { go, useRoute } from './use-route.ts';

/** Actions of the shell for the palette. */
export type ShellActions = { projects: readonly Project[]; choose(project: string): void; help(): void };

const actionCommands = ({ help }: ShellActions): Command[] => [
  command('action', 'new chat', {
    ...{ label: 'New chat', keys: GLOBAL_KEYS.newChat },
    run: () => go(hashOf('chat')),
  }),
  command('action', 'keys', { label: 'Keyboard shortcuts', keys: GLOBAL_KEYS.help, run: help }),
];

const pageCommands = (): Command[] => [
  ...PAGES.map((page) => command('page', page, { label: PAGE_TITLES[page], run: () => go(hashOf(page)) })),
  ...SECTIONS.map((section) =>
    command('page', `settings ${section}`, {
      ...{ label: SECTION_TITLES[section], hint: 'Settings' },
      run: () => go(hashOf('settings', section)),
    }),
  ),
];

const appCommands = (apps: readonly AppView[]): Command[] =>
  apps.map(({ appId, manifest }) =>
    command('app', appId, { label: visible(manifest.name), run: () => go(hashOf('apps', appId)) }),
  );

/** The tools of the apps that are on: declared in manifests, or listed by connectors. */
function useToolCommands(project: string, apps: readonly AppView[]): Command[] {
  const listings = useDesktopQuery('tools.names', { project }).data?.apps ?? [];
  const names = new Map(apps.map(({ appId, manifest }) => [appId, visible(manifest.name)]));
  return listings.flatMap(({ appId, tools }) =>
    tools.map(({ id, name }) =>
      command('tool', `${appId} ${id}`, {
        ...{ label: visible(name), hint: names.get(appId) ?? visible(appId) },
        run: () => go(hashOf('tools', appId, id)),
      }),
    ),
  );
}

/** In a conversation the panel is docked, elsewhere it opens on the panels page. */
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

/** In a conversation the model is set for that one, elsewhere for new conversations. */
function useModelCommands(): Command[] {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  const { page, rest } = useRoute();
  const chat = page === 'chat' ? rest[0] : undefined;
  const providers = useDesktopQuery('models.list', {}).data?.providers ?? [];
  const choose = async (provider: string, model: string) => {
    const chosen = { provider, model };
    if (chat === undefined) await desktop.request('models.choose', chosen);
    else await desktop.request('chats.change', { chat, model: chosen });
    await refresh();
  };
  const scope = chat === undefined ? 'for new conversations' : 'of this conversation';
  const offered = providers.flatMap(({ id, name, models }) =>
    models.map((model) =>
      command('model', `${id} ${model}`, {
        ...{ label: visible(model), hint: `${visible(name)}, switch model ${scope}` },
        run: () => void choose(id, model),
      }),
    ),
  );
  const add = { label: 'Add a model provider', run: () => go(hashOf('settings', 'models')) };
  return [...offered, command('model', 'add', add)];
}

/** Pause in typing before conversations are searched, in milliseconds. */
const DEBOUNCE_MS = 150;

type ChatCommands = { commands: Command[]; given: ReadonlySet<string>; isSearching: boolean };

/** Recent conversations, and those whose text matches the query. */
function useChatCommands(query: string): ChatCommands {
  const project = useProject();
  const searched = useDebounced(query, DEBOUNCE_MS);
  // What was found for an earlier query is no result of this one, and Enter must not open it.
  const isCurrent = searched === query;
  const q = isCurrent ? query.trim().slice(0, 200) : '';
  const newest = useDesktopQuery('chats.list', { project: project.id }).data?.chats ?? [];
  const found = useDesktopQuery('chats.list', { project: project.id, ...(q && { q }) });
  const matches = found.data?.chats ?? [];
  const toCommands = (chats: typeof matches) =>
    chats.map(({ id, title, match }) =>
      command('chat', id, {
        label: visible(title) || 'New conversation',
        ...(match && { hint: visible(`…${match.before}${match.words}${match.after}…`) }),
        run: () => go(hashOfChat(id, match?.message, match ? q : '')),
      }),
    );
  const given = q ? toCommands(matches) : [];
  const byId = new Map([...toCommands(newest), ...given].map((chat) => [chat.id, chat]));
  return {
    commands: [...byId.values()],
    given: new Set(given.map(({ id }) => id)),
    isSearching: !isCurrent || found.isLoading,
  };
}

const projectCommands = ({ projects, choose }: ShellActions, chosen: string): Command[] =>
  projects
    .filter(({ id }) => id !== chosen)
    .map(({ id, name }) =>
      command('project', id, {
        ...{ label: visible(name), hint: 'Switch project' },
        run: () => choose(id),
      }),
    );

/** All commands of the palette. @param query the input, for the search of conversations */
export function useAllCommands(actions: ShellActions, query: string) {
  const project = useProject();
  const registered = useContext(Commands);
  const apps = useApps() ?? [];
  const chats = useChatCommands(query);
  const panels = usePanelCommands(apps);
  const tools = useToolCommands(project.id, apps);
  const models = useModelCommands();
  const mounted = [...registered.values()].flat();
  const commands = [
    ...[...actionCommands(actions), ...mounted, ...pageCommands(), ...chats.commands, ...appCommands(apps)],
    ...[...panels, ...tools, ...models, ...projectCommands(actions, project.id)],
  ];
  return { commands, given: chats.given, isSearching: chats.isSearching };
}
