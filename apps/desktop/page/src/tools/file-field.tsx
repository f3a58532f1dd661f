import type { FileRule } from '@svc/contracts';
import { visible } from '@svc/text';
import { sizeText } from '@svc/ui/text';
import { type DragEvent, useId, useRef, useState } from 'react';
import { faultOf, hintOf } from './file-rule.ts';

type FileFieldProps = {
  name: string;
  rule: FileRule;
  files: readonly File[];
  choose(files: readonly File[]): void;
};

/** The file field of one argument: files are dropped or chosen. */
export function FileField({ name, rule, files, choose }: FileFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState('');
  const [isOver, setOver] = useState(false);
  const add = (added: readonly File[]) => {
    const wrong = added.map((file) => faultOf(file, rule)).find((message) => message !== null);
    const isTooMany = !rule.multiple && added.length > 1;
    setFault(wrong ?? (isTooMany ? 'Choose only one file.' : ''));
    // The same file may be chosen again after it was removed.
    if (input.current) input.current.value = '';
    if (!wrong && !isTooMany && added.length > 0) choose(rule.multiple ? [...files, ...added] : added);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can also be chosen with the input inside
    <div
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label htmlFor={id}>{name}</label>
      <small id={`${id}-hint`}>{hintOf(rule)}</small>
      <input
        ref={input}
        id={id}
        type="file"
        aria-describedby={`${id}-hint`}
        multiple={rule.multiple ?? false}
        accept={(rule.accept ?? []).join(',')}
        onChange={(event) => add([...(event.target.files ?? [])])}
      />
      <p role="alert" className="fault" hidden={fault === ''}>
        {fault}
      </p>
      <ul className="rows">
        {files.map((file, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
          <li key={i}>
            <div>
              {visible(file.name)} <span className="soft">{sizeText(file.size)}</span>
            </div>
            <button
              type="button"
              aria-label={`Remove ${file.name}`}
              onClick={() => choose(files.filter((_, at) => at !== i))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
