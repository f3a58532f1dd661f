import { type FormEvent, useState } from 'react';
import type { FileView } from '../../../src/wire/views.ts';
import { download } from '../parts/download.ts';
import { sizeText } from '../parts/figures.ts';
import { ErrorMessage } from '../parts/parts.tsx';
import { useBlob } from '../parts/use-blob.ts';
import { visible } from '../parts/visible.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesk, useDesktopMutation } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.tools;

/** Pictures that are shown as they are. An SVG is not among them: it is a document. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

const addressOf = ({ id }: FileView): string => `/files/${encodeURIComponent(id)}`;

function Preview({ file }: { file: FileView }) {
  const { url, error } = useBlob(addressOf(file));
  if (error) return <ErrorMessage error={error} />;
  return url === null ? null : <img className="preview" src={url} alt={visible(file.name)} />;
}

function Download({ file }: { file: FileView }) {
  const desk = useDesk();
  const [error, setError] = useState<Error | null>(null);
  const save = async () => download(file.name, await desk.bytes(addressOf(file)));
  return (
    <>
      <button type="button" onClick={() => save().catch(setError)}>
        {MESSAGES.download}
      </button>
      <ErrorMessage error={error} />
    </>
  );
}

function Save({ appId, file }: { appId: string; file: FileView }) {
  const project = useProject();
  const save = useDesktopMutation('tools.saveFile');
  if (project.folder === null) return <p className="soft">{MESSAGES.noFolder}</p>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const path = String(new FormData(event.currentTarget).get('path'));
    save.mutate({ fileId: file.id, appId, project: project.id, path });
  };
  return (
    <form className="inline" onSubmit={submit}>
      <label className="field">
        {MESSAGES.savePath}
        <input name="path" defaultValue={file.name} required />
      </label>
      <button type="submit" disabled={save.isPending}>
        {MESSAGES.save}
      </button>
      <span role="status" className="good">
        {save.isSuccess ? MESSAGES.saved(save.variables.path) : ''}
      </span>
      <ErrorMessage error={save.error} />
    </form>
  );
}

type ResultFileProps = {
  appId: string;
  file: FileView;
  /** Whether its name is shown; left out where it stands beside. */
  isNamed?: boolean;
};

/** A file that a tool returned: looked at, downloaded, saved into the project. */
export function ResultFile({ appId, file, isNamed = true }: ResultFileProps) {
  return (
    <div className="result-file">
      <p>
        {isNamed ? <strong>{visible(file.name)}</strong> : null}{' '}
        <span className="soft">{`${file.type}, ${sizeText(file.bytes)}`}</span>
      </p>
      {PICTURES.has(file.type) ? <Preview file={file} /> : null}
      <div className="buttons">
        <Download file={file} />
      </div>
      <Save appId={appId} file={file} />
      <p className="hash">
        SHA-256 <code>{file.sha256}</code>
      </p>
    </div>
  );
}
