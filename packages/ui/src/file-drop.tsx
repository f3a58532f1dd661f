import { type DragEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { accepts } from './accepts.ts';
import { Icon } from './icon.tsx';
import { WORDS } from './words.ts';

type FileDropProps = {
  /** Name of the field. */
  title: string;
  /** Which files, and what becomes of them. */
  hint: string;
  /** As the attribute of an input of files. */
  accept?: string;
  multiple?: boolean;
  /** What was wrong with the files that were chosen last. */
  error?: string;
  /** What happens with them, announced by screen readers. */
  status?: string;
  onFiles(files: readonly File[]): void;
};

/** The zones that are on the page now: files that are pasted go to the one that has the focus, or to the only one. */
const zones = new Set<HTMLElement>();

const isTyping = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Why files are refused, or an empty text. */
function errorOf(files: readonly File[], { accept = '', multiple = false }: FileDropProps): ReactNode {
  if (!multiple && files.length > 1) return WORDS.onlyOne;
  const other = files.find((file) => !accepts(file, accept));
  if (!other) return '';
  return (
    <>
      <bdi>{other.name}</bdi> {WORDS.kind(accept.split(',').join(', '))}
    </>
  );
}

const hasFolder = ({ items }: DataTransfer): boolean =>
  [...items].some((item) => item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory);

/** Calls back with the files that are pasted while a zone is meant by that. */
function usePaste(onPaste: (files: readonly File[]) => void) {
  const zone = useRef<HTMLDivElement>(null);
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    const own = zone.current;
    if (files.length === 0 || !own) return;
    const isMeant = own.contains(document.activeElement) || (zones.size === 1 && !isTyping(event));
    if (!isMeant) return;
    event.preventDefault();
    onPaste(files);
  });
  useEffect(() => {
    const own = zone.current;
    if (!own) return undefined;
    zones.add(own);
    document.addEventListener('paste', paste);
    return () => {
      zones.delete(own);
      document.removeEventListener('paste', paste);
    };
  }, []);
  return zone;
}

/**
 * Where files are dropped, pasted or chosen. The input lies unseen over the whole zone, so that a click anywhere, Enter and Space
 * open the dialog of the browser, and the zone has one stop for the Tab key.
 */
export function FileDrop(props: FileDropProps) {
  const { title, hint, accept = '', multiple = false, error = '', status = '' } = props;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<ReactNode>('');
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    const wrong = errorOf(files, props);
    setRefused(wrong);
    if (wrong === '') props.onFiles(files);
  };
  const zone = usePaste(add);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (hasFolder(event.dataTransfer)) setRefused(WORDS.folder);
    else add([...event.dataTransfer.files]);
  };
  const fault = refused || error;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way to choose, and the field within the other
    <div
      ref={zone}
      className={isOver ? 'file-drop over' : 'file-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        // From one part of the zone to another it is still over it.
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={drop}
    >
      <Icon name="upload" />
      <label htmlFor={`${id}-field`}>
        <strong>{title}</strong>
      </label>
      <span id={`${id}-hint`}>{hint}</span>
      <span className="button" aria-hidden="true">
        {multiple ? WORDS.chooseMany : WORDS.chooseOne}
      </span>
      <input
        id={`${id}-field`}
        type="file"
        aria-describedby={`${id}-hint`}
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          add([...(target.files ?? [])]);
          // So that choosing the same file again, changed in between, is a change too.
          target.value = '';
        }}
      />
      <p role="status">{status}</p>
      <p role="alert" className="fault" hidden={fault === ''}>
        {fault}
      </p>
    </div>
  );
}
