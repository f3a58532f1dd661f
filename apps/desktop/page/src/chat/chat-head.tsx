import { visible } from '@svc/text';
import { Button, Icon, MenuButton, Options } from '@svc/ui';
import { lazy, Suspense } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import type { ChatView, ModelRef } from '../../../src/wire/chat.ts';
import { offeredPanels, useDock } from '../panels/use-dock.ts';
import { hashOf } from '../routes.ts';
import { type Command, command } from '../shell/commands.ts';
import { LOCAL_KEYS } from '../shell/keys.ts';
import { useApps } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { BeginTemporary, type useTemporary } from './temporary-chat.tsx';

const { editLast, stop } = LOCAL_KEYS.composer;

type ChatActions = {
  attach(): void;
  /** Null while the conversation has no message of the user. */
  editLast: (() => void) | null;
  stop(): void;
  exportAll(): void;
  /** Begins a temporary conversation with what is written in a new one. */
  beginTemporary(): void;
};

/** The commands of a conversation for the palette. @param chat null for a new conversation */
export function chatCommands(chat: ChatView | null, actions: ChatActions): Command[] {
  const search = () => document.getElementById('chat-search')?.focus();
  const always = [
    command('action', 'attach', { label: 'Attach files', run: actions.attach }),
    command('action', 'search', { label: 'Search conversations', run: search }),
  ];
  if (chat === null)
    return [
      ...always,
      command('action', 'temporary', { label: 'New temporary chat', run: actions.beginTemporary }),
    ];
  const { editLast: edit } = actions;
  const ofAnswer = chat.running
    ? [command('action', 'stop', { label: 'Stop the answer', keys: stop, run: actions.stop })]
    : edit === null
      ? []
      : [command('action', 'edit', { label: 'Edit your last message', keys: editLast, run: edit })];
  return [
    ...ofAnswer,
    ...always,
    command('action', 'export', { label: 'Export this conversation', run: actions.exportAll }),
  ];
}

/** The models of all providers: each reference as JSON, and its words. */
export const modelChoices = (providers: readonly ProviderView[]) =>
  providers.flatMap(({ id: provider, name, models }) =>
    models.map(
      (model) => [JSON.stringify({ provider, model }), `${visible(name)}: ${visible(model)}`] as const,
    ),
  );

/** Chooses the model of a conversation, or of new ones. */
export function ModelChoice({ chat }: { chat: ChatView | null }) {
  const listed = useDesktopQuery('models.list', {}).data;
  const change = useDesktopMutation('chats.change');
  const chooseForNew = useDesktopMutation('models.choose');
  // Not the link meanwhile: a choice that takes its place would take its focus.
  if (!listed) return null;
  const offered = modelChoices(listed.providers);
  // A new conversation has the ways to a model below.
  if (offered.length === 0)
    return chat === null ? null : <a href={hashOf('settings', 'models')}>Choose a model</a>;
  const chosen = chat === null ? listed.default : chat.model;
  const choose = (model: ModelRef) =>
    chat === null ? chooseForNew.mutate(model) : change.mutate({ chat: chat.id, model });
  return (
    <select
      aria-label="Model"
      value={chosen === null ? '' : JSON.stringify(chosen)}
      onChange={(event) => choose(JSON.parse(event.target.value) as ModelRef)}
    >
      <Options of={[...(chosen === null ? [['', 'Choose a model'] as const] : []), ...offered]} />
    </select>
  );
}

/** The panels of the apps in this project. The chosen one is docked next to the conversation. */
function PanelChoice() {
  const dock = useDock();
  const apps = useApps() ?? [];
  const offered = offeredPanels(apps);
  if (offered.length === 0) return null;
  return (
    <MenuButton look="pop pop-menu-body" label="Panels" className="chat-apps">
      {(close) => (
        <ul className="bare">
          {offered.map(({ app, id, title }) => (
            <li key={`${app.appId} ${id}`}>
              <Button
                label={`Open ${visible(title)}`}
                onClick={() => {
                  close();
                  dock.show({ appId: app.appId, panelId: id });
                }}
              />{' '}
              <span className="soft">{visible(app.manifest.name)}</span>
            </li>
          ))}
        </ul>
      )}
    </MenuButton>
  );
}

/** What is done with a conversation, which a new one does not have. */
const ChatMenu = lazy(async () => ({ default: (await import('./chat-menu.tsx')).ChatMenu }));

/** Id of the list of conversations, which the head opens where it is folded. */
export const LIST_ID = 'conversations';

/** The toolbar of a conversation. @param chat null for a new one */
export function ChatHead({
  chat,
  temporary,
}: {
  chat: ChatView | null;
  temporary: ReturnType<typeof useTemporary> | null;
}) {
  return (
    <header className="chat-head">
      <Button
        className="quiet chat-list-button"
        popoverTarget={LIST_ID}
        aria-label="Conversations"
        title="Conversations"
      >
        <Icon name="panel-left" />
      </Button>
      {chat === null ? (
        <>
          <strong>New conversation</strong>
          {temporary ? <BeginTemporary {...temporary} /> : null}
        </>
      ) : (
        <>
          <strong>{visible(chat.title) || 'New conversation'}</strong>
          <PanelChoice />
          <MenuButton
            look="pop pop-menu-body"
            label={<Icon name="ellipsis" />}
            name="More"
            className="chat-more"
          >
            {(close) => (
              <Suspense>
                <ChatMenu chat={chat} close={close} />
              </Suspense>
            )}
          </MenuButton>
        </>
      )}
    </header>
  );
}
