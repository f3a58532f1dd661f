import { type DragEvent, useState } from 'react';

/** Where a file is dropped or chosen. The whole label is a button for the file input inside it. */
export function DropZone({
  title,
  hint,
  multiple = false,
  accept = '.svc-app,.zip,.json',
  onFiles,
}: {
  title: string;
  hint: string;
  multiple?: boolean;
  accept?: string;
  onFiles(files: readonly File[]): void;
}) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <label
      className={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <strong>{title}</strong>
      <span>{hint}</span>
      <input
        type="file"
        multiple={multiple}
        accept={accept}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // So that choosing the same file again, changed in between, is a change too.
          target.value = '';
        }}
      />
    </label>
  );
}
