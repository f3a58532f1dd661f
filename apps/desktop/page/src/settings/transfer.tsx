import { Button, ErrorMessage } from '@svc/ui';
import { count, sizeText } from '@svc/ui/text';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ImportResult } from '../../../src/wire/chat.ts';
import { MAX_UPLOAD_BYTES } from '../chat/limits.ts';
import { download } from '../parts/download.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopMutation } from '../wire/use-desktop.ts';

const sentence = ({ from, added, known, unread }: ImportResult): string =>
  [
    `${count(added, 'conversation')} of ${from} imported.`,
    ...(known > 0 ? [`${known} were here already.`] : []),
    ...(unread > 0 ? [`${unread} without a readable message left out.`] : []),
  ].join(' ');

/** What an import added, and a button that removes it again. */
function Imported({ result }: { result: ImportResult }) {
  const undo = useDesktopMutation('chats.undoImport');
  if (undo.data) return <p role="status">{`${count(undo.data.removed, 'conversation')} removed.`}</p>;
  return (
    <p role="status">
      {sentence(result)}{' '}
      {result.added > 0 ? <Button label="Undo" onClick={() => undo.mutate({ import: result.id })} /> : null}
      <ErrorMessage error={undo.error} />
    </p>
  );
}

/** Exports all conversations, and imports those of other clients into the project. */
export function Transfer() {
  const desktop = useDesktopClient();
  const project = useProject();
  const picker = useRef<HTMLInputElement>(null);
  const save = useMutation({
    mutationFn: async () => download('conversations.zip', await desktop.bytes('/conversations')),
  });
  const load = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > MAX_UPLOAD_BYTES)
        throw new Error(
          `The file is larger than ${sizeText(MAX_UPLOAD_BYTES)}. Unpack it, and choose its conversations.json.`,
        );
      const { id } = await desktop.upload(file);
      return desktop.request('chats.import', { project: project.id, file: id });
    },
  });
  return (
    <section aria-label="Conversations">
      <p className="buttons">
        <Button label="Export all conversations" disabled={save.isPending} onClick={() => save.mutate()} />
        <Button
          label="Import conversations"
          disabled={load.isPending}
          onClick={() => picker.current?.click()}
        />
        <input
          ref={picker}
          type="file"
          hidden
          accept=".zip,.json,application/zip,application/json"
          aria-label="File of conversations"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) load.mutate(file);
            currentTarget.value = '';
          }}
        />
      </p>
      <p className="soft">
        An export of ChatGPT, Claude, LibreChat or svc: the archive, or its conversations.json. It goes into
        the current project.
      </p>
      {load.data ? <Imported key={load.data.id} result={load.data} /> : null}
      <ErrorMessage error={load.error ?? save.error} />
    </section>
  );
}
