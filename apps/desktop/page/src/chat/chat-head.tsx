import { visible } from '@svc/text';
import { Button, ErrorMessage, Field, Form, Icon, MenuButton, Options } from '@svc/ui';
import { useState } from 'react';
import type { ProviderView } from '../../../src/wire/calls.ts';
import type { ChatView, ModelRef } from '../../../src/wire/chat.ts';
import { offeredPanels, useDock } from '../panels/use-dock.ts';
import { download } from '../parts/download.ts';
import { hashOf } from '../routes.ts';
import { type Command, command } from '../shell/commands.ts';
import { LOCAL_KEYS } from '../shell/keys.ts';
import { useApps } from '../shell/use-project.ts';
import type { DesktopClient } from '../wire/desktop-client.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { DeleteChat, KeepChat, RenameChat, SummariseChat } from './chat-actions.tsx';
import { BeginTemporary, type useTemporary } from './temporary-chat.tsx';

/** Downloads a conversation as a Markdown file. */
export async function exportChat(desktop: DesktopClient, chat: string): Promise<void> {
  const { name, markdown } = await desktop.request('chats.export', { chat });
  download(name, new Blob([markdown], { type: 'text/markdown' }));
}

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
function ModelChoice({ chat }: { chat: ChatView | null }) {
  const listed = useDesktopQuery('models.list', {}).data;
  const change = useDesktopMutation('chats.change');
  const chooseForNew = useDesktopMutation('models.choose');
  // Not the link meanwhile: a choice that takes its place would take its focus.
  if (!listed) return null;
  const offered = modelChoices(listed.providers);
  if (offered.length === 0) return <a href={hashOf('settings', 'models')}>Choose a model</a>;
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

/** Requests another answer from a model that the user chooses, with which the conversation goes on. */
export function RetryWith({ chat, message }: { chat: string; message: number }) {
  const [isOpen, setOpen] = useState(false);
  const retry = useDesktopMutation('chats.retry');
  const listed = useDesktopQuery('models.list', {}, { enabled: isOpen }).data;
  if (!isOpen)
    return <Button label="Ask another model…" className="quiet small" onClick={() => setOpen(true)} />;
  return (
    <>
      <select
        aria-label="Ask another model"
        // biome-ignore lint/a11y/noAutofocus: the choice replaces the pressed button
        autoFocus
        value=""
        onBlur={() => setOpen(false)}
        onChange={(event) => {
          setOpen(false);
          retry.mutate({ chat, message, model: JSON.parse(event.target.value) as ModelRef });
        }}
      >
        <Options of={[['', 'Ask another model…'] as const, ...modelChoices(listed?.providers ?? [])]} />
      </select>
      <ErrorMessage error={retry.error} />
    </>
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

const numberIn = (text: FormDataEntryValue | null): number | undefined =>
  text === null || String(text).trim() === '' ? undefined : Number(text);

/** Whether the model of a conversation receives the pictures that apps return. */
const PICTURES = [
  ['', 'As set for the provider'],
  ['yes', 'Show to the model'],
  ['no', 'Do not show'],
] as const;

/** Parameters of the model for this conversation. An empty field leaves one to the model. */
function Parameters({ chat, done }: { chat: ChatView; done(): void }) {
  const change = useDesktopMutation('chats.change');
  const { temperature, maxTokens, pictures } = chat.params ?? {};
  return (
    <Form
      action="Save"
      tone="plain"
      error={change.error}
      submit={(form) => {
        const [heat, most] = [numberIn(form.get('temperature')), numberIn(form.get('maxTokens'))];
        const shown = form.get('pictures');
        const params = {
          ...(shown !== '' && { pictures: shown === 'yes' }),
          ...(heat !== undefined && { temperature: heat }),
          ...(most !== undefined && { maxTokens: most }),
        };
        change.mutate({ chat: chat.id, params }, { onSuccess: done });
      }}
    >
      <Field
        label="Temperature, 0 to 2"
        name="temperature"
        type="number"
        min={0}
        max={2}
        step={0.1}
        defaultValue={temperature}
      />
      <Field
        label="Longest answer, in tokens"
        name="maxTokens"
        type="number"
        min={1}
        max={1_000_000}
        defaultValue={maxTokens}
      />
      <label>
        Pictures that apps return{' '}
        <select name="pictures" defaultValue={pictures === undefined ? '' : pictures ? 'yes' : 'no'}>
          <Options of={PICTURES} />
        </select>
      </label>
    </Form>
  );
}

function ChatMenu({ chat, close }: { chat: ChatView; close(): void }) {
  const desktop = useDesktopClient();
  return (
    <>
      <RenameChat chat={chat} done={close} />
      <KeepChat chat={chat} done={close} />
      <Button
        label="Export"
        onClick={() => {
          close();
          void exportChat(desktop, chat.id);
        }}
      />
      <SummariseChat chat={chat.id} />
      <details>
        <summary>Parameters of the model</summary>
        <Parameters chat={chat} done={close} />
      </details>
      <DeleteChat chat={chat.id} isTemporary={chat.temporary === true} />
    </>
  );
}

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
          <ModelChoice chat={null} />
          {temporary ? <BeginTemporary {...temporary} /> : null}
        </>
      ) : (
        <>
          <ModelChoice chat={chat} />
          <PanelChoice />
          <MenuButton look="pop pop-menu-body" label="⋯" name="More" className="chat-more">
            {(close) => <ChatMenu chat={chat} close={close} />}
          </MenuButton>
        </>
      )}
    </header>
  );
}
