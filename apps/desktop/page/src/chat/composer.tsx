import { visible } from '@svc/text';
import { Button, Icon, sizeText } from '@svc/ui';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useState,
} from 'react';
import { useCompletions } from './completions.tsx';
import { isPicture, tokensOf } from './read-text.ts';
import { type Attachment, EMPTY, type useDraft } from './use-draft.ts';

type KeptDraft = ReturnType<typeof useDraft>;

/** Largest picture that is shown small, in bytes: the page decodes it whole. */
const MAX_THUMBNAIL = 10 * 1024 * 1024;

function Thumbnail({ blob }: { blob: Blob }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  // Its place is there before it loads. Its name is beside it.
  return url === null ? <span className="thumbnail" /> : <img className="thumbnail" src={url} alt="" />;
}

/** A file of the draft, with the tick that shows its content to the model. */
function Chip({ file, kept }: { file: Attachment; kept: KeptDraft }) {
  const { key, name, bytes, id, shown, text, blob } = file;
  const isShowable = isPicture(file) || text !== null;
  return (
    <li>
      {blob && isPicture(file) && bytes <= MAX_THUMBNAIL ? <Thumbnail blob={blob} /> : null}
      <bdi>{visible(name)}</bdi> <span className="soft">{id === null ? 'Uploading…' : sizeText(bytes)}</span>
      {isShowable ? (
        <label title="Sends the content to the model provider. Otherwise the model only gets the name of the file.">
          <input
            type="checkbox"
            checked={shown}
            onChange={({ target }) => kept.patch(key, { shown: target.checked })}
          />{' '}
          {text === null
            ? 'Show to the model'
            : `Show to the model, about ${tokensOf(text).toLocaleString('en')} tokens`}
        </label>
      ) : null}
      <Button
        label={<Icon name="x" />}
        className="quiet icon-button"
        aria-label={`Remove ${visible(name)}`}
        onClick={() => kept.patch(key, null)}
      />
    </li>
  );
}

/**
 * The message field. Enter sends, during an answer when that ends, Shift+Enter inserts a new line, arrow up in an empty field edits the last message, Escape stops the
 * answer, unless a card of it waits, which that would decline, or cancels an edit.
 */
export function Composer({
  kept,
  send,
  stop,
  editLast,
  isRunning,
  isQueued,
  unqueue,
  isAsked,
  isWithoutModel,
  field,
  picker,
  apps,
}: {
  kept: KeptDraft;
  send(): void;
  stop(): void;
  editLast(): void;
  isRunning: boolean;
  /** Whether the message is sent when the answer ends. */
  isQueued: boolean;
  unqueue(): void;
  /** Whether a card of the conversation waits. */
  isAsked: boolean;
  /** Whether no model would answer: nothing is taken that could only fail. */
  isWithoutModel: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  picker: RefObject<HTMLInputElement | null>;
  /** The apps of the conversation. */
  apps: ReactNode;
}) {
  const { draft, change, add } = kept;
  const isSendable = !isWithoutModel && (draft.text.trim() !== '' || draft.files.length > 0);
  const leave = () => {
    if (isRunning && !isAsked) stop();
    else if (!isRunning && draft.after !== undefined) change(EMPTY);
  };
  const { list, onKey, described } = useCompletions(kept, field);
  // A button that goes, or that nothing can be sent with, loses the focus. After a press the field leaves the next one to a docked panel.
  const goOn = () => {
    if (document.activeElement?.matches(':focus-visible')) field.current?.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (onKey(event)) return;
    if (event.key === 'Escape') return leave();
    const isSend = event.key === 'Enter' && !event.shiftKey;
    const isEdit = event.key === 'ArrowUp' && draft.text === '';
    if (!isSend && !isEdit) return;
    event.preventDefault();
    if (isEdit) editLast();
    else if (isSendable) send();
  };
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (isSendable) send();
        else field.current?.focus();
        goOn();
      }}
    >
      {draft.after === undefined ? null : (
        <p className="notice">
          Editing an earlier message. Sending it starts a new branch.{' '}
          <Button label="Cancel" onClick={() => change(EMPTY)} />
        </p>
      )}
      {isQueued && isSendable ? (
        <p className="notice" role="status">
          The message is sent when the answer ends. <Button label="Cancel" onClick={unqueue} />
        </p>
      ) : null}
      {draft.files.length === 0 ? null : (
        <ul className="cluster chips">
          {draft.files.map((file) => (
            <Chip key={file.key} file={file} kept={kept} />
          ))}
        </ul>
      )}
      {list}
      {kept.faults.map((fault) => (
        <p key={fault} className="fault" role="alert">
          {fault}
        </p>
      ))}
      <div className="cluster composer-row">
        <Button
          label={<Icon name="plus" />}
          className="quiet round"
          aria-label="Attach files"
          title="Attach files"
          onClick={() => picker.current?.click()}
        />
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Attach files"
          onChange={(event) => {
            add(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label="Message"
          {...described}
          disabled={isWithoutModel}
          placeholder={isWithoutModel ? 'Choose a model first' : 'Message, / prompts, @ files'}
          value={draft.text}
          onChange={({ target: { value: text } }) => change((now) => ({ ...now, text }))}
          onKeyDown={key}
          onPaste={paste}
        />
        {isRunning ? (
          <Button
            key="stop"
            className="main round"
            aria-label="Stop"
            title="Stop"
            onClick={() => {
              stop();
              goOn();
            }}
          >
            <Icon name="square" />
          </Button>
        ) : null}
        {isRunning && !isSendable ? null : (
          <button
            type="submit"
            className="main round"
            aria-label="Send"
            title={isSendable ? 'Send' : isWithoutModel ? 'Choose a model first' : 'Write a message first'}
            aria-disabled={!isSendable}
          >
            <Icon name="arrow-up" />
          </button>
        )}
        {apps}
      </div>
    </form>
  );
}
