import { visible } from '@svc/text';
import { ConfirmButton, ErrorMessage, Icon, MenuButton } from '@svc/ui';
import { useState } from 'react';
import type { ChatView, ModelRef } from '../../../src/wire/chat.ts';
import { offeredPanels, useDock } from '../panels/use-dock.ts';
import { download } from '../parts/download.ts';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import type { DesktopClient } from '../wire/desktop-client.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** Downloads a conversation as a Markdown file. */
export async function exportChat(desktop: DesktopClient, chat: string): Promise<void> {
  const { name, markdown } = await desktop.request('chats.export', { chat });
  download(name, new Blob([markdown], { type: 'text/markdown' }));
}

function ModelChoice({ chat }: { chat: ChatView }) {
  const listed = useDesktopQuery('models.list', {}).data;
  const change = useDesktopMutation('chats.change');
  // Not the link meanwhile: a choice that takes its place would take its focus.
  if (!listed) return null;
  const offered = listed.providers.flatMap(({ id, name, models }) =>
    models.map((model) => ({ name, ref: { provider: id, model } })),
  );
  if (offered.length === 0) return <a href={hashOf('settings', 'models')}>Choose a model</a>;
  return (
    <select
      aria-label="Model"
      value={chat.model === null ? '' : JSON.stringify(chat.model)}
      onChange={(event) =>
        change.mutate({ chat: chat.id, model: JSON.parse(event.target.value) as ModelRef })
      }
    >
      {chat.model === null ? <option value="">Choose a model</option> : null}
      {offered.map(({ name, ref: { provider, model } }) => (
        <option key={`${provider} ${model}`} value={JSON.stringify({ provider, model })}>
          {visible(name)}: {visible(model)}
        </option>
      ))}
    </select>
  );
}

/** The panels of the apps in this project. The chosen one is docked next to the conversation. */
function PanelChoice() {
  const project = useProject();
  const dock = useDock();
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps ?? [];
  const offered = offeredPanels(apps);
  if (offered.length === 0) return null;
  return (
    <MenuButton look="pop pop-menu-body" label="Panels" className="chat-apps">
      {(close) => (
        <ul className="bare">
          {offered.map(({ app, id, title }) => (
            <li key={`${app.appId} ${id}`}>
              <button
                type="button"
                onClick={() => {
                  close();
                  dock.show({ appId: app.appId, panelId: id });
                }}
              >
                {`Open ${visible(title)}`}
              </button>{' '}
              <span className="soft">{visible(app.manifest.name)}</span>
            </li>
          ))}
        </ul>
      )}
    </MenuButton>
  );
}

/** The field of a new title, focused when it opens. */
function Rename({ chat, done }: { chat: ChatView; done(): void }) {
  const change = useDesktopMutation('chats.change');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const title = String(new FormData(event.currentTarget).get('title'));
        change.mutate({ chat: chat.id, title });
        done();
      }}
    >
      <input
        name="title"
        aria-label="Title"
        defaultValue={chat.title}
        maxLength={120}
        ref={(field) => {
          field?.focus();
          field?.select();
        }}
      />
    </form>
  );
}

const numberIn = (text: FormDataEntryValue | null): number | undefined =>
  text === null || String(text).trim() === '' ? undefined : Number(text);

/** Parameters of the model for this conversation. An empty field leaves one to the model. */
function Parameters({ chat, done }: { chat: ChatView; done(): void }) {
  const change = useDesktopMutation('chats.change');
  const { temperature, maxTokens } = chat.params ?? {};
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const [heat, most] = [numberIn(form.get('temperature')), numberIn(form.get('maxTokens'))];
        const params = {
          ...(heat !== undefined && { temperature: heat }),
          ...(most !== undefined && { maxTokens: most }),
        };
        change.mutate({ chat: chat.id, params }, { onSuccess: done });
      }}
    >
      <label className="field">
        Temperature, 0 to 2
        <input name="temperature" type="number" min={0} max={2} step={0.1} defaultValue={temperature} />
      </label>
      <label className="field">
        Longest answer, in tokens
        <input name="maxTokens" type="number" min={1} max={1_000_000} defaultValue={maxTokens} />
      </label>
      <button type="submit">Save</button>
      <ErrorMessage error={change.error} />
    </form>
  );
}

function ChatMenu({ chat, close }: { chat: ChatView; close(): void }) {
  const desktop = useDesktopClient();
  const remove = useDesktopMutation('chats.remove');
  const [isRenaming, setRenaming] = useState(false);
  const renamed = () => {
    setRenaming(false);
    close();
  };
  return (
    <>
      {isRenaming ? (
        <Rename chat={chat} done={renamed} />
      ) : (
        <button type="button" onClick={() => setRenaming(true)}>
          Rename
        </button>
      )}
      <button
        type="button"
        onClick={() => {
          close();
          void exportChat(desktop, chat.id);
        }}
      >
        Export
      </button>
      <details>
        <summary>Parameters of the model</summary>
        <Parameters chat={chat} done={close} />
      </details>
      <ConfirmButton
        label="Delete"
        sure="Delete this conversation? This cannot be undone."
        act={() => remove.mutate({ chat: chat.id }, { onSuccess: () => go(hashOf('chat')) })}
      />
    </>
  );
}

/** Id of the list of conversations, which the head opens where it is folded. */
export const LIST_ID = 'conversations';

/** The toolbar of a conversation. @param chat null for a new one */
export function ChatHead({ chat }: { chat: ChatView | null }) {
  return (
    <header className="chat-head">
      <button
        type="button"
        className="quiet chat-list-button"
        popoverTarget={LIST_ID}
        aria-label="Conversations"
        title="Conversations"
      >
        <Icon name="panel-left" />
      </button>
      {chat === null ? (
        <strong>New conversation</strong>
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
