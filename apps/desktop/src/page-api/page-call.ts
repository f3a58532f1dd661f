import type { System } from '@svc/runtime';
import { z } from 'zod';
import type { Activity } from '../activity/open-activity.ts';
import type { Agents } from '../agents/agents.ts';
import type { Chats } from '../chat/chats.ts';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import type { OpenFolders } from '../folders/open-folders.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { FilePicker } from '../panels/file-picker.ts';
import type { PanelRegistry } from '../panels/panel-desk.ts';
import type { Session } from '../sessions/sessions.ts';
import type { RememberedTools } from '../tools/remembered-tools.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { CallName, DesktopCalls } from '../wire/calls.ts';
import type { ClientView } from '../wire/views.ts';

/** Who asks: a page that was let in. The signal is aborted when it does not wait any more. */
export type Caller = { session: Session; signal: AbortSignal };

type In<Name extends CallName> = DesktopCalls[Name]['in'];
type Out<Name extends CallName> = DesktopCalls[Name]['out'];

/** One call of the page: the form of what it sends, and what answers. */
export type PageCall<Name extends CallName> = {
  input: z.ZodType<In<Name>>;
  answer(input: In<Name>, caller: Caller): Promise<Out<Name>> | Out<Name>;
};

/** All calls of one feature: `CallsOf<'apps'>` are those that begin with `apps.`. */
export type CallsOf<Feature extends string> = {
  [Name in Extract<CallName, `${Feature}.${string}`>]: PageCall<Name>;
};

/** What the calls work with. */
export type PageParts = {
  desktop: Desktop;
  system: Pick<System, 'now'>;
  client: ClientView;
  events: PageEvents;
  activity: Activity;
  chats: Chats;
  tools: RememberedTools;
  uploads: Uploads;
  kept: KeptFiles;
  panels: PanelRegistry;
  picks: FilePicker;
  folders: OpenFolders;
  gateway: Gateway;
  /** Null where the program was not told of the person's files. */
  agents: Agents | null;
  newId(): string;
};

/** Forms that calls share. Ids are looked up, never made a path of; what they may hold is bounded all the same. */
const id = (most: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .max(most);
export const AppId = id(128);
export const Id = id(200);
export const Nothing = z.strictObject({});
export const FolderPath = z.string().min(1).max(4_096);
export const PersonsAnswer = z.union([
  z.strictObject({
    accepted: z.literal(true),
    binding: z.exactOptional(z.string().max(200)),
    choice: z.exactOptional(z.enum(['retry', 'sign-in'])),
  }),
  z.strictObject({ accepted: z.literal(false) }),
]);
