import { Button, ConfirmButton, ErrorMessage } from '@svc/ui';
import { useEffect, useState } from 'react';
import type { ChatView } from '../../../src/wire/chat.ts';
import { hashOf } from '../routes.ts';
import { go, useRoute } from '../shell/use-route.ts';
import { useDesktopClient, useDesktopMutation, useRefresh } from '../wire/use-desktop.ts';

type Titled = Pick<ChatView, 'id' | 'title'>;

/** The field of a new title, focused when it opens. */
function TitleField({ chat, done }: { chat: Titled; done(): void }) {
  const change = useDesktopMutation('chats.change');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const title = String(new FormData(event.currentTarget).get('title'));
        change.mutate({ chat: chat.id, title }, { onSuccess: done });
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
      <ErrorMessage error={change.error} />
    </form>
  );
}

/** Renames a conversation, in place of its button. */
export function RenameChat({ chat, done }: { chat: Titled; done(): void }) {
  const [isRenaming, setRenaming] = useState(false);
  if (!isRenaming) return <Button label="Rename" onClick={() => setRenaming(true)} />;
  const renamed = () => {
    setRenaming(false);
    done();
  };
  return <TitleField chat={chat} done={renamed} />;
}

/** Pins a conversation to the top of the list, and takes it out of the list. */
export function KeepChat({
  chat: { id, pinned = false, archived = false, temporary = false },
  done,
}: {
  chat: ChatView;
  done(): void;
}) {
  const change = useDesktopMutation('chats.change');
  if (temporary) return null;
  const set = (changes: Partial<Pick<ChatView, 'pinned' | 'archived'>>) =>
    change.mutate({ chat: id, ...changes }, { onSuccess: done });
  return (
    <>
      <Button label={pinned ? 'Unpin' : 'Pin'} onClick={() => set({ pinned: !pinned })} />
      <Button label={archived ? 'Unarchive' : 'Archive'} onClick={() => set({ archived: !archived })} />
      <ErrorMessage error={change.error} />
    </>
  );
}

/** Has the model summarise a conversation, and goes on in a new one that begins with the summary. Another press stops it. */
export function SummariseChat({ chat, className = '' }: { chat: string; className?: string }) {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<AbortController | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => () => asked?.abort(), [asked]);
  const summarise = async () => {
    const asking = new AbortController();
    setAsked(asking);
    setError(null);
    try {
      const { chat: next, fault } = await desktop.request('chats.summarise', { chat }, asking.signal);
      await refresh();
      if (next) go(hashOf('chat', next.id));
      else setError(new Error(fault.message));
    } catch (cause) {
      if (!asking.signal.aborted) setError(cause as Error);
    }
    setAsked(null);
  };
  return (
    <>
      {asked ? (
        <>
          <span role="status">The model summarises this conversation…</span>{' '}
          <Button label="Stop" className={className} onClick={() => asked.abort()} />
        </>
      ) : (
        <Button
          label="Summarise and go on"
          title="The model writes a summary, with which a new conversation begins"
          className={className}
          onClick={() => void summarise()}
        />
      )}
      <ErrorMessage error={error} />
    </>
  );
}

/** Deletes a conversation, which needs not be open: one that cannot be opened can be deleted too. */
export function DeleteChat({ chat, isTemporary = false }: { chat: string; isTemporary?: boolean }) {
  const remove = useDesktopMutation('chats.remove');
  const { page, rest } = useRoute();
  const leave = () => page === 'chat' && rest[0] === chat && go(hashOf('chat'));
  return (
    <>
      <ConfirmButton
        {...(isTemporary
          ? { label: 'Close', sure: 'Close this temporary chat? Nothing of it is kept.' }
          : { label: 'Delete', sure: 'Delete this conversation? This cannot be undone.' })}
        act={() => remove.mutate({ chat }, { onSuccess: leave })}
      />
      <ErrorMessage error={remove.error} />
    </>
  );
}
