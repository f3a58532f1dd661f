import { Button, ErrorMessage, Icon, Options } from '@svc/ui';
import { useState } from 'react';
import type { ModelRef } from '../../../src/wire/chat.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { modelChoices } from './chat-head.tsx';

/** Requests another answer from a model that the user chooses, with which the conversation goes on. */
export function RetryWith({ chat, message }: { chat: string; message: number }) {
  const [isOpen, setOpen] = useState(false);
  const retry = useDesktopMutation('chats.retry');
  const listed = useDesktopQuery('models.list', {}, { enabled: isOpen }).data;
  if (!isOpen)
    return (
      <Button
        label={<Icon name="bot" />}
        className="quiet small icon-button"
        aria-label="Ask another model…"
        title="Ask another model…"
        onClick={() => setOpen(true)}
      />
    );
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
