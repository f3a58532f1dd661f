import type { CardFile } from '@svc/runtime';
import { visible } from '@svc/text';
import { sizeText } from '@svc/ui/text';
import { useEffect, useState } from 'react';
import { PICTURES, useBlob } from '../parts/use-blob.ts';

const CAUTIONS = {
  hidden: 'A hidden file. It may contain settings or passwords.',
  secret: 'This file may contain a key or a password.',
  outside: 'This file is not in the folder of the project.',
};

/** Longest text that is shown, in characters. */
const MAX_CHARACTERS = 4_000;

const isText = (type: string): boolean => /^text\/|^application\/json$/.test(type);

const NoPreview = () => <p className="soft">No preview available.</p>;

function Picture({ path, caption }: { path: string; caption: string }) {
  const [broken, setBroken] = useState(false);
  const { url, error } = useBlob(path);
  if (broken || error) return <NoPreview />;
  // The place of the picture is there before it loads, so that nothing moves.
  if (url === null) return <span className="sent-picture" />;
  return <img className="sent-picture" src={url} alt={caption} onError={() => setBroken(true)} />;
}

function Text({ path }: { path: string }) {
  const { blob, error } = useBlob(path);
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    if (blob)
      void blob
        .slice(0, MAX_CHARACTERS * 4)
        .text()
        .then(setText);
  }, [blob]);
  if (error) return <NoPreview />;
  if (text === null) return <p role="status">Loading…</p>;
  const shown = text.slice(0, MAX_CHARACTERS);
  return <pre className="plain">{visible(shown) + (shown.length < text.length ? '…' : '')}</pre>;
}

/** Fetches the text when the user opens it. */
function FoldedText({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show text</summary>
      {isOpen ? <Text path={path} /> : null}
    </details>
  );
}

const factsOf = ({ type, bytes }: { type: string; bytes: number }): string =>
  `${visible(type)}, ${sizeText(bytes)}`;

/** The files of a card as they will be sent: images are shown, texts fold out, and converted files name their original. */
export function CardFiles({
  cardId,
  files,
  captionOf,
}: {
  cardId: string;
  files: readonly CardFile[];
  captionOf(name: string): string;
}) {
  if (files.length === 0) return null;
  return (
    <ul className="card-files" aria-label="Files">
      {files.map((file, i) => {
        const path = `/card-files/${encodeURIComponent(cardId)}/${i}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call may contain the same file twice, and the list does not change
          <li key={i}>
            {PICTURES.has(file.type) ? <Picture path={path} caption={captionOf(visible(file.name))} /> : null}
            <div>
              <strong>{visible(file.name)}</strong> <span className="soft">{factsOf(file)}</span>
              {file.caution ? <p className="fault">{CAUTIONS[file.caution]}</p> : null}
              {file.was ? (
                <p className="soft">{`Original: ${visible(file.was.name)}, ${factsOf(file.was)}`}</p>
              ) : null}
              {isText(file.type) ? <FoldedText path={path} /> : null}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
