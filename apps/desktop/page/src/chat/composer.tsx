import { Icon } from '@svc/ui';
import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.chat;

export type Draft = { text: string; files: readonly File[]; show: boolean; after?: number | null };

export const EMPTY: Draft = { text: '', files: [], show: false };

/**
 * The message field. Enter sends, Shift+Enter inserts a new line, arrow up in an empty field edits the last message, Escape stops the
 * answer or cancels an edit.
 */
export function Composer({
  draft,
  change,
  send,
  stop,
  editLast,
  isRunning,
  field,
  picker,
}: {
  draft: Draft;
  change(draft: Draft): void;
  send(): void;
  stop(): void;
  editLast(): void;
  isRunning: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  picker: RefObject<HTMLInputElement | null>;
}) {
  const add = (files: Iterable<File>) => change({ ...draft, files: [...draft.files, ...files].slice(0, 20) });
  const leave = () => {
    if (isRunning) stop();
    else if (draft.after !== undefined) change(EMPTY);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return leave();
    const isSend = event.key === 'Enter' && !event.shiftKey;
    const isEdit = event.key === 'ArrowUp' && draft.text === '';
    if (!isSend && !isEdit) return;
    event.preventDefault();
    if (isEdit) editLast();
    else if (!isRunning) send();
  };
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const hasPictures = draft.files.some(({ type }) => type.startsWith('image/'));
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {draft.after === undefined ? null : (
        <p className="notice">
          {MESSAGES.editing}{' '}
          <button type="button" onClick={() => change(EMPTY)}>
            {WORDS.cancel}
          </button>
        </p>
      )}
      {draft.files.length === 0 ? null : (
        <ul className="chips">
          {draft.files.map((file, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
            <li key={i}>
              {visible(file.name)}{' '}
              <button
                type="button"
                aria-label={MESSAGES.remove(visible(file.name))}
                onClick={() =>
                  change({ ...draft, files: draft.files.filter((attached) => attached !== file) })
                }
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {hasPictures ? (
        <label className="show" title={MESSAGES.showHint}>
          <input
            type="checkbox"
            checked={draft.show}
            onChange={(event) => change({ ...draft, show: event.target.checked })}
          />{' '}
          {MESSAGES.show}
        </label>
      ) : null}
      <div className="composer-row">
        <button
          type="button"
          aria-label={MESSAGES.attach}
          title={MESSAGES.attach}
          onClick={() => picker.current?.click()}
        >
          +
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label={MESSAGES.attach}
          onChange={(event) => {
            add(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={MESSAGES.placeholder}
          placeholder={MESSAGES.placeholder}
          value={draft.text}
          onChange={(event) => change({ ...draft, text: event.target.value })}
          onKeyDown={key}
          onPaste={paste}
        />
        {isRunning ? (
          <button
            type="button"
            className="main round"
            aria-label={MESSAGES.stop}
            title={MESSAGES.stop}
            onClick={stop}
          >
            <Icon name="square" />
          </button>
        ) : (
          <button
            type="submit"
            className="main round"
            aria-label={MESSAGES.send}
            title={MESSAGES.send}
            disabled={draft.text.trim() === '' && draft.files.length === 0}
          >
            <Icon name="arrow-up" />
          </button>
        )}
      </div>
    </form>
  );
}
