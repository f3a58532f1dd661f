import { Button, Field, Form, Options } from '@svc/ui';
import type { ChatView } from '../../../src/wire/chat.ts';
import { useDesktopClient, useDesktopMutation } from '../wire/use-desktop.ts';
import { DeleteChat, KeepChat, RenameChat, SummariseChat } from './chat-actions.tsx';
import { exportChat } from './export-chat.ts';

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

/** What is done with a conversation. */
export function ChatMenu({ chat, close }: { chat: ChatView; close(): void }) {
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
