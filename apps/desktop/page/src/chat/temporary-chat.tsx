import { Button, ErrorMessage } from '@svc/ui';
import { useState } from 'react';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient } from '../wire/use-desktop.ts';
import { DeleteChat } from './chat-actions.tsx';
import type { useDraft } from './use-draft.ts';

/** Begins a temporary conversation with what is written, which is no longer stored. @param off apps that are switched off in it */
export function useTemporary(kept: ReturnType<typeof useDraft>, off: readonly string[]) {
  const desktop = useDesktopClient();
  const project = useProject();
  const [error, setError] = useState<Error | null>(null);
  const begin = async () => {
    setError(null);
    const draft = await kept.begin();
    if (draft === null) return;
    try {
      const { id } = (await desktop.request('chats.create', { project: project.id, temporary: true })).chat;
      if (off.length > 0) await desktop.request('chats.change', { chat: id, off: [...off] });
      const files = draft.files.map((file) => file.id);
      await desktop.request('chats.saveDraft', { project: project.id, chat: id, text: draft.text, files });
      await kept.end(null);
      go(hashOf('chat', id));
    } catch (cause) {
      await kept.end(draft);
      setError(cause as Error);
    }
  };
  return { begin: () => void begin(), error };
}

/** Offers a temporary conversation instead of a new one. */
export const BeginTemporary = ({ begin, error }: ReturnType<typeof useTemporary>) => (
  <>
    <Button
      label="Temporary"
      className="quiet"
      title="Begins a chat that is not stored on disk"
      onClick={begin}
    />
    <ErrorMessage error={error} />
  </>
);

/** Says what a temporary conversation is, and closes it. */
export const TemporaryNotice = ({ chat }: { chat: string }) => (
  <div className="notice temporary-notice">
    <p>
      <strong>Temporary chat.</strong> It is not stored on disk. It is gone when you close it, five minutes
      after the last window of svc desktop is closed, or when the program ends. The provider receives it like
      any other.
    </p>
    <DeleteChat chat={chat} isTemporary />
  </div>
);
