import { ConfirmButton } from '@svc/ui';
import { useState } from 'react';
import type { ChatView, ModelRef } from '../../../src/wire/chat.ts';
import { offeredPanels } from '../panels/offered-panels.ts';
import { useDock } from '../panels/use-dock.ts';
import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { exportChat } from './export-chat.ts';

const MESSAGES = WORDS.chat;

function ModelChoice({ chat }: { chat: ChatView }) {
  const providers = useDesktopQuery('models.list', {}).data?.providers ?? [];
  const change = useDesktopMutation('chats.change');
  const offered = providers.flatMap(({ id, name, models }) =>
    models.map((model) => ({ name, ref: { provider: id, model } })),
  );
  if (offered.length === 0) return <a href={hashOf('settings', 'models')}>{MESSAGES.noModel}</a>;
  return (
    <select
      aria-label={MESSAGES.model}
      value={chat.model === null ? '' : JSON.stringify(chat.model)}
      onChange={(event) =>
        change.mutate({ chat: chat.id, model: JSON.parse(event.target.value) as ModelRef })
      }
    >
      {chat.model === null ? <option value="">{MESSAGES.noModel}</option> : null}
      {offered.map(({ name, ref: { provider, model } }) => (
        <option key={`${provider} ${model}`} value={JSON.stringify({ provider, model })}>
          {visible(name)}: {visible(model)}
        </option>
      ))}
    </select>
  );
}

/** Switches for the apps of the project that this conversation may use. */
function AppSwitches({ chat }: { chat: ChatView }) {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps ?? [];
  const change = useDesktopMutation('chats.change');
  const usable = apps.filter(({ on, withdrawn }) => on && !withdrawn);
  const set = (appId: string, isOn: boolean) => {
    const others = chat.off.filter((id) => id !== appId);
    change.mutate({ chat: chat.id, off: isOn ? others : [...others, appId] });
  };
  return (
    <details className="chat-apps">
      <summary>{MESSAGES.apps}</summary>
      {usable.length === 0 ? (
        <p>
          {MESSAGES.noApps} <a href={hashOf('store')}>{MESSAGES.browse}</a>
        </p>
      ) : null}
      <ul hidden={usable.length === 0}>
        {usable.map(({ appId, manifest }) => (
          <li key={appId}>
            <label>
              <input
                type="checkbox"
                checked={!chat.off.includes(appId)}
                onChange={(event) => set(appId, event.target.checked)}
              />{' '}
              {visible(manifest.name)}
            </label>
          </li>
        ))}
      </ul>
    </details>
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
    <details className="chat-apps">
      <summary>{MESSAGES.panels}</summary>
      <ul>
        {offered.map(({ app, id, title }) => (
          <li key={`${app.appId} ${id}`}>
            <button
              type="button"
              onClick={(event) => {
                dock.show({ appId: app.appId, panelId: id });
                event.currentTarget.closest('details')?.removeAttribute('open');
              }}
            >
              {WORDS.panels.open(visible(title))}
            </button>{' '}
            <span className="soft">{visible(app.manifest.name)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The toolbar of a conversation. */
export function ChatHead({ chat }: { chat: ChatView }) {
  const desktop = useDesktopClient();
  const change = useDesktopMutation('chats.change');
  const remove = useDesktopMutation('chats.remove');
  const [title, setTitle] = useState<string | null>(null);
  return (
    <header className="chat-head">
      <ModelChoice chat={chat} />
      <AppSwitches chat={chat} />
      <PanelChoice />
      <details className="chat-more">
        <summary aria-label="More">⋯</summary>
        <div>
          {title === null ? (
            <button type="button" onClick={() => setTitle(chat.title)}>
              {MESSAGES.rename}
            </button>
          ) : (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                change.mutate({ chat: chat.id, title });
                setTitle(null);
              }}
            >
              <input
                aria-label={MESSAGES.title}
                value={title}
                onChange={(event) => setTitle(event.target.value)}
              />
            </form>
          )}
          <button type="button" onClick={() => void exportChat(desktop, chat.id)}>
            {MESSAGES.export}
          </button>
          <ConfirmButton
            label={MESSAGES.delete}
            sure={MESSAGES.sureDelete}
            act={() => remove.mutate({ chat: chat.id }, { onSuccess: () => go(hashOf('chat')) })}
          />
        </div>
      </details>
    </header>
  );
}
