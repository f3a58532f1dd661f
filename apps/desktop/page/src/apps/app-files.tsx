import { visible } from '@svc/text';
import { ConfirmButton, ErrorMessage, Loaded, moment } from '@svc/ui';
import { sizeText } from '@svc/ui/text';
import type { AppView, FileView } from '../../../src/wire/views.ts';
import { useProject } from '../shell/use-project.ts';
import { ResultFile } from '../tools/result-file.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

type StoredFile = { id: string; name: string; bytes: number; keptAt: string };

/** One file: opens in place, or is deleted. */
function FileRow({ appId, project, file }: { appId: string; project: string; file: StoredFile }) {
  const open = useDesktopMutation('files.open');
  const remove = useDesktopMutation('files.remove');
  const which = { appId, project, id: file.id };
  const opened: FileView | undefined = open.data?.file;
  const name = visible(file.name);
  return (
    <li>
      <div>
        {name} <span className="soft">{`${sizeText(file.bytes)}, ${moment(file.keptAt)}`}</span>
        <ErrorMessage error={open.error ?? remove.error} />
      </div>
      <div className="buttons">
        {opened ? (
          <button type="button" aria-label={`Close ${name}`} onClick={open.reset}>
            Close
          </button>
        ) : (
          <button type="button" aria-label={`Open ${name}`} onClick={() => open.mutate(which)}>
            Open
          </button>
        )}
        <ConfirmButton label="Delete" sure="Delete this file?" act={() => remove.mutate(which)} />
      </div>
      {opened ? <ResultFile appId={appId} file={opened} isNamed={false} /> : null}
    </li>
  );
}

/** The files of an app in the project, including those of earlier sessions. */
export function AppFiles({ app: { appId } }: { app: AppView }) {
  const project = useProject();
  const files = useDesktopQuery('files.list', { appId, project: project.id });
  return (
    <Loaded query={files}>
      {({ files: all }) =>
        all.length === 0 ? (
          <p>This app has no files in this project.</p>
        ) : (
          <ul className="rows">
            {all.map((file) => (
              <FileRow key={file.id} appId={appId} project={project.id} file={file} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
