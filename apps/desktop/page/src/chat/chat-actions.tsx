import { Button, ConfirmButton, ErrorMessage } from '@svc/ui';
import { useState } from 'react';
import type { ChatView } from '../../../src/wire/chat.ts';
import { hashOf } from '../routes.ts';
import { go, useRoute } from '../shell/use-route.ts';
import { useDesktopMutation } from '../wire/use-desktop.ts';

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
  chat: { id, pinned = false, archived = false },
  done,
}: {
  chat: ChatView;
  done(): void;
}) {
  const change = useDesktopMutation('chats.change');
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

/** Deletes a conversation, which needs not be open: one that cannot be opened can be deleted too. */
export function DeleteChat({ chat }: { chat: string }) {
  const remove = useDesktopMutation('chats.remove');
  const { page, rest } = useRoute();
  const leave = () => page === 'chat' && rest[0] === chat && go(hashOf('chat'));
  return (
    <>
      <ConfirmButton
        label="Delete"
        sure="Delete this conversation? This cannot be undone."
        act={() => remove.mutate({ chat }, { onSuccess: leave })}
      />
      <ErrorMessage error={remove.error} />
    </>
  );
}
