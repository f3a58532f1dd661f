import { MediaRequest } from '@svc/contracts';
import { z } from 'zod';
import { accepts, fileTypeOf, onlyType } from '../../files/file-type.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { PanelFile } from '../ports.ts';
import { type Method, method } from './bridge.ts';
import type { FileHandle } from './messages.ts';
import { type MethodDeps, NoParams, requireGrant } from './method-deps.ts';
import type { AskInTurn } from './prompt-limiter.ts';

const FileId = z.string().max(64);
const OneFile = z.strictObject({ file: FileId });
const OneOperation = z.strictObject({ file: FileId, request: MediaRequest });
const Picking = z.strictObject({
  accept: z
    .array(z.string().regex(/^[a-z]+\/(?:\*|[a-z0-9][\w!#$&^.+-]{0,126})$/i))
    .max(50)
    .default([]),
  multiple: z.boolean().default(false),
});
type Picking = z.output<typeof Picking>;

/** The file picker does not enforce the accepted types, so they are checked here. */
async function requireAccepted(picked: readonly PanelFile[], { accept, multiple }: Picking): Promise<void> {
  if (picked.length > 1 && !multiple) throw new RuntimeError('file-refused');
  for (const { bytes, name, type } of picked) {
    // The client detected the type from the content; other possible types of the file are detected only when needed.
    const isAccepted =
      accept.length === 0 ||
      accepts(accept, onlyType(type)) ||
      accepts(accept, await fileTypeOf(bytes, name));
    if (!isAccepted) throw new RuntimeError('file-refused');
  }
}

function keep({ files, addressOf }: MethodDeps, file: PanelFile): FileHandle {
  const id = files.add(file);
  return { id, name: file.name, type: file.type, size: file.bytes.length, url: addressOf(id) };
}

async function pick(
  deps: MethodDeps,
  wanted: Picking,
  signal: AbortSignal,
): Promise<{ files: FileHandle[] }> {
  requireGrant(deps, 'files:receive');
  const { pickFiles } = deps.client;
  if (!pickFiles) throw new RuntimeError('not-offered');
  const picked = await pickFiles(deps.app, wanted, signal);
  signal.throwIfAborted();
  await requireAccepted(picked, wanted);
  signal.throwIfAborted();
  return { files: picked.map((file) => keep(deps, file)) };
}

async function runMedia(
  deps: MethodDeps,
  { file, request }: z.output<typeof OneOperation>,
  signal: AbortSignal,
): Promise<{ file: FileHandle }> {
  requireGrant(deps, 'host:media');
  const { prepareMedia } = deps.client;
  if (!prepareMedia) throw new RuntimeError('not-offered');
  const prepared = await prepareMedia(deps.files.get(file), request, signal);
  signal.throwIfAborted();
  return { file: keep(deps, prepared) };
}

/** The methods for files from the user. A panel gets handles, and fetches the bytes from its own origin. */
export const fileMethods = (deps: MethodDeps, inTurn: AskInTurn): [string, Method][] => [
  ['files/pick', method(Picking, (wanted, signal) => inTurn(() => pick(deps, wanted, signal)))],
  ['files/release', method(OneFile, ({ file }) => deps.files.release(file))],
  // Saving into a project is not supported yet. The method exists so that a panel gets that error, and not "unknown method".
  [
    'files/save',
    method(NoParams, () => {
      throw new RuntimeError('not-offered');
    }),
  ],
  ['media/run', method(OneOperation, (params, signal) => runMedia(deps, params, signal))],
];
