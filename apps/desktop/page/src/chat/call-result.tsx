import { visible } from '@svc/text';
import { Button, ErrorMessage, sizeText } from '@svc/ui';
import { useState } from 'react';
import type { ChatCall, ChatFile } from '../../../src/wire/chat.ts';
import { download } from '../parts/download.ts';
import { LongText } from '../parts/long-text.tsx';
import { useBlob } from '../parts/use-blob.ts';
import { useProject } from '../shell/use-project.ts';
import { Answer } from '../tools/answer.tsx';
import { ResultFile } from '../tools/result-file.tsx';
import { useDesktopClient, useDesktopQuery } from '../wire/use-desktop.ts';
import { isPicture } from './read-text.ts';

/** A file that the user attached. */
export function Attached({ file }: { file: ChatFile }) {
  return (
    <figure className="attached">
      {isPicture(file) ? <Picture file={file} /> : null}
      <figcaption>
        {visible(file.name)} <span className="soft">{sizeText(file.bytes)}</span>
      </figcaption>
    </figure>
  );
}

function Picture({ file }: { file: ChatFile }) {
  const { url } = useBlob(`/attachments/${encodeURIComponent(file.id)}`);
  // The place of the picture is there before it loads, so that nothing moves.
  return url === null ? <span className="attached-place" /> : <img src={url} alt={visible(file.name)} />;
}

/** A file that an app returned, opened for this page. */
function ReturnedFile({ file, appId }: { file: ChatFile; appId: string }) {
  const project = useProject();
  const opened = useDesktopQuery('files.open', { appId, project: project.id, id: file.id });
  if (opened.data) return <ResultFile appId={appId} file={opened.data.file} isFolded />;
  return opened.error ? <ErrorMessage error={opened.error} /> : <p className="soft">{visible(file.name)}</p>;
}

/** The text and data of the result that the model received. */
export function CallResult({ call: { text, files, structured, state } }: { call: ChatCall }) {
  const texts = text === '' ? [] : [{ type: 'text' as const, text }];
  if (texts.length === 0 && structured === undefined && files.length > 0) return null;
  return <Answer parts={texts} structured={structured ?? null} isError={state === 'failed'} isFolded />;
}

/** The whole of a result that is longer than a model gets at once: the model reads it with a tool, the user here. */
function KeptResult({ file }: { file: ChatFile }) {
  const desktop = useDesktopClient();
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const bytes = () => desktop.bytes(`/attachments/${encodeURIComponent(file.id)}`);
  const show = async () => setText(await (await bytes()).text());
  const save = async () => download(file.name, await bytes());
  return (
    <div className="result-file">
      <p>
        <strong>{visible(file.name)}</strong> <span className="soft">{sizeText(file.bytes)}</span>
      </p>
      {text === null ? null : <LongText text={text} />}
      <div className="buttons">
        {text === null ? <Button label="Show whole result" onClick={() => show().catch(setError)} /> : null}
        <Button label="Download" onClick={() => save().catch(setError)} />
      </div>
      <ErrorMessage error={error} />
    </div>
  );
}

/** The pictures, sounds and other files of a result, without unfolding the row. */
export function CallFiles({ call: { appId, files } }: { call: ChatCall }) {
  if (files.length === 0) return null;
  return (
    <div className="call-files">
      {files.map((file) =>
        file.appId === null ? (
          <KeptResult key={file.id} file={file} />
        ) : appId === null ? (
          <p key={file.id}>{visible(file.name)}</p>
        ) : (
          <ReturnedFile key={file.id} file={file} appId={appId} />
        ),
      )}
    </div>
  );
}
