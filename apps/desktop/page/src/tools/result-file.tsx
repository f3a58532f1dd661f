import { visible } from '@svc/text';
import { Button, ErrorMessage, Field, sizeText } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { FileView } from '../../../src/wire/views.ts';
import { download } from '../parts/download.ts';
import { PICTURES, useBlob } from '../parts/use-blob.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopMutation } from '../wire/use-desktop.ts';

const addressOf = ({ id }: FileView): string => `/files/${encodeURIComponent(id)}`;

/** Largest image or audio file that is loaded automatically, in bytes. */
const MAX_AUTOLOAD = 5 * 1024 * 1024;

const isPicture = ({ type }: FileView): boolean => PICTURES.has(type);

/** Whether this browser can play the file. The desktop detected the type from the content. */
const isSound = ({ type }: FileView): boolean =>
  type.startsWith('audio/') && document.createElement('audio').canPlayType(type) !== '';

/** An image or audio file, from bytes fetched from the desktop. */
function Media({ file }: { file: FileView }) {
  const { url, error } = useBlob(addressOf(file));
  const [isBroken, setBroken] = useState(false);
  if (error) return <ErrorMessage error={error} />;
  if (isBroken)
    return <p className="soft">This browser cannot show the file. Download it to open it in another app.</p>;
  // The place of a picture is there before it loads, so that nothing moves.
  if (url === null) return isPicture(file) ? <span className="preview" /> : null;
  const broken = () => setBroken(true);
  if (isPicture(file)) return <img className="preview" src={url} alt={visible(file.name)} onError={broken} />;
  return (
    // biome-ignore lint/a11y/useMediaCaption: audio of an app has no captions
    <audio
      className="preview"
      src={url}
      controls
      preload="metadata"
      aria-label={visible(file.name)}
      onError={broken}
    />
  );
}

function Preview({ file }: { file: FileView }) {
  const [isRequested, setRequested] = useState(false);
  if (!isPicture(file) && !isSound(file)) return null;
  if (isRequested || file.bytes <= MAX_AUTOLOAD) return <Media file={file} />;
  return <Button label={isPicture(file) ? 'Show image' : 'Load audio'} onClick={() => setRequested(true)} />;
}

function Download({ file }: { file: FileView }) {
  const desktop = useDesktopClient();
  const [error, setError] = useState<Error | null>(null);
  const save = async () => download(file.name, await desktop.bytes(addressOf(file)));
  return (
    <>
      <Button label="Download" onClick={() => save().catch(setError)} />
      <ErrorMessage error={error} />
    </>
  );
}

function Save({ appId, file }: { appId: string; file: FileView }) {
  const project = useProject();
  const save = useDesktopMutation('tools.saveFile');
  if (project.folder === null) return <p className="soft">This project has no folder to save to.</p>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const path = String(new FormData(event.currentTarget).get('path'));
    save.mutate({ fileId: file.id, appId, project: project.id, path });
  };
  return (
    <form className="filters" onSubmit={submit}>
      <Field label="Path in the project" name="path" defaultValue={file.name} required />
      <button type="submit" disabled={save.isPending}>
        Save to project
      </button>
      <span role="status" className="good">
        {save.isSuccess ? `Saved as ${save.variables.path}.` : ''}
      </span>
      <ErrorMessage error={save.error} />
    </form>
  );
}

type ResultFileProps = {
  appId: string;
  file: FileView;
  /** Whether to show the name; false where the parent shows it. */
  isNamed?: boolean;
  /** Folds what is seldom needed: saving to the project, and the hash. */
  isFolded?: boolean;
};

/** A file that a tool returned, with preview, download and saving to the project. */
export function ResultFile({ appId, file, isNamed = true, isFolded = false }: ResultFileProps) {
  const more = (
    <>
      <Save appId={appId} file={file} />
      <p className="soft">
        SHA-256 <code>{file.sha256}</code>
      </p>
    </>
  );
  return (
    <div className="result-file">
      <p>
        {isNamed ? <strong>{visible(file.name)}</strong> : null}{' '}
        <span className="soft">{`${file.type}, ${sizeText(file.bytes)}`}</span>
      </p>
      <Preview file={file} />
      <div className="buttons">
        <Download file={file} />
      </div>
      {isFolded ? (
        <details>
          <summary>Save to the project</summary>
          {more}
        </details>
      ) : (
        more
      )}
    </div>
  );
}
