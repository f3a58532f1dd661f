import { type DragEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { accepts } from './accepts.ts';
import { Icon } from './icon.tsx';
import { Fault } from './states.tsx';

type FileDropProps = {
  /** Name of the field. */
  title: string;
  /** Which files are accepted, and what happens to them. */
  hint: string;
  /** Like the attribute of a file input. */
  accept?: string;
  multiple?: boolean;
  /** Why a file is refused; null for one that is not. Default: one that `accept` does not match. */
  faultOf?: (file: File) => string | null;
  /** Whether it is one line, and takes files that are dropped anywhere on the page. */
  isLine?: boolean;
  /** Error about the last chosen files. */
  error?: string;
  /** Progress, announced by screen readers. */
  status?: string;
  onFiles(files: readonly File[]): void;
};

/** The mounted drop zones. Pasted files go to the focused one, or to the only one. */
const zones = new Set<HTMLElement>();

const isTyping = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Why files are refused; empty if they are accepted. */
function errorOf(
  files: readonly File[],
  { accept = '', multiple = false, faultOf }: FileDropProps,
): ReactNode {
  if (!multiple && files.length > 1) return 'Choose only one file.';
  if (faultOf) return files.map(faultOf).find((fault) => fault !== null) ?? '';
  const refused = files.find((file) => !accepts(file, accept));
  if (!refused) return '';
  return (
    <>
      <bdi>{refused.name}</bdi>{' '}
      {`is of another type. Choose a file that ends in ${accept.split(',').join(', ')}.`}
    </>
  );
}

const hasFolder = ({ items }: DataTransfer): boolean =>
  [...items].some((item) => item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory);

/** Calls back with files that are pasted for this zone. */
function usePaste(onPaste: (files: readonly File[]) => void) {
  const zone = useRef<HTMLDivElement>(null);
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    const own = zone.current;
    if (files.length === 0 || !own) return;
    const isTarget = own.contains(document.activeElement) || (zones.size === 1 && !isTyping(event));
    if (!isTarget) return;
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

/** Whether files are dragged over the page; calls back when they are dropped outside of a zone. */
function usePageDrop(isActive: boolean, onDrop: (files: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent((event: globalThis.DragEvent) => {
    setOver(false);
    if (event.defaultPrevented || !event.dataTransfer) return;
    event.preventDefault();
    onDrop(event.dataTransfer);
  });
  useEffect(() => {
    if (!isActive) return undefined;
    const over = (event: globalThis.DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    // Leaving the window has no related target; moving between elements has one.
    const leave = ({ relatedTarget }: globalThis.DragEvent) => relatedTarget === null && setOver(false);
    const events = { dragover: over, dragleave: leave, drop } as const;
    for (const [name, listener] of Object.entries(events))
      document.addEventListener(name, listener as (event: Event) => void);
    return () => {
      for (const [name, listener] of Object.entries(events))
        document.removeEventListener(name, listener as (event: Event) => void);
    };
  }, [isActive]);
  return isOver;
}

/**
 * A zone where files are dropped, pasted or chosen. An invisible file input covers the zone, so that a click anywhere, Enter and Space
 * open the browser's dialog, and the zone is one tab stop.
 */
export function FileDrop(props: FileDropProps) {
  const { title, hint, accept = '', multiple = false, isLine = false, error = '', status = '' } = props;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<ReactNode>('');
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    const problem = errorOf(files, props);
    setRefused(problem);
    if (problem === '') props.onFiles(files);
  };
  const zone = usePaste(add);
  const take = (dropped: DataTransfer) => {
    if (hasFolder(dropped)) setRefused('This is a folder. Choose a file.');
    else add([...dropped.files]);
  };
  const isOverPage = usePageDrop(isLine, take);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer);
  };
  const fault = refused || error;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can also be chosen with the input inside
    <div
      ref={zone}
      className={`file-drop${isLine ? ' slim' : ''}${isOver || isOverPage ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        // Moving between children of the zone does not leave it.
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
        {multiple ? 'Choose files' : 'Choose a file'}
      </span>
      <input
        id={`${id}-field`}
        type="file"
        aria-describedby={`${id}-hint`}
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          add([...(target.files ?? [])]);
          // Reset, so that choosing the same file again fires a change event.
          target.value = '';
        }}
      />
      <p role="status">{status}</p>
      <Fault hidden={fault === ''}>{fault}</Fault>
    </div>
  );
}
